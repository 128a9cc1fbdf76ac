"""From a sentence to a result: goals through the six stages, and remarks on plans, by the real binary."""

import collections
import contextlib
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import threading
import time

from schema_check import errors

SAY_SCHEMA = pathlib.Path(__file__).resolve().parent.parent.parent / "schemas/output/say.json"
HUB = {
    "version": 1,
    "provider": "offline",
    "providers": {"offline": {"kind": "scripted", "answers": "answers.yaml"}},
    "agents": {
        "ann": {"name": "Ann", "prompt": "You are Ann.", "capabilities": ["research"], "tools": ["write_file"]},
        "bob": {"name": "Bob", "prompt": "You are Bob.", "capabilities": ["writing", "layout"]},
    },
}
GOAL = "One page about bees"


def output(action, params, **more):
    whole = {"thought": f"I chose {action}.", "action": action, "params": params, "expectedOutcome": "It goes on.",
             "risk": {"level": "low", "description": "Little."}, "confidence": 90}
    return {**whole, **more}


def intent(relation="different_task", confidence=0.9, action="create", goal="A page about bees", **more):
    return output("INTENT_ANALYSIS", {
        "normalizedIntent": {"goal": goal, "action": action, "scope": "full_task", "urgency": "medium"},
        "taskRelation": {"type": relation, "confidence": confidence, "reasoning": "It says so."},
        "contextDependency": {"needsCurrentTaskContext": False, "needsExecutionHistory": False,
                              "referencedEntities": []}}, **more)


def route(way="new_task", confirm=False, control=None, **more):
    payload = {"reason": "By the rules.", "requiresConfirmation": confirm}
    if control:
        payload["controlAction"] = control
    return output("ROUTE_DECISION", {"route": way, "payload": payload}, **more)


def task(name, needs=(), can=("research",), text=None):
    return {"id": name, "description": text or f"Do {name}. Done when it is there.", "dependencies": list(needs),
            "requiredCapabilities": list(can), "estimatedDuration": 300000}


TASKS = (task("facts"), task("page", ["facts"], ["writing"]))


def plan(*tasks, **more):
    tasks = tasks or TASKS
    return output("TASK_PLAN", {"tasks": list(tasks), "executionOrder": [one["id"] for one in tasks]}, **more)


def review(approved=True, score=90, feedback="Good.", fixes=(), **more):
    return output("REVIEW_RESULT", {"approved": approved, "score": score, "feedback": feedback,
                                    "requiredFixes": list(fixes)}, **more)


def complete(result, **more):
    return output("COMPLETE", {"result": result}, **more)


def transition():
    return output("PHASE_TRANSITION", {"from": "executing", "to": "ended", "summary": "Everything is there."})


def when(answer, times=None, **conditions):
    entry = {"when": conditions, "answer": answer}
    if times:
        entry["times"] = times
    return entry


def script(*first):
    """Answers that lead a goal to its end; `first` are looked at before them."""
    return [*first,
            when(intent(), stage="understanding"), when(route(), stage="router"), when(plan(), stage="planner"),
            when(review(), stage="reviewer"), when(transition(), stage="orchestrator"),
            when(complete("Bees dance."), stage="executor", task="facts"),
            when(complete("# Bees\nThey dance."), stage="executor", task="page"),
            when(complete("done"), stage="executor")]


def make(box, *first, answers=None, hub=None):
    box.write("hub/agenttalk.yaml", {**HUB, **(hub or {})})
    box.write("hub/answers.yaml", answers if answers is not None else script(*first))
    return box.dir / "hub"


def run(box, *arguments, goal=GOAL, code=0):
    outcome = box.run("run", goal, "--hub", box.dir / "hub", "--json", *arguments)
    return json.loads(outcome.expect(code).out.splitlines()[-1])


def say(box, name, text, *arguments, code=0):
    outcome = box.run("say", name, text, "--hub", box.dir / "hub", "--json", *arguments)
    line = json.loads(outcome.expect(code).out.splitlines()[-1])
    found = errors(line, json.loads(SAY_SCHEMA.read_text(encoding="utf-8")))
    assert not found, f"{found}\n{line}"
    return line


def events(box, name, *types):
    lines = box.run("log", name, "--hub", box.dir / "hub", "--json").expect(0).out.splitlines()
    return [event for event in map(json.loads, lines) if not types or event["type"] in types]


def stages(box, name):
    return [event["data"]["stage"] for event in events(box, name, "stage_finished")]


def questions(box):
    return [one for one in box.run("questions", "--hub", box.dir / "hub", "--json").expect(0).json
            if one["kind"] != "alert"]


