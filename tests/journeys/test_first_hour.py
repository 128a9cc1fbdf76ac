"""What a newcomer does in the first hour: runs plans by file and by id, interrupts them, edits the team while it works."""

import json
import signal

from journey import Journey, wait_for

AGENTS = {"writer": {"prompt": "You write."}, "editor": {"prompt": "You edit."}}


def plan(name, prompt):
    return f"""\
plan: {name}
tasks:
  - {{id: draft, agent: writer, prompt: "{prompt} draft", outputs: [draft.md]}}
  - {{id: final, agent: editor, prompt: "{prompt} final", inputs: [draft.md], outputs: [final.md]}}
deliverables: [final.md]
"""


class Gate:
    """Answers only from what the request says, and holds back what contains a word until it is let through."""

    def __init__(self):
        self.closed = set()
        self.asked = []

    def __call__(self, request):
        text = request.text
        word = request.find(r"(alpha|beta|gamma) (?:draft|final)", "the task's prompt")
        self.asked.append(word)
        if word in self.closed:
            wait_for(lambda: word not in self.closed, "the gate")
        return json.dumps({"result": f"{word}, from {len(text)} characters"})


def state(hub, name):
    return hub.json("status", name)["state"]


def test_an_interrupted_plan_says_how_to_continue_and_does(box):
    """Ctrl-C and kill: `status` says that nobody runs the plan, its time stands still, `run ID` continues it."""
    gate = Gate()
    with Journey(box, gate, AGENTS) as hub:
        hub.write("plan.yaml", plan("alpha", "alpha"))
        gate.closed.add("alpha")
        for how in (signal.SIGINT, signal.SIGKILL):
            before = len(gate.asked)
            running = hub.spawn("run", "plan.yaml")
            wait_for(lambda: len(gate.asked) > before, "a call")
            live = hub.json("status", "alpha")
            assert live["active"] and live["state"] == "running", live
            running.send_signal(how)
            _, said = running.communicate(timeout=30)
            if how == signal.SIGINT:
                assert "agenttalk: stopped; `agenttalk run plan.yaml` continues it" in said, said
            first = hub.agenttalk("status", "alpha").expect(0).out
            assert "plan_alpha: stopped" in first and "`agenttalk run plan_alpha` continues it" in first, first
            assert hub.agenttalk("status", "plan_alpha").expect(0).out == first, "the elapsed time stands still"
            assert not hub.json("status", "alpha")["active"]
        gate.closed.clear()
        ended = hub.agenttalk("run", "alpha", "--json").expect(0).json
        assert ended["plan_id"] == "plan_alpha" and ended["state"] == "completed", ended
        assert "alpha" in hub.read("plans/plan_alpha/deliverables/final.md")
        calls = len(gate.asked)
        assert hub.agenttalk("run", "plan_alpha").expect(0).out.startswith("plan_alpha: completed")
        assert len(gate.asked) == calls, "a finished plan is not run again"
        hub.agenttalk("run", "plan_alpha", "--fresh").expect(0)
        assert len(gate.asked) == calls + 2


def test_run_works_on_the_named_plan_alone(box):
    """An unfinished plan neither runs nor blocks its agents while another one is run; its own run finishes it."""
    gate = Gate()
    with Journey(box, gate, AGENTS) as hub:
        hub.write("a.yaml", plan("alpha", "alpha"))
        hub.write("b.yaml", plan("beta", "beta"))
        gate.closed.add("alpha")
        running = hub.spawn("run", "a.yaml")
        wait_for(lambda: gate.asked, "a call")
        running.kill()
        running.wait()
        asked = gate.asked.count("alpha")
        # The writer's only slot was taken by alpha when the process was killed.
        assert hub.agenttalk("run", "b.yaml").expect(0).out.startswith("plan_beta: completed")
        assert gate.asked.count("alpha") == asked and gate.asked.count("beta") == 2, gate.asked
        assert state(hub, "alpha") == "running"
        gate.closed.clear()
        assert hub.agenttalk("run", "a.yaml").expect(0).out.startswith("plan_alpha: completed")


