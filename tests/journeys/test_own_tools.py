"""A team brings its own tools: declared in agenttalk.yaml, run in the sandbox, offered to a model that knows only what its
request says; repeated after a crash, or asked about, as their declaration says."""

import json
import signal

from journey import Journey, wait_for
from mindful_model import call
from sandbox import need_bubblewrap
from test_files import CSV

PLAN = """
plan: sums
goal: What the team spent
files: [data.csv]
tasks:
  - id: add
    agent: analyst
    prompt: Add the column amount of data.csv up.
    inputs: [data.csv]
    outputs: [total.json]
"""

TALLY = """
import csv, json, sys
rows = list(csv.DictReader(open(sys.argv[1])))
total = sum(int(row[sys.argv[2]]) for row in rows)
json.dump({"total": total}, open("outputs/total.json", "w"))
print("the total is", total)
"""

TOOLS = {
    "tally": {
        "description": "Adds up a column of a CSV file and leaves outputs/total.json.",
        "command": ["python3", "tools/tally.py", "{path}", "{column}"],
        "schema": {"type": "object", "required": ["path", "column"], "additionalProperties": False,
                   "properties": {"path": {"type": "string"}, "column": {"enum": ["name", "amount"]}}},
    },
}

ANALYST = {"name": "Analyst", "prompt": "You calculate.", "tools": ["tally"]}


def make(hub):
    need_bubblewrap()
    hub.write("data.csv", CSV)
    hub.write("plan.yaml", PLAN)
    hub.write("tools/tally.py", TALLY)


def tally_mind(request):
    """Misspells an argument first, and knows what to correct from the refusal alone."""
    request.need("Add the column amount of data.csv up.")
    tool = request.tool("tally")
    assert "outputs/total.json" in tool["description"], tool
    results = request.tool_results()
    path = request.path("data.csv")
    if not results:
        return call("tally", pth=path, column="amounts")
    if len(results) == 1:
        assert '"path" is missing' in results[0], results[0]
        assert '"pth" is not known (did you mean "path"?)' in results[0], results[0]
        assert '/column: must be one of ["name","amount"], not "amounts"' in results[0], results[0]
        return call("tally", path=path, column="amount")
    assert "the total is 42" in results[1] and "outputs/total.json" in results[1], results[1]
    return {"result": "added up"}


def test_an_own_tool_reads_an_input_and_leaves_an_output(box):
    with Journey(box, tally_mind, {"analyst": ANALYST}, tools=TOOLS) as hub:
        make(hub)
        refused = hub.agenttalk("run", "--plan", "plan.yaml")
        assert refused.code == 4 and "tool tally starts a program in the sandbox" in refused.err, refused.err
        hub.agenttalk("trust").expect(0)
        assert hub.json("run", "--plan", "plan.yaml")["state"] == "completed"
        assert json.loads(hub.read("plans/plan_sums/deliverables/total.json")) == {"total": 42}
        # A changed script is another program.
        hub.write("tools/tally.py", TALLY + "# changed\n")
        assert hub.agenttalk("trust", "--show").code == 4


def test_tools_are_listed_and_tried_by_hand(box):
    with Journey(box, tally_mind, {"analyst": {**ANALYST, "tools": ["tally", "read_file"]}, "editor": {"prompt": "You write."}},
                 tools=TOOLS) as hub:
        make(hub)
        listed = {one["agent_id"]: {tool["name"]: tool for tool in one["tools"]} for one in hub.json("tools")}
        assert listed["editor"] == {}
        assert listed["analyst"]["tally"]["origin"] == {"kind": "own"}
        assert listed["analyst"]["tally"]["idempotent"] is True
        assert listed["analyst"]["read_file"]["origin"] == {"kind": "builtin"}
        table = hub.agenttalk("tools", "analyst").expect(0).out
        assert "tally" in table and "agenttalk.yaml" in table, table
        arguments = json.dumps({"path": "inputs/data.csv", "column": "amount"})
        assert "not trusted" in hub.agenttalk("tool", "call", "tally", arguments).expect(4).err
        hub.agenttalk("trust").expect(0)
        called = hub.json("tool", "call", "tally", arguments, "--file", "data.csv", "--out", "made")
        assert called["ok"] and "the total is 42" in called["output"], called
        assert called["files"] == [{"name": "total.json", "bytes": 13}], called
        assert json.loads(hub.read("made/total.json")) == {"total": 42}
        wrong = hub.agenttalk("tool", "call", "tally", '{"path": 5}')
        assert wrong.code == 2 and '"column" is missing' in wrong.err, wrong.err
        assert 'did you mean "tally"?' in hub.agenttalk("tool", "call", "taly").expect(2).err
        failed = hub.agenttalk("tool", "call", "tally", '{"path": "inputs/none", "column": "amount"}')
        assert failed.code == 1 and "exit code 1" in failed.err and "FileNotFoundError" in failed.out, failed
        assert not (hub.dir / "agents/analyst/workspace/tool_call").exists()