def answer(box, *arguments):
    (question,) = questions(box)
    box.run("answer", question["id"], *arguments, "--hub", box.dir / "hub").expect(0)
    return question


def status(box, name):
    return box.run("status", name, "--hub", box.dir / "hub", "--json").expect(0).json


def test_a_goal_runs_to_its_deliverable(box):
    """run GOAL, in English"""
    hub = make(box)
    line = run(box)
    name = line["plan_id"]
    assert name.startswith("plan_one-page-about-bees-") and line["state"] == "completed", line
    assert (line["tasks_total"], line["tasks_completed"]) == (2, 2)
    (page,) = line["deliverables"]
    assert page == str(hub / f"plans/{name}/deliverables/page.result.md")
    assert (hub / f"plans/{name}/deliverables/page.result.md").read_text() == "# Bees\nThey dance."
    assert stages(box, name) == ["understanding", "router", "planner", "reviewer", "executor", "reviewer",
                                 "executor", "reviewer", "orchestrator"]
    first = events(box, name, "stage_finished")[0]["data"]
    assert first["thought"] == "I chose INTENT_ANALYSIS." and first["risk"] == "low" and first["confidence"] == 90
    agents = {one["task_id"]: one["agent"] for one in status(box, name)["tasks"]}
    assert agents == {"facts": "ann", "page": "bob"}
    text = box.run("trace", name, "--hub", hub).expect(0).out
    assert "INTENT_ANALYSIS (risk low, confidence 9" in text and "I chose TASK_PLAN." in text, text
    before = len(events(box, name))
    assert run(box)["state"] == "completed" and len(events(box, name)) == before, "the same goal asked again"


def test_a_goal_in_chinese(box):
    """run GOAL with language: zh"""
    goal = "写一页关于蜜蜂的介绍"
    hub = make(box, when(intent(goal="介绍蜜蜂"), stage="understanding", contains="# 角色"),
               when(complete("# 蜜蜂"), stage="executor", task="page", contains="# 角色"), hub={"language": "zh"})
    line = run(box, goal=goal)
    assert line["state"] == "completed"
    assert (hub / f"plans/{line['plan_id']}/deliverables/page.result.md").read_text() == "# 蜜蜂"


def test_what_is_not_clear_is_asked_first(box):
    """CLARIFICATION_REQUIRED, exit code 3, and the answer"""
    unclear = output("CLARIFICATION_REQUIRED", {"question": "Bees or beehives?"}, confidence=30,
                     requiresUserConfirmation=True, risk={"level": "medium", "description": "Not understood."})
    make(box, when(unclear, times=1, stage="understanding"),
         when(intent(goal="beehives"), stage="understanding", contains="Beehives, please"))
    name = run(box, code=3)["plan_id"]
    assert status(box, name)["state"] == "waiting"
    assert run(box, "--yes", code=3)["state"] == "waiting", "--yes has no words"
    asked = answer(box, "Beehives, please")
    assert asked["kind"] == "clarify"
    what, leads_to = asked["text"].split("\n")
    assert what == "Bees or beehives?" and asked["choices"] == []
    assert asked["leads_to"] == {"text": "understanding-agent is told your answer and continues."}, asked
    assert leads_to == "Text: " + asked["leads_to"]["text"], asked
    assert run(box)["state"] == "completed"
    assert stages(box, name)[:3] == ["understanding", "understanding", "router"]


def test_a_plan_that_is_sent_back_once_is_made_better(box):
    """the reviewer's feedback reaches the planner"""
    make(box, when(review(False, 40, "No page.", ["Add a page task."]), times=1, stage="reviewer"),
         when(plan(), stage="planner", contains="Add a page task."), when(plan(task("facts")), stage="planner"))
    line = run(box)
    assert line["state"] == "completed" and line["tasks_total"] == 2
    reviews = [one["data"] for one in events(box, line["plan_id"], "work_reviewed")]
    assert [one["approved"] for one in reviews] == [False, True, True, True]


def test_a_result_that_is_sent_back_too_often_goes_to_a_person(box):
    """reworked twice, then an exception, then a person"""
    bad = review(False, 50, "Too thin.", ["Name three facts."])
    escalate = output("USER_ESCALATE", {"question": "The facts stay thin. Go on?", "choices": ["yes", "no"]})
    make(box, when(bad, stage="reviewer", contains='"subject": "result"', times=3),
         when(escalate, stage="orchestrator", contains='"exception": ['))
    name = run(box, code=3)["plan_id"]
    facts = {one["task_id"]: one for one in status(box, name)["tasks"]}["facts"]
    assert facts["state"] == "FAILED" and facts["reworks"] == 2 and facts["attempts"] == 3, facts
    (question,) = questions(box)
    assert "Too thin" in question["text"] and "stay thin" in question["text"] and question["risk"] == "high"
    assert run(box, "--yes", code=3)["state"] == "waiting", "--yes never answers what is of high risk"
    answer(box, "--approve", "Three facts, no more")
    assert run(box)["state"] == "completed"


