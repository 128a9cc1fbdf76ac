"""Time travel: a plan as it was, a plan that shares another one's past, two plans side by side, a history as a tree."""

import json

from test_run import PLAN as UNGATED, make as make_hub

HUB = """
version: 1
provider: offline
providers:
  offline: {kind: scripted, answers: answers.yaml, model: small}
agents:
  ann: {name: Ann, prompt: You are Ann.}
  bob: {name: Bob, prompt: You are Bob.}
  cyd: {name: Cyd, prompt: You are Cyd.}
"""

# What the first task makes counts when a person has approved it.
PLAN = UNGATED.replace("outputs: [facts.txt]}", "outputs: [facts.txt], gate: human}")

ANSWERS = """
- when: {task: write, contains: "Shorter"}
  answer: {result: "one\\nthree\\n", score: 95}
- when: {task: write, agent: cyd}
  answer: {result: "by cyd", score: 95}
- when: {task: write, contains: "Rework"}
  answer: {result: "one\\ntwo\\nthree\\n", score: 90}
- when: {task: write}
  answer: {result: "a draft", score: 50, score_explanation: "too short"}
- when: {task: collect}
  answer: {result: "the facts"}
- answer: {result: "the report"}
"""


def make(box):
    make_hub(box, PLAN, ANSWERS, HUB)
    call(box, "run", "--plan", box.dir / "hub/plan.yaml", "--yes")


def call(box, *arguments, code=0):
    return box.run(*arguments, "--hub", box.dir / "hub").expect(code)


def ask(box, *arguments, code=0):
    return json.loads(call(box, *arguments, "--json", code=code).out.splitlines()[-1])


def log(box, plan="plan_report"):
    return [json.loads(line) for line in call(box, "log", plan, "--json").out.splitlines()]


def states(status):
    return {task["task_id"]: task["state"] for task in status["tasks"]}


def test_a_plan_is_shown_as_it_was(box):
    """`replay --at N` folds the events up to N, in the shape of `status`."""
    make(box)
    events = log(box)
    done = next(event["seq"] for event in events if event["type"] == "task_completed")
    past = ask(box, "replay", "plan_report", "--at", done)
    assert states(past)["collect"] == "COMPLETED" and states(past)["publish"] == "PENDING", past
    assert past["state"] in ("running", "waiting") and past["at"]["seq"] == done
    now = ask(box, "status", "plan_report")
    assert now.pop("active") is False and now.pop("updated_at")  # of the present, not of the plan
    end = ask(box, "replay", "plan_report")
    assert {key: end[key] for key in now} == now, (end, now)
    asked = next(event["seq"] for event in events if event["type"] == "question_asked")
    assert ask(box, "replay", "plan_report", "--at", asked)["questions"] == [f"q_{asked}"]
    text = call(box, "replay", "plan_report", "--at", done).out
    assert text.startswith(f"after event {done}, 20") and "collect" in text, text


def test_a_time_before_the_plan_is_refused(box):
    """There is nothing to show before a plan's first event, and it is said which that is."""
    make(box)
    outcome = call(box, "replay", "plan_report", "--at", 1, code=2)
    assert "its first event is" in outcome.err, outcome
    assert "did you mean \"plan_report\"?" in call(box, "replay", "plan_reprot", code=2).err
    assert "did you mean \"plan_report\"?" in call(box, "status", "reprot", code=2).err
    assert call(box, "status", "report").out.startswith("plan_report: ")  # the prefix may be left out
    call(box, "replay", "plan_report", "--at", "x", code=2)


def test_a_fork_takes_over_what_came_before(box):
    """Upstream results are kept without a model or a person; the task and all after it run again."""
    make(box)
    report = ask(box, "fork", "plan_report", "--from", "write", "--prompt", "Shorter, please.")
    assert report["plan_id"] == "plan_report-fork1" and report["state"] == "completed", report
    events = log(box, "plan_report-fork1")
    calls = [event["command_id"] for event in events if event["type"] == "model_call_intended"]
    assert calls == ["cmd_write_001", "cmd_publish_001"], calls
    assert not any(event["type"] == "question_asked" for event in events)
    forked = next(event for event in events if event["type"] == "plan_forked")["data"]
    assert forked["origin"] == "plan_report" and forked["from_task"] == "write", forked
    assert forked["results"][0]["command_id"] == "cmd_collect_001"
    status = ask(box, "status", "plan_report-fork1")
    assert [task["reused"] for task in status["tasks"]] == [True, False, False]
    assert status["forked_from"]["plan_id"] == "plan_report"
    assert (box.dir / "hub/agents/bob/inbox/plan_report-fork1/facts.txt").read_text() == "the facts"
    call(box, "doctor")


def test_a_fork_may_have_another_agent_or_model(box):
    """The new agent gets what the old one got, and the model is asked for by its name."""
    make(box)
    ask(box, "fork", "plan_report", "--from", "write", "--agent", "cyd", "--as", "plan_cyd")
    draft = ask(box, "diff", "plan_report", "plan_cyd")["tasks"][1]
    assert draft["changed"] == ["agent"] and draft["b"]["agent"] == "cyd", draft
    ask(box, "fork", "plan_report", "--from", "publish", "--model", "large", "--as", "plan_large")
    dag = json.loads((box.dir / "hub/plans/plan_large/task_dag.json").read_text())
    assert [node.get("model") for node in dag["nodes"]] == [None, None, "large"]
    call(box, "fork", "plan_report", "--from", "write", "--as", "plan_cyd", code=1)
    assert 'did you mean "write"?' in call(box, "fork", "plan_report", "--from", "wriet", code=2).err
    assert 'did you mean "cyd"?' in call(
        box, "fork", "plan_report", "--from", "write", "--agent", "cid", code=2).err


