"""A goal with files: understood, planned, executed with tools, reviewed, delivered, by a model that knows only what it is
told; also when the program is stopped or killed during any of its answers."""

import json
import re
import signal

from journey import Journey
from mindful_model import missing
from sandbox import need_bubblewrap

GOAL = "A short report on sales and complaints"
SALES = "month,amount\njan,10\nfeb,20\nmar,12\n"
VOICES = "Too slow, says Ann.\nToo slow, says Bob.\nToo dear, says Cid.\n"

TEAM = {
    "analyst": {"name": "Analyst", "prompt": "You calculate.", "capabilities": ["analysis"],
                "tools": ["read_file", "write_file", "run_program"], "permissions": ["run_program"]},
    "editor": {"name": "Editor", "prompt": "You write.", "capabilities": ["writing"]},
}

SCRIPT = """
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
open(sys.argv[2], "w").write("Total: %d\\n" % sum(int(row["amount"]) for row in rows))
"""


def answer(action, params, risk="low", **more):
    return {"thought": "It follows from what is given.", "action": action, "params": params,
            "expectedOutcome": "The next step can begin.", "risk": {"level": risk, "description": "None to speak of."},
            "confidence": 95, **more}


def understanding(request):
    request.need(GOAL), request.need("sales.csv"), request.need("voices.txt")
    return answer("INTENT_ANALYSIS", {
        "normalizedIntent": {"goal": GOAL, "action": "create", "scope": "full_task", "urgency": "medium"},
        "taskRelation": {"type": "different_task", "confidence": 0.95, "reasoning": "Nothing is under way."},
        "contextDependency": {"needsCurrentTaskContext": False, "needsExecutionHistory": False, "referencedEntities": []}})


def router(request):
    request.need("different_task")
    return answer("ROUTE_DECISION", {"route": "new_task", "payload": {"reason": "A new goal.", "requiresConfirmation": False}})


def planner(request):
    """Plans from the names and the first lines of the files, and from the team's capabilities."""
    request.need(GOAL), request.need("month,amount"), request.need("Too slow, says Ann.")
    request.find(r'"bytes": (%d)\b' % len(SALES), "the size of sales.csv")
    request.need("analysis"), request.need("writing")
    request.need('"inputs"'), request.need('"outputs"')
    return answer("TASK_PLAN", {"tasks": [
        {"id": "figures", "description": "Add the amounts of sales.csv up. Done when figures.md has the total.",
         "dependencies": [], "requiredCapabilities": ["analysis"], "estimatedDuration": 300000,
         "inputs": ["sales.csv"], "outputs": ["figures.md"]},
        {"id": "report", "description": "Write two lines: the total of figures.md, the main complaint of voices.txt. Done "
                                        "when report.md has both.",
         "dependencies": ["figures"], "requiredCapabilities": ["writing"], "estimatedDuration": 300000,
         "inputs": ["figures.md", "voices.txt"], "outputs": ["report.md", "sources.json"]}],
        "executionOrder": ["figures", "report"]})


def review(request):
    if '"subject": "plan"' in request:
        request.need("figures.md"), request.need("voices.txt")
    elif '"id": "figures"' in request:
        request.need("Total: 42"), request.need("feb,20")  # what was made, and what it was made from
    elif '"id": "report"' in request:
        request.need("Too slow is the main complaint."), request.need("Too dear, says Cid."), request.need('["sales.csv"]')
    else:
        missing("what is to be judged")
    return answer("REVIEW_RESULT", {"approved": True, "score": 95, "feedback": "It is right.", "requiredFixes": []})


def executor(request):
    if request.find(r'"task": \{\s*"id": "(\w+)"', "which task it is") == "figures":
        if "exit code 0" in request:
            return answer("COMPLETE", {"result": "The total is in figures.md."})
        request.need("run_program"), request.need('"argv"')
        return answer("run_program",
                      {"argv": ["python3", "-c", SCRIPT, request.path("sales.csv"), request.path("figures.md")]})
    request.need("Write two lines")
    total = request.find(r"Total: (\d+)", "the content of figures.md")
    request.need("Too slow, says Bob.")
    if "inputs/figures.md" in request:
        return answer("FAIL", {"reason": "an agent without tools was told paths"})
    request.find(r'("outputs": \{"report.md")', "that COMPLETE gives the outputs")
    return answer("COMPLETE", {"result": "written", "outputs": {
        "report.md": f"The total is {total}.\nToo slow is the main complaint.\n", "sources.json": ["sales.csv"]}})


STAGES = {"understanding": understanding, "router": router, "planner": planner, "reviewer": review, "executor": executor,
          "orchestrator": lambda request: answer("PHASE_TRANSITION", {"reason": "Everything is done."})}


def mind(request):
    stage = request.find(r"You are the (\w+) agent", "which stage it is")
    return STAGES[stage](request)


def make(hub):
    hub.write("data/sales.csv", SALES)
    hub.write("data/voices.txt", VOICES)


def run(hub):
    return ["run", GOAL, "--file", "data/*.csv", "--file", "data/voices.txt", "--yes"]


def expect_done(hub):
    plan = hub.json("plans")[0]["plan_id"]
    made = hub.dir / "plans" / plan / "deliverables"
    assert (made / "report.md").read_text() == "The total is 42.\nToo slow is the main complaint.\n"
    assert json.loads((made / "sources.json").read_text()) == ["sales.csv"]
    assert sorted(path.name for path in made.iterdir()) == ["report.md", "sources.json"], list(made.iterdir())