def test_a_failure_that_a_person_gives_up_fails_the_plan(box):
    make(box, when(output("FAIL", {"reason": "no sources", "tried": []}), stage="executor", task="facts"),
         when(output("EXCEPTION_HANDLE", {"task": "facts", "decision": "retry", "reason": "once more"}),
              stage="orchestrator"))
    name = run(box, code=3)["plan_id"]
    assert len([one for one in stages(box, name) if one == "executor"]) == 3, "twice more, then a person"
    answer(box, "--reject")
    assert status(box, name)["state"] == "failed" and "no sources" in status(box, name)["failure"]


def test_a_capability_that_nobody_has_goes_to_a_person(box):
    """CAPABILITY_MISSING: never a wrong agent"""
    make(box, when(plan(task("facts"), task("song", ["facts"], ["singing"])), stage="planner"))
    name = run(box, code=3)["plan_id"]
    asked = answer(box, "bob")
    assert "CAPABILITY_MISSING" in asked["text"] and "song" in asked["text"] and "singing" in asked["text"]
    assert run(box)["state"] == "completed"
    assert {one["task_id"]: one["agent"] for one in status(box, name)["tasks"]} == {"facts": "ann", "song": "bob"}


def test_what_nobody_else_can_do_a_person_may_do(box):
    make(box, when(plan(task("song", [], ["singing"])), stage="planner"))
    run(box, code=3)
    answer(box, "--approve")
    run(box, code=3)
    answer(box, "la la la")
    line = run(box)
    assert line["state"] == "completed" and open(line["deliverables"][0]).read() == "la la la"


def test_a_router_that_breaks_the_rules_is_overruled(box):
    """the rules are the program's, not the model's"""
    make(box, when(route("continue_execution"), stage="router"))
    name = run(box)["plan_id"]
    (overruled,) = events(box, name, "route_overruled")
    assert overruled["data"]["said"] == "continue_execution" and overruled["data"]["decided"] == "new_task"


def test_a_relation_that_is_not_sure_waits_for_a_decision(box):
    """wait_user_decision, whatever the router says; --yes answers what is of low risk"""
    make(box, when(intent(confidence=0.6), stage="understanding"))
    name = run(box, code=3)["plan_id"]
    (taken,) = events(box, name, "route_taken")
    assert taken["data"]["route"] == "wait_user_decision"
    assert run(box, "--yes")["state"] == "completed"


def test_a_plan_of_high_risk_passes_by_a_person_alone(box):
    make(box, when(plan(risk={"level": "high", "description": "It deletes the archive."}), stage="planner"))
    name = run(box, "--yes", code=3)["plan_id"]
    assert events(box, name, "work_reviewed")[0]["data"]["approved"] is False
    answer(box, "--approve")
    assert run(box, "--yes")["state"] == "completed"


def test_a_plan_that_a_person_rejects_is_given_up_or_made_anew(box):
    make(box, when(plan(confidence=50), stage="planner"))
    name = run(box, code=3)["plan_id"]
    answer(box, "--reject", "Fewer tasks")
    run(box, code=3)
    assert stages(box, name).count("planner") == 2
    answer(box, "--reject")
    line = status(box, name)
    assert line["state"] == "failed" and "PLAN_REJECTED" in line["failure"]


def test_a_stage_that_answers_garbage_three_times_is_escalated(box):
    """ESCALATE to a person; nothing is lost"""
    make(box, when("This is not JSON.", times=3, stage="planner"))
    name = run(box, code=3)["plan_id"]
    assert len(events(box, name, "answer_refused")) == 3
    question = questions(box)[0]
    assert "planner-agent" in question["text"] and "MODEL_OUTPUT_INVALID" in question["text"]
    before = stages(box, name)
    answer(box, "--approve")
    assert run(box)["state"] == "completed"
    assert stages(box, name)[:len(before)] == before and stages(box, name).count("understanding") == 1


def test_a_tool_is_called_by_its_name_and_checked(box):
    """the executor's contract: a tool, then COMPLETE; an unknown tool is repaired"""
    write = output("write_file", {"path": "work/notes.md", "content": "dance"})
    hub = make(box, when(output("fly", {}), stage="executor", task="facts", attempt=1),
               when(write, stage="executor", task="facts", attempt=2))
    name = run(box)["plan_id"]
    (refused,) = events(box, name, "answer_refused")
    assert "fly" in refused["data"]["errors"][0]
    (called,) = events(box, name, "tool_call_finished")
    assert called["data"]["error"] is None
    assert list((hub / "agents/ann/workspace" / name).rglob("notes.md"))


