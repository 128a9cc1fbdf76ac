"""A person judges with open eyes: the work lies before them, what they say reaches the next attempt, and nothing that
they or `say` changed is lost by running the plan's file again. Each in English and Chinese, through a stop and a kill."""

import json

from journey import Journey, wait_for

WORDS = {
    "en": {"wish": "Name the dance of the bees.", "note": "It did not count", "person": "A person said",
           "goes_back": "goes back to writer with your text", "fails": "the task fails"},
    "zh": {"wish": "请写出蜜蜂的舞蹈。", "note": "未被采纳", "person": "人说", "goes_back": "退回给 writer",
           "fails": "任务失败"},
}

PLAN = """
plan: bees
goal: A paragraph about bees
tasks:
  - id: write
    agent: writer
    prompt: Write a paragraph about bees.
    outputs: [article.md]
    gate: human
  - id: print
    agent: printer
    prompt: Print article.md.
    inputs: [article.md]
    outputs: [print.md]
"""


def team():
    return {"writer": {"name": "Writer", "prompt": "You write."}, "printer": {"name": "Printer", "prompt": "You print."}}


def each_language(journey):
    def test(box):
        for language in ("en", "zh"):
            journey(box, language, WORDS[language])
    return test


def gate_mind(words):
    def mind(request):
        if "Print article.md." in request:
            return {"result": request.find(r"(Bees (?:dance|fly)[^\n]*)", "the article")}
        request.need("Write a paragraph about bees.")
        if "Bees fly." not in request:
            return {"result": "# Bees\nBees fly.\n"}
        # A further attempt: what was made, why it did not count, and the person's words as an instruction.
        request.need(words["note"])
        request.need(words["person"])
        request.need("> " + words["wish"])
        return {"result": "# Bees\nBees dance the waggle dance.\n"}
    return mind


def gate(box, language, words):
    with Journey(box, gate_mind(words), team(), name="gate_" + language, language=language) as hub:
        hub.write("plan.yaml", PLAN)
        hub.agenttalk("run", "--plan", "plan.yaml", "--json").expect(3)
        question = hub.json("questions")[0]
        assert question["kind"] == "approve" and question["deadline"] is None, question
        # What is to be judged lies there, and the question shows it and says what each choice leads to.
        path = question["files"][0]["path"]
        assert path == f"human/inbox/{question['id']}/article.md", question["files"]
        assert hub.read(path) == "# Bees\nBees fly.\n"
        assert path in question["text"] and "    Bees fly." in question["text"], question["text"]
        assert words["goes_back"] in question["leads_to"]["reject"], question["leads_to"]
        assert "print" in question["leads_to"]["approve"], question["leads_to"]
        hub.start()
        hub.restart("kill")
        assert [one["id"] for one in hub.json("questions")] == [question["id"]]
        hub.agenttalk("answer", question["id"], words["wish"], "--reject").expect(0)
        again = wait_for(lambda: [one for one in hub.json("questions") if one["id"] != question["id"]], "the next question")[0]
        assert not (hub.dir / f"human/inbox/{question['id']}").exists()
        # The second version, with what changed since the first.
        assert "+Bees dance the waggle dance." in again["text"] and "-Bees fly." in again["text"], again["text"]
        diff = [one["path"] for one in again["files"] if one["name"] == "article.md.diff"]
        assert diff and "+Bees dance" in hub.read(diff[0]), again["files"]
        hub.restart("stop")
        hub.agenttalk("answer", again["id"], "--approve").expect(0)
        wait_for(lambda: hub.json("status", "plan_bees")["state"] == "completed", "the end")
        assert "waggle" in hub.read("plans/plan_bees/deliverables/print.md")
        hub.stop()


test_a_rejected_result_goes_back_with_the_text_and_its_next_version_is_judged = each_language(gate)


def bounded(box, language, words):
    def mind(request):
        return {"result": "Bees fly.\n"}

    with Journey(box, mind, team(), name="bounded_" + language, language=language) as hub:
        hub.write("plan.yaml", PLAN)
        hub.start()
        hub.spawn("run", "--plan", "plan.yaml", "--quiet").wait()
        seen = set()
        for _ in range(4):
            question = wait_for(lambda: [one for one in hub.json("questions") if one["kind"] == "approve"
                                         and one["id"] not in seen], "the question")[0]
            seen.add(question["id"])
            hub.agenttalk("answer", question["id"], words["wish"], "--reject").expect(0)
        # The fourth said so beforehand.
        assert words["fails"] in question["leads_to"]["reject"], question["leads_to"]
        wait_for(lambda: hub.json("status", "plan_bees")["state"] == "failed", "the failure")
        # Run again, the next attempt still knows what was said.
        asked = len(hub.model.requests)
        hub.spawn("run", "--plan", "plan.yaml", "--quiet").wait()
        assert words["wish"] in hub.model.requests[asked], "the comment is lost"
        hub.stop()


