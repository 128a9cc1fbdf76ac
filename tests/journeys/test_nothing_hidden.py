"""Nothing is hidden: what the model server received and sent is found again through `show --json`, byte for byte.

The server records; the program under test is only asked afterwards. Each of the four templates is run, and a goal.
"""

import json
import re
import shutil

from journey import Journey, wait_for
from mindful_model import call, calls_of

KEY = "standin-0123456789abcdef"


# ---- what the models say -------------------------------------------------------------------------------------------

def judged(text, score=95, **more):
    return {"result": text, "score": score, "score_explanation": f"It is worth {score}.", **more}


def report_mind(request):
    if "Write a summary of the week" in request:
        if "too long to be read standing" in request:  # told by the rework
            return judged("Search is fast now. 雪 🙂", 88)
        if request.of("assistant"):  # told by the repair what was wrong
            return {"result": "The team did much.", "score": 40, "score_explanation": "too long to be read standing"}
        return "I would rather write prose."
    return {"result": "A line of text.\n\twith \"quotes\" and ``` fences\n"}


def consensus_mind(request):
    if "Weigh the three judgements" in request:
        return {"outputs": {"decision.md": "We go ahead."}, "result": "We go ahead.", "score": 80,
                "score_explanation": "All three agree."}
    return judged("I go along with it.", 85)


def software_mind(request):
    return judged("print('words')\n", 97)


def stage(action, params):
    return {"thought": f"{action} it is.", "action": action, "params": params, "expectedOutcome": "It goes on.",
            "risk": {"level": "low", "description": "Little."}, "confidence": 90}


def goal_mind(request):
    """By what a stage's prompt asks for."""
    if "You are the understanding agent" in request:
        return stage("INTENT_ANALYSIS", {
            "normalizedIntent": {"goal": "A page about bees", "action": "create", "scope": "full_task", "urgency": "low"},
            "taskRelation": {"type": "different_task", "confidence": 0.9, "reasoning": "Nothing runs."},
            "contextDependency": {"needsCurrentTaskContext": False, "needsExecutionHistory": False,
                                  "referencedEntities": []}})
    if "You are the router agent" in request:
        return stage("ROUTE_DECISION", {"route": "new_task", "payload": {"reason": "New.", "requiresConfirmation": False}})
    if "You are the planner agent" in request:
        return stage("TASK_PLAN", {"tasks": [
            {"id": "facts", "description": "Collect facts. Done when there are three.", "dependencies": [],
             "requiredCapabilities": ["research"], "estimatedDuration": 300000}], "executionOrder": ["facts"]})
    if "You are the reviewer agent" in request:
        return stage("REVIEW_RESULT", {"approved": True, "score": 90, "feedback": "Good.", "requiredFixes": []})
    if "You are the orchestrator agent" in request:
        return stage("PHASE_TRANSITION", {"from": "executing", "to": "ended", "summary": "All is there."})
    if "write_file" not in request.of("assistant"):
        return stage("write_file", {"path": "outputs/facts.md", "content": "bees dance\n"})
    return stage("COMPLETE", {"result": "Bees dance."})


def tool_mind(request):
    if not request.tool_results():
        return call("run_program", argv=["sh", "-c", "echo counted; exit 3"])
    return {"result": "It ended with 3."}


# ---- asking the program --------------------------------------------------------------------------------------------

def shown_commands(hub, **options):
    """Every command of every plan, as `show --json` tells it."""
    commands = []
    for plan in hub.json("plans"):
        status = hub.json("show", plan["plan_id"])
        for command in status["commands"]:
            commands += hub.agenttalk("show", plan["plan_id"], command["command_id"], "--json", **options).json["commands"]
    return commands


def calls_shown(commands, kind):
    return [one for command in commands for attempt in command["attempts"] for one in attempt["calls"] if one["kind"] == kind]


def as_sent(shown):
    """The messages of a shown call, as an OpenAI-compatible server gets them."""
    messages = [("system", shown["request"]["system"], [], None)] if shown["request"]["system"] else []
    for message in shown["request"]["messages"]:
        calls = [(one["name"], one["arguments"]) for one in message.get("tool_calls", [])]
        messages.append((message["role"], message["text"], calls, message.get("tool_call_id")))
    return messages


def as_received(body):
    messages = []
    for message in body["messages"]:
        calls = [(one["function"]["name"], one["function"]["arguments"]) for one in message.get("tool_calls") or []]
        role = "system" if message["role"] == "developer" else message["role"]
        messages.append((role, message.get("content") or "", calls, message.get("tool_call_id")))
    return messages


def text_of(said):
    if calls_of(said):
        return ""
    return said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)