def test_a_tool_call_of_high_risk_waits_for_a_person(box):
    high = {"level": "high", "description": "It overwrites."}
    write = output("write_file", {"path": "work/notes.md", "content": "dance"}, risk=high)
    make(box, when(write, stage="executor", task="facts", attempt=1))
    name = run(box, "--yes", code=3)["plan_id"]
    assert not events(box, name, "tool_call_intended")
    answer(box, "--approve")
    assert run(box)["state"] == "completed" and len(events(box, name, "tool_call_finished")) == 1


def test_values_stay_text(box):
    """a goal with a placeholder and a fake end of a fence"""
    goal = "Explain {{HISTORY}} and >>> and ``` to me"
    make(box, {"when": {"stage": "understanding", "contains": "Explain {{HISTORY}} and >>> and ``` to me"},
               "answer": intent()},
         answers=None)
    assert run(box, goal=goal)["state"] == "completed"


# ---- remarks ----


def finished(box, *first):
    make(box, *first)
    return run(box)["plan_id"]


def remark(relation, confidence=0.9, words="shorter", **more):
    return when(intent(relation, confidence, **more), stage="understanding", contains=words)


def routed(way, **more):
    return when(route(way, **more), stage="router", contains='"state": "COMPLETED"')


def test_a_remark_that_changes_nothing_leaves_the_plan(box):
    """continue_execution"""
    name = finished(box, remark("same_task_no_change"), routed("continue_execution"))
    line = say(box, name, "It is fine, no shorter")
    assert line["state"] == "done" and line["route"] == "continue_execution"
    assert status(box, name)["state"] == "completed" and status(box, name)["revision"] == 1


def test_a_small_remark_patches_the_plan(box):
    """minor_replan: only what is named changes"""
    name = finished(box, remark("same_task_minor_change"), routed("minor_replan"),
                    when(plan(task("page", ["facts"], ["writing"], "Half a page.")), stage="planner",
                         contains="shorter"),
                    when(complete("# Bees"), stage="executor", task="page", contains="Half a page."))
    line = say(box, name, "shorter")
    assert line["route"] == "minor_replan" and line["plan_state"] == "completed", line
    state = status(box, name)
    assert state["revision"] == 2 and [one["reused"] for one in state["tasks"]] == [True, False]
    assert open(box.dir / "hub" / state["deliverables"][0]).read() == "# Bees"


def test_a_large_remark_needs_a_person(box):
    """full_replan"""
    name = finished(box, remark("same_task_major_change"), routed("full_replan", confirm=True),
                    when(plan(task("film", [], ["layout"])), stage="planner", contains="shorter"))
    line = say(box, name, "shorter: a film", code=3)
    assert line["state"] == "open"
    answer(box, "--approve")
    assert run(box)["state"] == "completed"
    assert [one["task_id"] for one in status(box, name)["tasks"]] == ["film"]
    assert status(box, name)["remarks"][-1]["state"] == "done"


def test_another_task_is_another_plan_and_needs_a_person(box):
    """new_task"""
    name = finished(box, remark("different_task"), routed("new_task", confirm=True),
                    when(plan(task("ants")), stage="planner", contains="ants"))
    line = say(box, name, "shorter: something about ants", "--yes")
    assert line["route"] == "new_task" and line["new_plan"].startswith(name + "-"), line
    assert status(box, line["new_plan"])["state"] == "completed"
    assert status(box, name)["revision"] == 1


def test_a_rejected_remark_changes_nothing(box):
    name = finished(box, remark("different_task"), routed("new_task"))
    say(box, name, "shorter", code=3)
    answer(box, "--reject")
    assert status(box, name)["remarks"][-1]["state"] == "dropped"
    assert status(box, name)["state"] == "completed"


def test_a_remark_that_is_not_sure_changes_nothing_without_a_person(box):
    """wait_user_decision"""
    name = finished(box, remark("same_task_minor_change", 0.7), routed("minor_replan"))
    assert say(box, name, "shorter", code=3)["state"] == "open"
    (overruled,) = events(box, name, "route_overruled")
    assert overruled["data"]["decided"] == "wait_user_decision"