def test_a_second_run_joins_the_first_and_outlives_it(box):
    """Two runs at once share one process; when the first one's plan has ended the second one continues by itself."""
    gate = Gate()
    with Journey(box, gate, AGENTS) as hub:
        hub.write("a.yaml", plan("alpha", "alpha"))
        hub.write("b.yaml", plan("beta", "beta"))
        gate.closed.update(("alpha", "beta"))
        first = hub.spawn("run", "a.yaml")
        wait_for(lambda: "alpha" in gate.asked, "alpha's call")
        second = hub.spawn("run", "b.yaml")
        wait_for(lambda: json.loads(hub.agenttalk("plans", "--json").out)[1:], "the second plan")
        gate.closed.discard("alpha")
        assert first.wait(60) == 0, first.stderr.read()
        gate.closed.clear()
        assert second.wait(60) == 0, second.stderr.read()
        assert {row["state"] for row in hub.json("plans")} == {"completed"}


def test_the_team_changes_while_it_is_served(box):
    """A valid change applies within a heartbeat, an invalid one changes nothing and raises an alert."""
    gate = Gate()
    with Journey(box, gate, AGENTS, heartbeat={"interval_seconds": 0.2}) as hub:
        hub.start()
        hub.write("agents/critic/inbox/notes.txt", "for later")
        wait_for(lambda: [row for row in hub.json("agents") if row["state"] == "undeclared"], "the stray inbox")
        assert "there is no agent critic" in hub.agenttalk("doctor").expect(0).out
        broken = {**hub.config, "agents": {**AGENTS, "critic": {"promt": "You criticise."}}}
        hub.write("agenttalk.yaml", json.dumps(broken))
        alert = wait_for(lambda: [q for q in hub.json("questions") if "promt" in q["text"]], "the alert")
        assert alert[0]["kind"] == "alert" and 'did you mean "prompt"' in alert[0]["text"], alert
        assert [row["agent_id"] for row in hub.json("agents") if row["state"] != "undeclared"] == ["editor", "writer"]
        broken["agents"]["critic"] = {"prompt": "You criticise."}
        hub.write("agenttalk.yaml", json.dumps(broken))
        wait_for(lambda: "critic" in [row["agent_id"] for row in hub.json("agents") if row["state"] != "undeclared"], "critic")
        text = plan("gamma", "gamma").replace("agent: editor", "agent: critic")
        hub.write("plan.yaml", text)
        assert hub.agenttalk("run", "plan.yaml").expect(0).out.startswith("plan_gamma: completed")
        assert "You criticise." in (box.dir / "model.jsonl").read_text()
        hub.restart("kill")
        assert "critic" in [row["agent_id"] for row in hub.json("agents")]
        hub.stop()


def test_a_model_server_that_is_down_is_told_once(box):
    """The cause once, what to do once; when the server is there, run continues."""
    gate = Gate()
    with Journey(box, gate, AGENTS) as hub:
        right = json.dumps(hub.config)
        hub.config["providers"]["mindful"].update(base_url="http://127.0.0.1:9/v1", max_retries=0)
        hub.write("agenttalk.yaml", json.dumps(hub.config))
        hub.write("plan.yaml", plan("alpha", "alpha"))
        said = hub.agenttalk("run", "plan.yaml").expect(1).err
        assert "start the model server, then `agenttalk run plan_alpha`" in said, said
        assert said.count("was not reached") == 1, said
        quiet = hub.agenttalk("run", "alpha", "--quiet").expect(1).err
        assert quiet.count("was not reached") == 1 and "agenttalk run plan_alpha" in quiet, quiet
        # A failed command is an alert: apart from the questions, and nothing waits for an answer.
        shown = hub.agenttalk("questions").expect(0)
        assert "no open questions" in shown.err and shown.out.startswith("Alerts (they need no answer"), shown
        assert "agenttalk answer" not in shown.out, shown.out
        status = hub.json("status", "alpha")
        assert status["questions"] == [] and status["alerts"], status
        assert "open questions" not in hub.agenttalk("status", "alpha").expect(0).out
        hub.write("agenttalk.yaml", right)
        assert hub.agenttalk("run", "alpha").expect(0).out.startswith("plan_alpha: completed")
        assert hub.agenttalk("questions").expect(0).out == "", "the alerts close with their cause"


def gated(name):
    return plan(name, name).replace("outputs: [final.md]}", "outputs: [final.md], gate: human}")