def check_calls(hub, commands):
    """Every exchange that the server recorded is one shown call, and there is no other."""
    shown = calls_shown(commands, "model")
    left = list(shown)
    for exchange in hub.model.exchanges:
        received, said = as_received(exchange["request"]), text_of(exchange["response"])
        found = next((one for one in left if as_sent(one) == received and (one["answer"] or "") == said), None)
        assert found, f"not found again: {received[-1]} → {said}; shown: {[as_sent(one)[-1] for one in left]}"
        left.remove(found)
        for tool in exchange["request"].get("tools", []):
            spec = next(one for one in found["request"]["tools"] if one["name"] == tool["function"]["name"])
            assert json.loads(spec["input_schema"]) == tool["function"]["parameters"], spec
    assert not left, f"shown, but never asked: {left}"
    wanted = [(one["function"]["name"], one["function"]["arguments"]) for exchange in hub.model.exchanges
              for one in calls_of(exchange["response"]) or []]
    made = [(one["name"], one["arguments"]) for one in calls_shown(commands, "tool")]
    assert all(one in made for one in wanted), (wanted, made)


def check_files(hub, commands):
    """Each finished command has a record and a transcript, and both hold what they promise."""
    for plan in hub.json("plans"):
        for command in hub.json("show", plan["plan_id"])["commands"]:
            name, agent = command["command_id"], command["agent"]
            record = json.loads(hub.read(f"agents/{agent}/outbox/{plan['plan_id']}/record_{name}.json"))
            shown = next(one for one in commands if one["command_id"] == name)
            assert record["state"] == shown["state"] and record["result"] == shown["result"], record
            assert record["message"] == shown["message"] is not None, record
            transcript = hub.read(f"agents/{agent}/logs/{plan['plan_id']}/{name}.md")
            for one in calls_shown([shown], "model"):
                assert one["request"]["system"] in transcript and (one["answer"] or "") in transcript, transcript
                assert one["request"]["messages"][0]["text"] in transcript, transcript
            for one in calls_shown([shown], "tool"):
                assert one["arguments"] in transcript and one["output"] in transcript, transcript
            for output in shown["outputs"]:
                raw = hub.agenttalk("show", plan["plan_id"], "--file", output["name"]).expect(0).out.encode()
                assert (hub.dir / f"agents/{agent}/outbox/{plan['plan_id']}/{output['name']}").read_bytes() == raw


def visible_files(hub):
    return {str(path.relative_to(hub.dir)): path.read_bytes() for top in ("agents", "plans")
            for path in sorted((hub.dir / top).rglob("*")) if path.is_file() and "workspace" not in path.parts}


def check_repair(hub, env=None):
    """Everything under agents/ and plans/ is made again, byte for byte."""
    before = visible_files(hub)
    assert any(path.endswith(".md") and "/logs/" in path for path in before), before.keys()
    for top in ("agents", "plans"):
        shutil.rmtree(hub.dir / top)
    report = hub.json("repair", env=env)
    assert report["failed"] == [], report
    after = visible_files(hub)
    assert set(after) == set(before), set(after) ^ set(before)
    assert {path for path in before if before[path] != after[path]} == set()
    assert hub.json("doctor", env=env)["files"]["differences"] == []


def check_secret(hub, env):
    """The key is in no file and no output."""
    for path, data in visible_files(hub).items():
        ours = "/logs/" in path or "record_" in path  # what a person put into a box stays as it is
        assert not ours or KEY.encode() not in data, path
    for plan in hub.json("plans"):
        name = plan["plan_id"]
        for arguments in (["show", name], ["log", name], ["trace", name], ["log", name, "--json"], ["trace", name, "--json"]):
            assert KEY not in hub.agenttalk(*arguments, env=env).expect(0).out, arguments
        for command in hub.json("show", name)["commands"]:
            for more in ([], ["--json"]):
                out = hub.agenttalk("show", name, command["command_id"], *more, env=env).expect(0).out
                assert KEY not in out, out


def check_all(hub, env=None):
    hub.expect_nothing_missing()
    commands = shown_commands(hub, env=env)
    check_calls(hub, commands)
    check_files(hub, commands)
    check_repair(hub, env)
    return commands


class Template(Journey):
    """A hub made by `init --template`, with the stand-in server as its provider."""

    def __init__(self, box, mind, template):
        super().__init__(box, mind, {}, name="unused")
        self.dir = box.dir / "hub"
        box.run("init", "hub", "--template", template).expect(0)
        config = self.read("agenttalk.yaml")
        provider = json.dumps(self.model.config(api_key_env="STANDIN_KEY"))
        config = re.sub(r"^provider: .*\n", "", config, flags=re.M)
        config = re.sub(r"budget_usd: \d+, ", "", config)
        if "\nproviders:\n" in config:
            config = config.replace("\nproviders:\n", f"\nprovider: mindful\nproviders:\n  mindful: {provider}\n")
        else:
            config += f"\nprovider: mindful\nproviders:\n  mindful: {provider}\n"
        self.write("agenttalk.yaml", config)
        self.env = {"STANDIN_KEY": KEY}
        box.run("trust", "--hub", "hub").expect(0)

    def run(self, *arguments, code=0):
        return self.agenttalk("run", *arguments, "--json", env=self.env).expect(code)