def test_a_plan_is_controlled_in_words(box):
    """control_action, in both languages"""
    unclear = output("CLARIFICATION_REQUIRED", {"question": "Which?"}, confidence=30)
    make(box, when(intent("control_instruction", action="query"), stage="understanding", contains="Remark: How far"),
         when(intent("control_instruction", action="modify"), stage="understanding", contains="Remark: hold it"),
         when(intent("control_instruction", action="continue"), stage="understanding", contains="Remark: 继续"),
         when(intent("control_instruction", action="cancel"), stage="understanding", contains="Remark: Drop it"),
         when(route("control_action", control="pause"), stage="router", contains='"modify"'),
         when(route("control_action"), stage="router", contains="control_instruction"),
         when(unclear, stage="planner"))
    name = run(box, code=3)["plan_id"]
    line = say(box, name, "How far is it?")
    assert line["route"] == "control_action" and "planning" in line["outcome"], line
    assert say(box, name, "hold it")["plan_state"] == "paused"
    assert say(box, name, "继续")["plan_state"] == "waiting"
    assert say(box, name, "Drop it")["plan_state"] == "cancelled"


def test_what_is_said_to_a_server_is_worked_on_there(box):
    """say through a running server, while the plan runs"""
    hub = make(box, remark("same_task_minor_change"), routed("minor_replan"),
               when(plan(task("page", ["facts"], ["writing"], "Half a page.")), stage="planner", contains="shorter"))
    name = run(box)["plan_id"]
    server = subprocess.Popen([str(box.binary), "serve", "--hub", str(hub)], stderr=subprocess.PIPE, text=True,
                              env={"PATH": os.environ["PATH"], "HOME": str(box.dir)})
    try:
        deadline = time.monotonic() + 20
        while "serving" not in server.stderr.readline():
            assert time.monotonic() < deadline
        assert say(box, name, "shorter")["route"] == "minor_replan"
        assert run(box)["state"] == "completed", "run looks on"
        assert run(box, goal="Another page")["state"] == "completed"
    finally:
        server.send_signal(signal.SIGTERM)
        server.communicate(timeout=20)


def test_bad_remarks_and_goals_are_refused(box):
    make(box)
    refused = box.run("say", "plan_none", "x", "--hub", box.dir / "hub", "--json").expect(2).json
    assert refused["error"]["code"] == "PLAN_UNKNOWN"
    refused = box.run("run", "  ", "--hub", box.dir / "hub", "--json").expect(2)
    assert json.loads(refused.out.splitlines()[-1])["error"]["code"] == "PROMPT_EMPTY"
    box.run("run", "x", "--plan", "y", "--hub", box.dir / "hub").expect(2)


class ListeningIn:
    """Stands between a hub's clients and its server, and counts what is asked of it."""

    def __init__(self, hub):
        self.door = hub / ".agenttalk/agenttalk.sock"
        self.real = hub / ".agenttalk/real.sock"
        self.asked = collections.Counter()
        self.door.rename(self.real)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(self.door))
        self.listener.listen()
        threading.Thread(target=self.accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.close()
        self.door.unlink()
        self.real.rename(self.door)

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            server.connect(str(self.real))
            for one, other, heard in ((client, server, True), (server, client, False)):
                threading.Thread(target=self.pass_on, args=(one, other, heard), daemon=True).start()

    def pass_on(self, one, other, heard):
        with contextlib.suppress(OSError):
            while data := one.recv(65536):
                if heard:
                    self.asked.update(word.decode() for word in re.findall(rb"POST /v1/(\w+)", data))
                other.sendall(data)
            other.shutdown(socket.SHUT_WR)


def test_a_remark_to_a_served_hub_is_followed_by_its_events(box):
    """`say` waits for what the server tells; it does not ask again and again whether there is something."""
    hub = make(box, {**when(intent("same_task_no_change", action="query"), stage="understanding", contains="how far"),
                     "delay": "3s"},
               when(route("continue_execution"), stage="router", contains="same_task_no_change"))
    name = run(box)["plan_id"]
    before = len(events(box, name))
    with subprocess.Popen([str(box.binary), "serve", "--hub", str(hub)], stderr=subprocess.DEVNULL,
                          env={"PATH": os.environ["PATH"], "HOME": str(box.dir)}) as server:
        try:
            deadline = time.monotonic() + 30
            while not (hub / ".agenttalk/agenttalk.sock").exists():
                assert time.monotonic() < deadline
                time.sleep(0.02)
            with ListeningIn(hub) as line:
                assert say(box, name, "how far is it?")["state"] == "done"
            happened = len(events(box, name)) - before
        finally:
            server.terminate()
    assert line.asked["say"] == 1 and line.asked["events"] >= 2, line.asked
    assert line.asked["status"] <= line.asked["events"] <= happened + 2, (line.asked, happened)