def test_a_goal_with_two_files_becomes_deliverables(box):
    need_bubblewrap()
    with Journey(box, mind, TEAM) as hub:
        make(hub)
        ended = hub.json(*run(hub))
        assert ended["state"] == "completed", ended
        expect_done(hub)
        trace = {task["task_id"]: task for task in hub.json("trace", ended["plan_id"])["tasks"]}
        assert trace["figures"]["estimated_s"] == 300 and trace["figures"]["elapsed_s"] < 300, trace["figures"]
        assert "(estimated 300 s)" in hub.agenttalk("trace", ended["plan_id"]).out
        asked = len(hub.model.requests)
        # The same again asks nobody; other content of a file is planned and done again.
        hub.agenttalk(*run(hub)).expect(0)
        assert len(hub.model.requests) == asked
        hub.write("data/voices.txt", VOICES + "Too slow, says Dan.\n")
        hub.agenttalk(*run(hub)).expect(0)
        assert len(hub.model.requests) > asked
        tools = [event for event in hub.agenttalk("log", hub.json("plans")[0]["plan_id"], "--json").out.splitlines()
                 if '"tool_call_finished"' in event]
        assert len(tools) == 1, "the figures are those of the same file"


def test_a_folder_gives_a_goal_all_its_files(box):
    need_bubblewrap()
    with Journey(box, mind, TEAM) as hub:
        make(hub)
        hub.write("data/.hidden", "no")
        hub.agenttalk("run", GOAL, "--file", "data", "--yes").expect(0)
        expect_done(hub)


def interrupt(box, how):
    need_bubblewrap()
    with Journey(box, mind, TEAM, name="whole") as hub:
        make(hub)
        hub.agenttalk(*run(hub)).expect(0)
        answers = len(hub.model.requests)
    for nth in range(1, answers + 1):
        process, count = None, [0]

        def thinking(request):
            count[0] += 1
            if count[0] == nth:
                process.send_signal(how)
            return mind(request)

        with Journey(box, thinking, TEAM, name=f"hub{nth}") as hub:
            make(hub)
            process = hub.spawn(*run(hub))
            process.communicate()
            hub.agenttalk(*run(hub)).expect(0)
            expect_done(hub)


def test_a_stop_during_any_answer_of_a_goal_loses_nothing(box):
    interrupt(box, signal.SIGTERM)


def test_a_kill_during_any_answer_of_a_goal_loses_nothing(box):
    interrupt(box, signal.SIGKILL)


def test_files_that_no_task_names_are_for_all_of_them(box):
    def thinking(request):
        stage = request.find(r"You are the (\w+) agent", "which stage it is")
        if stage == "planner":
            return answer("TASK_PLAN", {"tasks": [
                {"id": "one", "description": "Say which month is best. Done when it is named.", "dependencies": [],
                 "requiredCapabilities": ["writing"]},
                {"id": "two", "description": "Say it shorter. Done when it is one word.", "dependencies": ["one"],
                 "requiredCapabilities": ["writing"]}]})
        if stage == "executor":
            request.need("feb,20"), request.need("Too dear, says Cid.")
            return answer("COMPLETE", {"result": "feb" if "Say it shorter" in request else "The best month is feb.",
                                       "outputs": {"extra.md": "beside"}})
        if stage == "reviewer":
            return answer("REVIEW_RESULT", {"approved": True, "score": 95, "feedback": "Right.", "requiredFixes": []})
        return STAGES[stage](request)

    with Journey(box, thinking, TEAM) as hub:
        make(hub)
        ended = hub.json(*run(hub))
        assert ended["state"] == "completed", ended
        made = hub.dir / "plans" / ended["plan_id"] / "deliverables"
        assert (made / "two.result.md").read_text() == "feb" and (made / "extra.md").read_text() == "beside"


def test_a_file_that_nobody_gave_is_sent_back_to_the_planner(box):
    plans = []

    def thinking(request):
        if re.search(r"You are the planner agent", request.text) and not plans:
            plans.append(1)
            plan = planner(request)
            plan["params"]["tasks"][0]["inputs"] = ["sale.csv"]
            return plan
        if plans == [1]:
            plans.append(2)
            request.need("sale.csv, which is no file of the goal")
        return mind(request)

    need_bubblewrap()
    with Journey(box, thinking, TEAM) as hub:
        make(hub)
        hub.agenttalk(*run(hub)).expect(0)
        expect_done(hub)


def test_what_cannot_be_given_is_refused_before_anything_runs(box):
    with Journey(box, mind, TEAM) as hub:
        make(hub)
        hub.write("other/sales.csv", "x")
        hub.write("data/my notes.txt", "x")
        for files, word in ((["nothing.csv"], "nothing.csv"), (["data/*.md"], "no file matches"),
                            (["data/sales.csv", "other/sales.csv"], "two files are called sales.csv"),
                            (["data"], "my notes.txt")):
            given = [part for file in files for part in ("--file", file)]
            refused = hub.agenttalk("run", GOAL, *given)
            assert refused.code in (2, 4) and word in refused.err, (refused.code, refused.err)
        assert hub.json("plans") == [] and not hub.model.requests