def test_the_report_template(box):
    with Template(box, report_mind, "report") as hub:
        notes = next((hub.dir / "notes").iterdir())
        notes.write_text(notes.read_text() + f"\nThe key is {KEY}.\n")
        hub.run("--plan", "plan.yaml")
        commands = check_all(hub, hub.env)
        summaries = [one for one in commands if one["task_id"] == "summarise"]
        assert len(summaries) == 2, "it was reworked once"
        first = summaries[0]["attempts"][0]["calls"]
        assert first[0]["answer"] == "I would rather write prose." and first[0]["refused"], first[0]
        assert "too long to be read standing" in summaries[1]["rework"]["reason"]
        check_secret(hub, hub.env)
        text = hub.agenttalk("show", "plan_weekly-report", "summarise").expect(0).out
        for part in ("I would rather write prose.", "refused", "too long to be read standing", "The team did much."):
            assert part in text, text
        assert hub.agenttalk("show", "plan_weekly-report", "summarise", "--result").expect(0).out == "Search is fast now. 雪 🙂\n"


def test_the_consensus_template(box):
    with Template(box, consensus_mind, "consensus") as hub:
        hub.run("--plan", "plan.yaml")
        check_all(hub)


def test_the_software_template(box):
    with Template(box, software_mind, "software") as hub:
        hub.run("--plan", "plan.yaml", code=3)
        question = hub.json("questions")[0]
        hub.agenttalk("answer", question["id"], "--approve", env=hub.env).expect(0)
        hub.run("--plan", "plan.yaml")
        check_all(hub)


def test_the_blank_template(box):
    """An open command that sends its result to nobody: the record has it, and the rendered message."""
    with Template(box, lambda request: {"result": "Four."}, "blank") as hub:
        command = {"command_id": "cmd_sum", "plan_id": "plan_open", "prompt": "What is two and two?",
                   "on_complete": {"message_template": "{agent_id} says {result}"}}
        hub.write("cmd_sum.json", json.dumps(command))
        hub.agenttalk("send", "cmd_sum.json", "--to", "assistant", env=hub.env).expect(0)
        hub.agenttalk("serve", "--until-idle", env=hub.env).expect(0)
        commands = check_all(hub)
        assert commands[0]["message"] == "assistant says Four."
        again = hub.agenttalk("send", "cmd_sum.json", "--to", "assistant", "--json", env=hub.env).expect(0).json
        assert again["status"] == "duplicate" and again["record"]["message"] == "assistant says Four.", again


def test_a_goal_run_with_a_tool(box):
    agents = {"ann": {"name": "Ann", "prompt": "You are Ann.", "capabilities": ["research"], "tools": ["write_file"]}}
    with Journey(box, goal_mind, agents) as hub:
        hub.agenttalk("run", "A page about bees", "--yes", "--json").expect(0)
        commands = check_all(hub)
        tools = calls_shown(commands, "tool")
        assert [one["name"] for one in tools] == ["write_file"], tools
        assert json.loads(tools[0]["arguments"])["content"] == "bees dance\n"


PLAN = """
plan: count
goal: Count
tasks:
  - id: count
    agent: ann
    prompt: Count with a program.
"""


def test_tool_calls_and_a_kill_in_the_middle(box):
    """argv and exit code are told; a call that was made twice is shown as made twice."""
    agents = {"ann": {"name": "Ann", "prompt": "You are Ann.", "tools": ["run_program"], "permissions": ["run_program"]}}
    gate = {"open": False, "seen": 0}

    def mind(request):
        if request.tool_results() and not gate["open"]:
            gate["seen"] += 1
            wait_for(lambda: gate["open"], "the second process")
        return tool_mind(request)

    with Journey(box, mind, agents) as hub:
        hub.write("plan.yaml", PLAN)
        run = hub.spawn("run", "--plan", "plan.yaml", "--json")
        wait_for(lambda: gate["seen"], "the second call")
        run.kill()
        run.wait()
        gate["open"] = True
        hub.agenttalk("run", "--plan", "plan.yaml", "--json").expect(0)
        commands = hub.json("show", "plan_count", "count")["commands"]
        models, tools = calls_shown(commands, "model"), calls_shown(commands, "tool")
        asked = sum(1 + len(one["restarts"]) for one in models)
        assert len(hub.model.requests) == asked == 3, (len(hub.model.exchanges), asked)
        assert tools[0]["exit_code"] == 3 and "counted" in tools[0]["output"], tools
        trace = hub.agenttalk("trace", "plan_count", "count").expect(0).out
        assert "exit code 3" in trace and "made 2 times" in trace and "echo counted" in trace, trace
        log = hub.agenttalk("log", "plan_count").expect(0).out
        assert "exit code 3" in log and "made again" in log and "E1" not in log, log
        check_repair(hub)