test_rejecting_is_bounded_and_the_question_says_so = each_language(bounded)


def retried(box, language, words):
    """A task fails, the plan is run again with nothing changed: the next attempt knows why the first one failed."""
    def mind(request):
        if words["note"] in request:
            return {"result": "Bees dance.\n"}
        return {"wrong": "form"}

    with Journey(box, mind, {"writer": {"name": "Writer", "prompt": "You write.", "repair_attempts": 0}},
                 name="retry_" + language, language=language) as hub:
        hub.write("plan.yaml", "plan: bees\ntasks:\n  - {id: write, agent: writer, prompt: Write., outputs: [a.md, b.md]}\n")
        hub.agenttalk("run", "--plan", "plan.yaml", "--json").expect(1)
        alerts = hub.json("questions")
        assert [one["kind"] for one in alerts] == ["alert"], alerts
        status = hub.json("status", "plan_bees")
        assert status["questions"] == [] and status["alerts"] == [alerts[0]["id"]], status
        shown = hub.agenttalk("questions").expect(0)
        assert "no open questions" in shown.err and "close by themselves" in shown.out, shown
        hub.agenttalk("run", "--plan", "plan.yaml", "--json")
        assert words["note"] in hub.model.requests[-1], hub.model.requests[-1].text


test_an_attempt_knows_why_the_one_before_failed = each_language(retried)


def test_an_alert_closes_when_its_task_is_done(box):
    failures = ["no such model", "still no such model"]

    def mind(request):
        if failures:
            return (400, failures.pop(0))
        return {"result": "Bees dance."}

    with Journey(box, mind, {"writer": {"name": "Writer", "prompt": "You write."}}) as hub:
        hub.write("plan.yaml", "plan: bees\ntasks:\n  - {id: write, agent: writer, prompt: Write., outputs: [a.md]}\n")
        hub.agenttalk("run", "--plan", "plan.yaml", "--json").expect(1)
        assert [one["kind"] for one in hub.json("questions")] == ["alert"]
        hub.agenttalk("run", "--plan", "plan.yaml", "--json").expect(1)
        (alert,) = hub.json("questions")  # of the last failure alone
        assert "still no such model" in alert["text"], alert
        hub.agenttalk("run", "--plan", "plan.yaml", "--json").expect(0)
        assert hub.json("questions") == []


# What `say` changes stays when the same file is run again; where both have changed a person decides.

SAY = {
    "en": {"remark": "Write two sentences."},
    "zh": {"remark": "写两句话。"},
}


def stage(thought, action, params, **more):
    return {"thought": thought, "action": action, "params": params, "expectedOutcome": "done",
            "risk": {"level": "low", "description": "small"}, "confidence": 95, **more}


def remark_mind(remark):
    def mind(request):
        if '"INTENT_ANALYSIS"' in request.system:
            request.need(remark)
            return stage("a change", "INTENT_ANALYSIS", {
                "normalizedIntent": {"goal": remark, "action": "modify", "scope": "partial_task", "urgency": "medium"},
                "taskRelation": {"type": "same_task_minor_change", "confidence": 0.95, "reasoning": "one task"},
                "contextDependency": {"needsCurrentTaskContext": True, "needsExecutionHistory": False,
                                      "referencedEntities": ["write"]}})
        if '"ROUTE_DECISION"' in request.system:
            return stage("small", "ROUTE_DECISION", {"route": "minor_replan",
                                                     "payload": {"reason": "one task", "requiresConfirmation": False}})
        if '"TASK_PLAN"' in request.system:
            request.need(remark)
            request.need("Write a sentence.")  # the plan as it is
            return stage("one task changes", "TASK_PLAN", {"tasks": [
                {"id": "write", "description": "Write two sentences about bees.", "dependencies": [],
                 "requiredCapabilities": [], "estimatedDuration": 60000}], "executionOrder": ["write"]})
        if '"REVIEW_RESULT"' in request.system:
            return stage("fine", "REVIEW_RESULT", {"approved": True, "score": 95, "feedback": "good", "requiredFixes": []})
        return {"result": "Two. Sentences." if "two sentences" in request else "One."}
    return mind


SAID_PLAN = "plan: bees\ntasks:\n  - {id: write, agent: writer, prompt: Write a sentence., outputs: [a.md]}\n"


