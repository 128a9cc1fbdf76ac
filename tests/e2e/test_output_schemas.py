"""What every verb prints with --json is what schemas/output says."""

import json
import pathlib
import re
import shutil

from schema_check import errors

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SCHEMAS = ROOT / "schemas/output"

# Which schema a verb's output follows; None: it has none, and why.
SCHEMA_OF = {
    "init": "init", "ui": "ui", "run": "run", "send": "send", "plans": "plans", "status": "status", "watch": "status",
    "log": "log", "trace": "trace", "show": "show", "replay": "replay", "fork": "run", "diff": "diff", "agents": "agents",
    "providers": "providers", "trust": "trust", "tools": "tools",
    "tool call": "tool_call",  # held to it in test_a_tool_that_is_tried
    "questions": "questions", "answer": "answer", "pause": "control", "resume": "control",
    "cancel": "control", "dead list": "dead_list", "dead show": "dead_show", "dead retry": "dead_close",
    "dead drop": "dead_close", "validate": "validate", "command new": "command_new", "prompt": "prompt",
    "check-output": "validate", "doctor": "doctor", "repair": "repair", "export": "export", "gc": "gc", "import": "import",
    "plan show": "plan_show", "plan append": "plan_show", "plan reset": "plan_show", "plan replace": "plan_show",
    "plan finish": "plan_show", "plan apply": "plan_show",
    "mcp": "mcp_token",  # held to it in tests/journeys/test_mcp_server.py; without --token it speaks MCP
    "say": "say",  # held to it wherever test_goal.py says something
    "serve": None,  # tells on stderr
    "completion": None,  # a script for a shell
    "man": None,  # a page for man
}


def schema(name):
    return json.loads((SCHEMAS / f"{name}.json").read_text(encoding="utf-8"))


def check(text, name, lines=False):
    values = [json.loads(line) for line in text.splitlines()] if lines else [json.loads(text)]
    assert values or lines, name
    for value in values:
        found = errors(value, schema(name))
        assert not found, f"{name}: {found[:5]}\n{json.dumps(value)[:2000]}"
    return values


class Hub:
    def __init__(self, box):
        self.box = box

    def ask(self, verb, *arguments, code=0, lines=False, schema_name=None):
        outcome = self.box.run(*verb.split(), *arguments, "--json", cwd=self.box.dir / "hub").expect(code)
        return check(outcome.out, schema_name or SCHEMA_OF[verb], lines)


def make(box, template="report"):
    outcome = box.run("init", "hub", "--template", template, "--json").expect(0)
    check(outcome.out, "init")
    return Hub(box)


def test_every_verb_has_a_schema(box):
    table = box.run("--help").expect(0).out.split("Verbs:\n")[1].split("\n\n")[0]
    verbs = {re.split(r"\s{2,}", line.strip())[0] for line in table.splitlines()}
    assert verbs <= set(SCHEMA_OF), verbs - set(SCHEMA_OF)
    for name in {name for name in SCHEMA_OF.values() if name}:
        assert (SCHEMAS / f"{name}.json").is_file(), name


def test_a_tool_that_is_tried(box):
    hub = make(box)
    config = json.loads(box.run("agents", "--json", cwd=box.dir / "hub").expect(0).out)
    agent = config[0]["agent_id"]
    text = (box.dir / "hub/agenttalk.yaml").read_text(encoding="utf-8")
    (box.dir / "hub/agenttalk.yaml").write_text(re.sub(rf"^(  {agent}:\n)", r"\1    tools: [list_files]\n", text, flags=re.MULTILINE),
                                                encoding="utf-8")
    tools = hub.ask("tools", agent)[0][0]["tools"]
    assert [tool["name"] for tool in tools] == ["list_files"], tools
    called = hub.ask("tool call", "list_files", "{}")[0]
    assert called["ok"], called


def test_schemas_reject_what_is_not_so(_box):
    assert errors([{"plan_id": "p", "state": "done"}], schema("plans"))
    assert errors({"status": "accepted"}, schema("answer"))
    assert errors({"error": {"code": "lower", "message": "", "hint": ""}}, schema("error"))