def test_an_approval_takes_nothing_but_a_decision(box):
    """An empty answer and a "yes" are refused, by verb and by file, and leave the question open; the list says what to type."""
    gate = Gate()
    with Journey(box, gate, AGENTS) as hub:
        hub.write("plan.yaml", gated("alpha"))
        hub.agenttalk("run", "plan.yaml", "--quiet").expect(3)
        question = hub.json("questions")[0]["id"]
        shown = hub.agenttalk("questions").expect(0).out
        assert f'Answer: agenttalk answer {question} --approve, or agenttalk answer {question} --reject "REASON"' in shown, shown
        for words in ([], ["yes"], [""]):
            said = hub.agenttalk("answer", question, *words).expect(2).err
            assert f"{question} asks for a decision" in said and "--approve" in said, said
        said = hub.agenttalk("answer", "q_99999", "--approve").expect(1).err
        assert "q_99999 is not an open question" in said and f"open: {question}" in said, said
        hub.start()
        hub.write("human/outbox/yes.json", json.dumps({"id": question, "text": "yes"}))
        wait_for(lambda: hub.json("dead", "list"), "the refusal of the file")
        assert [one["id"] for one in hub.json("questions") if one["kind"] != "alert"] == [question]
        hub.restart("kill")
        hub.agenttalk("answer", question, "--reject", "shorter").expect(0)
        again = wait_for(lambda: [q["id"] for q in hub.json("questions") if q["kind"] == "approve" and q["id"] != question], "the question")
        hub.agenttalk("answer", again[0], "--approve").expect(0)
        wait_for(lambda: state(hub, "alpha") == "completed", "the end")
        hub.stop()


def test_a_team_that_was_edited_is_the_team_of_the_next_run(box):
    """Whoever edits agenttalk.yaml and runs a plan does not have to wait for a heartbeat of the server."""
    gate = Gate()
    with Journey(box, gate, AGENTS, heartbeat={"interval_seconds": 3600}) as hub:
        hub.start()
        hub.write("agenttalk.yaml", json.dumps({**hub.config, "agents": {**AGENTS, "critic": {"prompt": "You criticise."}}}))
        hub.write("plan.yaml", plan("gamma", "gamma").replace("agent: editor", "agent: critic"))
        assert hub.agenttalk("run", "plan.yaml").expect(0).out.startswith("plan_gamma: completed")
        assert "You criticise." in (box.dir / "model.jsonl").read_text()
        hub.stop()


def test_a_word_starts_no_goal(box):
    """What could be the id of a plan is never a goal: a typing mistake costs nothing."""
    gate = Gate()
    with Journey(box, gate, AGENTS) as hub:
        hub.write("plan.yaml", plan("alpha", "alpha"))
        said = hub.agenttalk("run", "alpha").expect(2).err
        assert "plan_alpha has not been started" in said and "`agenttalk run plan.yaml` starts it" in said, said
        said = hub.agenttalk("run", "weekly-report").expect(2).err
        assert "there is no plan weekly-report" in said and "in quotes" in said, said
        assert not gate.asked and hub.json("plans") == []


def test_plans_are_named_alike(box):
    """Forks have ids as other plans have; the beginning of an id is enough where one plan has it."""
    gate = Gate()
    with Journey(box, gate, AGENTS) as hub:
        hub.write("plan.yaml", plan("alpha", "alpha"))
        hub.agenttalk("run", "plan.yaml", "--quiet").expect(0)
        hub.agenttalk("fork", "alpha", "--from", "final", "--prompt", "beta final", "--quiet").expect(0)
        hub.agenttalk("fork", "alpha", "--from", "final", "--prompt", "gamma final", "--as", "other", "--quiet").expect(0)
        assert {row["plan_id"] for row in hub.json("plans")} == {"plan_alpha", "plan_alpha-fork1", "plan_other"}
        assert hub.json("status", "othe")["plan_id"] == "plan_other"
        assert hub.json("status", "alpha")["plan_id"] == "plan_alpha", "a whole id is meant before a beginning"
        hub.agenttalk("status", "alph").expect(2)  # two could be meant
        assert hub.agenttalk("diff", "alpha", "plan_othe").expect(0).out.startswith("plan_alpha: ")


def test_a_stopped_run_says_that_it_is_stopped(box):
    """After Ctrl-C the last line does not say "running"."""
    gate = Gate()
    with Journey(box, gate, AGENTS) as hub:
        hub.write("plan.yaml", plan("alpha", "alpha"))
        gate.closed.add("alpha")
        running = hub.spawn("run", "plan.yaml")
        wait_for(lambda: gate.asked, "a call")
        running.send_signal(signal.SIGINT)
        said, _ = running.communicate(timeout=30)
        gate.closed.clear()
        assert said.startswith("plan_alpha: stopped, 0 of 2 tasks completed"), said
        assert [line.split()[1] for line in hub.agenttalk("plans").expect(0).out.splitlines()] == ["state", "stopped"]