def patched(box, language, words):
    remark = SAY[language]["remark"]
    with Journey(box, remark_mind(remark), {"writer": {"name": "Writer", "prompt": "You write."}},
                 name="patch_" + language, language=language) as hub:
        hub.write("plan.yaml", SAID_PLAN)
        hub.agenttalk("run", "--plan", "plan.yaml", "--json").expect(0)
        hub.agenttalk("say", "plan_bees", remark, "--json").expect(0)
        assert hub.json("plan", "show", "plan_bees")["tasks"][0]["instruction"] == "Write two sentences about bees."
        asked = len(hub.model.requests)
        # The file has not changed: what was said counts, and nothing is asked again.
        ended = hub.agenttalk("run", "--plan", "plan.yaml", "--json").expect(0).json
        assert ended["state"] == "completed" and len(hub.model.requests) == asked, ended
        assert hub.read("plans/plan_bees/deliverables/a.md") == "Two. Sentences."
        # Both have changed.
        hub.write("plan.yaml", SAID_PLAN.replace("a sentence", "a long sentence"))
        refused = hub.agenttalk("run", "--plan", "plan.yaml").expect(1)
        assert "write differs" in refused.err and "--keep" in refused.err and "--replace" in refused.err, refused.err
        assert hub.json("plan", "show", "plan_bees")["tasks"][0]["instruction"] == "Write two sentences about bees."
        hub.agenttalk("run", "--plan", "plan.yaml", "--keep", "--json").expect(0)
        assert hub.json("plan", "show", "plan_bees")["tasks"][0]["instruction"] == "Write two sentences about bees."
        hub.agenttalk("run", "--plan", "plan.yaml", "--json").expect(0)  # decided already
        hub.agenttalk("run", "--plan", "plan.yaml", "--replace", "--json").expect(0)
        assert hub.json("plan", "show", "plan_bees")["tasks"][0]["instruction"] == "Write a long sentence."


test_a_remark_that_patches_the_plan_outlives_a_run_of_its_file = each_language(patched)


def paused(box, language, words):
    remark = SAY[language]["remark"]
    with Journey(box, remark_mind(remark), {"writer": {"name": "Writer", "prompt": "You write."}},
                 name="paused_" + language, language=language) as hub:
        hub.write("plan.yaml", SAID_PLAN)
        hub.agenttalk("run", "--plan", "plan.yaml", "--json").expect(0)
        hub.start()
        hub.agenttalk("plan", "append", "plan_bees", "--task", "more", "--instruction", "Write more.",
                      "--assignee", "writer").expect(0)
        hub.agenttalk("pause", "plan_bees")
        said = hub.agenttalk("say", "plan_bees", remark, "--json", timeout=30).expect(0).json
        assert said["state"] == "done", said
        hub.stop()


test_saying_something_to_a_paused_plan_is_answered_at_once = each_language(paused)


def depends(box, language, words):
    """What an understood remark depends on decides what router and planner see: the plan's outline, or also the content of the tasks that
    it refers to and how they came about."""
    long = "Bees fly. " * 40 + "THE END"  # longer than the line that an outline has of a result
    shown = {}

    def mind(request):
        if '"INTENT_ANALYSIS"' in request.system:
            deep = "deep" in request.user.rsplit("Remark", 1)[-1].rsplit("意见", 1)[-1]
            answer = remark_mind("deep" if deep else "shallow")(request)
            answer["params"]["contextDependency"] = {"needsCurrentTaskContext": deep, "needsExecutionHistory": deep, "referencedEntities": ["a.md"]}
            return answer
        for name, mark in (("router", '"ROUTE_DECISION"'), ("planner", '"TASK_PLAN"')):
            if mark in request.system:
                shown.setdefault(name, []).append(request.user)
        if '"ROUTE_DECISION"' in request.system:
            return stage("small", "ROUTE_DECISION", {"route": "minor_replan", "payload": {"reason": "one task", "requiresConfirmation": False}})
        if '"TASK_PLAN"' in request.system:
            return stage("one task changes", "TASK_PLAN", {"tasks": [
                {"id": "write", "description": "Write a sentence.", "dependencies": [], "requiredCapabilities": [],
                 "estimatedDuration": 60000}], "executionOrder": ["write"]})
        if '"REVIEW_RESULT"' in request.system:
            return stage("fine", "REVIEW_RESULT", {"approved": True, "score": 95, "feedback": "good", "requiredFixes": []})
        return {"result": long}

    with Journey(box, mind, {"writer": {"name": "Writer", "prompt": "You write."}}, name="depends_" + language, language=language) as hub:
        hub.write("plan.yaml", SAID_PLAN)
        hub.agenttalk("run", "--plan", "plan.yaml", "--json").expect(0)
        hub.agenttalk("say", "plan_bees", "shallow", "--json").expect(0)
        hub.agenttalk("say", "plan_bees", "deep", "--json").expect(0)
    for name in ("router", "planner"):
        outline, content = shown[name]
        for part in ("currentTasks", "executionHistory", "THE END"):
            assert part not in outline, f"{name} was shown {part} without having to know it"
            assert part in content, f"{name} was not shown {part}"


test_what_a_remark_depends_on_is_shown_to_those_who_decide = each_language(depends)