def test_a_fork_can_wait_for_the_next_server(box):
    """`--no-run` only records it."""
    make(box)
    made = ask(box, "fork", "plan_report", "--from", "publish", "--no-run")
    assert made["tasks_kept"] == 2 and made["tasks_again"] == 1, made
    call(box, "serve", "--until-idle")
    assert ask(box, "status", "plan_report-fork1")["state"] == "completed"


def test_two_plans_side_by_side(box):
    """Tasks, scores, outputs by hash and by lines, and cost."""
    make(box)
    ask(box, "fork", "plan_report", "--from", "write", "--prompt", "Shorter, please.")
    diff = ask(box, "diff", "plan_report", "plan_report-fork1")
    collect, write, publish = diff["tasks"]
    assert collect["same"] and collect["b"]["reused"] and publish["same"]
    assert not write["same"] and write["changed"] == ["prompt"], write
    assert (write["a"]["score"], write["b"]["score"]) == (90, 95)
    lines = write["outputs"][0]["lines"]
    assert lines["diff"] == ["-two"] and (lines["added"], lines["removed"]) == (0, 1), lines
    text = call(box, "diff", "plan_report", "plan_report-fork1", "--text").out
    assert "90 → 95" in text and "+0 -1" in text and "\n-two\n" in text, text


def test_a_history_is_a_tree(box):
    """`trace` shows tasks, commands, attempts, calls, deliveries and decisions."""
    make(box)
    trace = ask(box, "trace", "plan_report")
    write = next(task for task in trace["tasks"] if task["task_id"] == "write")
    assert [command["command_id"] for command in write["commands"]] == ["cmd_write_001", "cmd_write_002"]
    call_of = write["commands"][0]["attempts"][0]["calls"][0]
    assert call_of["kind"] == "model" and call_of["elapsed_s"] >= 0 and call_of["answer"], call_of
    assert [decision["type"] for decision in write["decisions"]] == ["task_changed", "task_completed"]
    assert write["commands"][1]["deliveries"][0]["to"] == "ann"
    collect = next(task for task in trace["tasks"] if task["task_id"] == "collect")
    assert "question_closed" in [decision["type"] for decision in collect["decisions"]]
    assert trace["tokens"] == ask(box, "status", "plan_report")["tokens"]
    text = call(box, "trace", "plan_report").out
    assert "├─ " in text and "model call 1" in text and "→ bob: facts.txt" in text, text


def test_a_lazy_hub_writes_a_plans_files_when_it_ends(box):
    """While a plan goes on only what others wait for is on disk; at its end everything is; `export` is asking."""
    make(box)
    box.write("hub/agenttalk.yaml", HUB + "mirror: lazy\n")
    box.write("hub/plan.yaml", PLAN.replace("plan: report", "plan: lazy"))
    call(box, "run", "--plan", box.dir / "hub/plan.yaml", code=3)
    hub = box.dir / "hub"
    assert not (hub / "plans/plan_lazy/task_dag.json").exists()
    assert list((hub / "human/inbox").glob("q_*.json")), "a person has to see the question"
    assert not (hub / "plans/plan_lazy/plan_status.json").exists()
    call(box, "doctor")
    asked = ask(box, "export", "plan_lazy")
    assert asked["written"] > 0 and not asked["failed"], asked
    assert json.loads((hub / "plans/plan_lazy/plan_status.json").read_text())["state"] == "waiting"
    assert ask(box, "export", "plan_lazy")["written"] == 0
    call(box, "run", "--plan", hub / "plan.yaml", "--yes")
    assert (hub / "plans/plan_lazy/deliverables/report.txt").read_text() == "the report"
    assert json.loads((hub / "plans/plan_lazy/plan_status.json").read_text())["state"] == "completed"
    full = sorted(path.relative_to(hub).as_posix().replace("plan_report", "plan_lazy")
                  for path in hub.rglob("*") if "plan_report" in path.as_posix() and path.is_file())
    lazy = sorted(path.relative_to(hub).as_posix()
                  for path in hub.rglob("*") if "plan_lazy" in path.as_posix() and path.is_file())
    assert full == lazy, set(full) ^ set(lazy)
    call(box, "doctor")


def test_a_lazy_hub_takes_in_what_strangers_drop(box):
    """Inboxes stay open; what was put off when the machine stopped is made up for."""
    box.write("hub/agenttalk.yaml", HUB + "mirror: lazy\n")
    box.write("hub/answers.yaml", ANSWERS)
    box.write("hub/agents/ann/inbox/cmd_one.json", {
        "command_id": "cmd_one", "plan_id": "plan_open", "prompt": "Do it.", "required_inputs": ["late.txt"],
        "on_complete": {"send_to": ["bob"], "output_name": "done.txt"}})
    call(box, "serve", "--until-idle", code=3)
    assert not (box.dir / "hub/plans/plan_open").exists()
    box.write("hub/agents/ann/inbox/plan_open/late.txt", "here")
    call(box, "serve", "--until-idle")
    assert (box.dir / "hub/agents/bob/inbox/plan_open/done.txt").read_text() == "the report"
    assert ask(box, "status", "plan_open")["state"] == "completed"
    call(box, "doctor")