# Runs until somebody lets it end; its scratch folder tells how often it was begun.
SLOW = ["sh", "-c", 'echo begun >> work/runs; until [ -e work/go ]; do sleep 0.02; done; echo "booked $0"', "{what}"]


def slow_tool(**more):
    return {"book": {"description": "Books an amount.", "command": SLOW, **more,
                     "schema": {"type": "object", "required": ["what"], "properties": {"what": {"type": "string"}}}}}


def booking_mind(request):
    request.need("Add the column amount of data.csv up.")
    request.tool("book")
    results = request.tool_results()
    if not results:
        return call("book", what="42")
    return {"result": "booked", "outputs": {"total.json": json.dumps({"said": results[-1]})}}


def begun(hub):
    """The tool's scratch folder, once it runs."""
    found = list((hub.dir / "agents/analyst/workspace").glob("*/*/work"))
    runs = found[0] / "runs" if found else None
    return found[0] if runs and runs.exists() and runs.read_text() else None


def interrupt(hub, how):
    run = hub.spawn("run", "--plan", "plan.yaml")
    folder = wait_for(lambda: begun(hub), "the tool")
    run.send_signal(how)
    run.communicate(timeout=30)
    assert (folder / "runs").read_text() == "begun\n"
    (folder / "go").write_text("")
    return folder


def test_a_tool_that_may_be_repeated_is_repeated_after_a_kill_and_a_stop(box):
    for how in (signal.SIGKILL, signal.SIGTERM):
        with Journey(box, booking_mind, {"analyst": {**ANALYST, "tools": ["book"]}}, tools=slow_tool(),
                     name=f"hub_{how.name}") as hub:
            make(hub)
            hub.agenttalk("trust").expect(0)
            folder = interrupt(hub, how)
            assert hub.json("run", "--plan", "plan.yaml")["state"] == "completed"
            assert (folder / "runs").read_text() == "begun\nbegun\n"
            assert "booked 42" in hub.read("plans/plan_sums/deliverables/total.json")
            assert hub.json("questions") == []


def test_a_tool_that_may_not_be_repeated_becomes_a_question(box):
    for how in (signal.SIGKILL, signal.SIGTERM):
        with Journey(box, booking_mind, {"analyst": {**ANALYST, "tools": ["book"]}}, tools=slow_tool(idempotent=False),
                     name=f"hub_{how.name}") as hub:
            make(hub)
            hub.agenttalk("trust").expect(0)
            assert hub.json("tools", "analyst")[0]["tools"][0]["idempotent"] is False
            folder = interrupt(hub, how)
            assert hub.agenttalk("run", "--plan", "plan.yaml").code == 3
            question = hub.json("questions")[0]
            assert question["kind"] == "outcome_unknown" and "book" in question["text"], question
            assert (folder / "runs").read_text() == "begun\n", "it was repeated"
            hub.agenttalk("answer", question["id"], "It was booked, I looked it up.", "--approve").expect(0)
            assert hub.json("run", "--plan", "plan.yaml")["state"] == "completed"
            assert (folder / "runs").read_text() == "begun\n", "it was repeated"
            assert "I looked it up" in hub.read("plans/plan_sums/deliverables/total.json")


def test_a_mistake_in_a_declaration_stops_everything(box):
    with Journey(box, booking_mind, {"analyst": {**ANALYST, "tools": ["tully"]}}, tools=TOOLS) as hub:
        make(hub)
        said = hub.agenttalk("validate", "agenttalk.yaml").expect(2)
        assert 'there is no tool "tully"' in said.out + said.err and 'did you mean "tally"?' in said.out + said.err
        assert hub.agenttalk("run", "--plan", "plan.yaml").code == 2


def test_a_tool_that_is_added_while_the_hub_is_served_is_offered(box):
    def mind(request):
        if "tally" not in request.tools:
            return {"result": "no tool", "outputs": {"total.json": "{}"}}
        return tally_mind(request)

    with Journey(box, mind, {"analyst": {"name": "Analyst", "prompt": "You calculate."}}, heartbeat={"interval_seconds": 0.2}) as hub:
        make(hub)
        hub.start()
        config = {**hub.config, "tools": TOOLS, "agents": {"analyst": {**ANALYST, "name": "Tallier"}}}
        hub.drop("agenttalk.yaml", config)
        # A program that nobody has trusted the hub with is not used.
        wait_for(lambda: "not trusted with" in hub.agenttalk("questions").out, "the alert")
        hub.agenttalk("trust").expect(0)
        wait_for(lambda: hub.json("agents")[0]["name"] == "Tallier", "the change")
        assert hub.json("run", "--plan", "plan.yaml")["state"] == "completed"
        assert json.loads(hub.read("plans/plan_sums/deliverables/total.json")) == {"total": 42}
        hub.stop()