def test_a_plans_verbs_print_what_the_schemas_say(box):
    hub = make(box, "software")
    lines = hub.ask("run", "--plan", "plan.yaml", code=3, lines=True)
    check(json.dumps(lines[-1]), "run_report")
    assert len(lines) > 10
    plan = lines[-1]["plan_id"]
    hub.ask("plans")
    hub.ask("agents")
    hub.ask("providers")
    hub.ask("tools")
    hub.ask("trust")
    question = hub.ask("questions")[0][0]["id"]
    hub.ask("status", plan)
    hub.ask("watch", plan, "--once", lines=True)
    hub.ask("answer", question, "--approve")
    hub.ask("run", "--plan", "plan.yaml", lines=True)
    tasks = hub.ask("status", plan)[0]["tasks"]
    hub.ask("watch", plan, lines=True)
    hub.ask("log", plan, lines=True)
    hub.ask("trace", plan)
    task = hub.ask("status", plan)[0]["tasks"][0]["task_id"]
    hub.ask("trace", plan, task)
    hub.ask("show", plan, task)
    files = hub.ask("show", plan, schema_name="show_plan")[0]["files"]
    hub.ask("show", plan, "--file", files[0]["name"], schema_name="show_file")
    hub.ask("replay", plan)
    hub.ask("replay", plan, "--at", hub.ask("log", plan, lines=True)[-5]["seq"])
    hub.ask("fork", plan, "--from", tasks[-1]["task_id"], "--yes", lines=True)
    hub.ask("fork", plan, "--from", tasks[0]["task_id"], "--no-run", schema_name="fork")
    hub.ask("diff", plan, f"{plan}-fork1")
    hub.ask("diff", plan, f"{plan}-fork2")
    hub.ask("export", plan)
    hub.ask("export", plan, "--archive", "plan.tar", schema_name="archive")
    hub.ask("gc", plan, "--dry-run")
    hub.ask("gc", plan)
    hub.ask("import", "plan.tar")
    hub.ask("doctor")
    hub.ask("repair")
    hub.ask("pause", f"{plan}-fork2")
    hub.ask("resume", f"{plan}-fork2")
    hub.ask("cancel", f"{plan}-fork2")


def test_an_open_plans_verbs_print_what_the_schemas_say(box):
    hub = make(box)
    command = {"command_id": "cmd_x", "plan_id": "plan_open", "prompt": "Go.", "required_inputs": ["never.txt"],
               "on_complete": {"send_to": ["nobody"]}}
    box.write("hub/cmd_x.json", command)
    box.write("hub/notes.txt", "notes")
    hub.ask("send", "cmd_x.json", "--to", "analyst")
    hub.ask("send", "notes.txt", "--to", "analyst", "--plan", "plan_open")
    hub.ask("send", "notes.txt", "--to", "analyst")
    box.write("hub/agents/analyst/inbox/cmd_bad.json", "{")
    box.run("serve", "--until-idle", "--json", cwd=box.dir / "hub").expect(3)
    hub.ask("status", "plan_open")
    hub.ask("trace", "plan_open")
    letter = hub.ask("dead list")[0][0]["id"]
    hub.ask("dead show", letter)
    box.run("dead", "retry", letter, "--json", cwd=box.dir / "hub")
    hub.ask("dead drop", letter)


def test_the_plan_verbs_print_what_the_schemas_say(box):
    hub = make(box)
    hub.ask("plan append", "plan_hand", "--task", "one", "--instruction", "Go.", "--assignee", "analyst")
    hub.ask("plan append", "plan_hand", "--task", "two", "--needs", "one", "--instruction", "Go on.", "--assignee", "editor")
    hub.ask("plan replace", "plan_hand", "--task", "two", "--needs", "one", "--instruction", "Stop.", "--assignee", "editor")
    hub.ask("plan show", "plan_hand")
    hub.ask("plan finish", "plan_hand", "--result", "done")
    hub.ask("plan reset", "plan_hand", "--task", "one")
    box.write("hub/batch.json", [{"command_name": "reset_task", "args": {"task_id": "one"}}])
    hub.ask("plan apply", "plan_hand", "batch.json")
    outcome = box.run("plan", "append", "plan_hand", "--task", "one", "--instruction", "x", "--assignee", "nobody",
                      "--json", cwd=box.dir / "hub").expect(2)
    check(outcome.out, "error")


def test_checks_print_what_the_schemas_say(box):
    hub = make(box)
    hub.ask("validate", "plan.yaml", "agenttalk.yaml")
    box.write("hub/cmd_bad.json", {"command_id": 5, "plan_id": "../x"})
    hub.ask("validate", "cmd_bad.json", code=2)
    hub.ask("command new", "--set", "plan_id=plan_x", "--set", "prompt=Go.")
    hub.ask("command new", "--set", "plan_id=plan_x", code=2)
    hub.ask("prompt", "planner")
    box.write("hub/answer.json", {"thought": "x"})
    hub.ask("check-output", "planner", "answer.json", code=2)


def test_errors_print_what_the_schema_says(box):
    hub = make(box)
    for arguments, code in ((["status", "plan_no"], 2), (["nonsense"], 2), (["run"], 2), (["replay", "x", "--at", "y"], 2),
                            (["diff", "a", "b"], 2), (["fork", "a", "--from", "b"], 2), (["export", "a"], 2),
                            (["answer", "q_1"], 2), (["dead", "show", "dl_1"], 2), (["trace", "plan_no"], 2)):
        outcome = hub.box.run(*arguments, "--json", cwd=box.dir / "hub")
        assert outcome.code in (code, 1), outcome
        check(outcome.out, "error")
    shutil.rmtree(box.dir / "hub")
    check(box.run("status", "p", "--json").expect(4).out, "error")
