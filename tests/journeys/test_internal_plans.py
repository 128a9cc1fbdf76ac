"""Agents that plan their own steps: what they are told is enough to name the outputs, meet the criteria and ask the right people."""

import json

from journey import Journey, wait_for

CRITERIA = "100 if both pages agree with the facts, 0 otherwise"
PLAN = {"plan": "guide", "goal": "A guide to the harbour", "tasks": [
    {"id": "guide", "agent": "ann", "prompt": "Write the guide and its summary.", "outputs": ["guide.md", "summary.md"],
     "score": {"criteria": CRITERIA, "pass": 60}, "timeout": 600}]}
WORDS = {"en": ("Do not do the task yet", "The task makes these outputs: (.*?)\\. Write each", "The agents you may ask"),
         "zh": ("先不要执行任务", "任务需要产生以下输出：(.*?)。", "可以请求协助的智能体")}


def mind_in(language, gate):
    plan_words, outputs_words, team_words = WORDS[language]

    def ann(request):
        if plan_words in request.text:
            names = request.find(outputs_words, "the names of the outputs").split(", ")
            request.need(CRITERIA)
            request.need(team_words)
            request.need("- human: ")
            request.need("- bob: facts")
            for stage in ("planner", "executor", "reviewer", "router", "understanding", "orchestrator"):
                assert f"{stage}-agent" not in request.text, f"{stage}-agent is offered as a helper"
            steps = [{"id": "facts", "type": "request_collaboration", "to": "bob", "params": {"subtask": "FACTS: how deep is it?"}},
                     {"id": "text", "type": "execute_action", "name": "ask_model",
                      "params": {"prompt": "STEP: write it up from ${facts.result}."}}]
            steps += [{"id": f"out{i}", "type": "execute_action", "name": "write_output",
                       "params": {"name": name, "content": f"{name}: ${{text.result}}"}} for i, name in enumerate(names)]
            return json.dumps({"steps": steps})
        request.need("STEP: write it up")
        gate["steps"] += 1
        wait_for(lambda: gate["open"], "leave to answer")
        request.need(CRITERIA)
        return json.dumps({"result": "It is " + request.find(r"(\d+ fathoms)", "the colleague's facts"), "score": 90,
                           "score_explanation": "both agree"})

    def mind(request):
        if "You are Bob" in request.system:
            request.need("FACTS: how deep is it?")
            return json.dumps({"result": "12 fathoms"})
        return ann(request)

    return mind


def check(box, language, how):
    gate = {"open": False, "steps": 0}
    agents = {"ann": {"name": "Ann", "prompt": "You are Ann.", "strategy": "freeform"},
              "bob": {"name": "Bob", "prompt": "You are Bob.", "capabilities": ["facts"]}}
    with Journey(box, mind_in(language, gate), agents, language=language) as hub:
        hub.write("plan.yaml", json.dumps(PLAN))
        run = hub.spawn("run", "plan.yaml", "--json")
        wait_for(lambda: gate["steps"], "the step that asks the model")
        run.terminate() if how == "stop" else run.kill()
        gate["open"] = True
        run.wait(30)
        hub.agenttalk("run", "plan.yaml", "--json").expect(0)
        assert hub.read("plans/plan_guide/deliverables/guide.md") == "guide.md: It is 12 fathoms"
        assert hub.read("plans/plan_guide/deliverables/summary.md") == "summary.md: It is 12 fathoms"
        plans = sum(WORDS[language][0] in request for request in hub.model.requests)
        facts = sum("You are Bob" in request for request in hub.model.requests)
        assert (plans, facts) == (1, 1), f"asked again what was recorded: {plans} plans, {facts} facts"


def test_an_agent_that_plans_knows_outputs_criteria_and_team(box):
    check(box, "en", "kill")


def test_an_agent_that_plans_knows_outputs_criteria_and_team_in_chinese(box):
    check(box, "zh", "stop")


GOAL = "Clear the old notes"


def said(action, params, risk="low"):
    return json.dumps({"thought": "It follows.", "action": action, "params": params, "expectedOutcome": "It is done.",
                       "risk": {"level": risk, "description": "It cannot be undone."}, "confidence": 90})


def goal_mind(request):
    """A goal whose executor plans its own steps; in one of them it wants to write over a file, and says that this is risky."""
    if "Do not do the task yet" in request:
        return json.dumps({"steps": [{"id": "clear", "type": "execute_action", "name": "ask_model",
                                      "params": {"prompt": "STEP: write the new notes over the old ones."}}]})
    stage = request.find(r"You are the (\w+) agent", "which stage it is")
    if stage == "understanding":
        return said("INTENT_ANALYSIS", {
            "normalizedIntent": {"goal": GOAL, "action": "modify", "scope": "full_task", "urgency": "medium"},
            "taskRelation": {"type": "different_task", "confidence": 0.95, "reasoning": "Nothing is under way."},
            "contextDependency": {"needsCurrentTaskContext": False, "needsExecutionHistory": False, "referencedEntities": []}})
    if stage == "router":
        return said("ROUTE_DECISION", {"route": "new_task", "payload": {"reason": "New.", "requiresConfirmation": False}})
    if stage == "planner":
        return said("TASK_PLAN", {"tasks": [{"id": "clear", "description": "Write notes.md anew. Done when it is empty.", "dependencies": [],
                                             "requiredCapabilities": ["notes"], "estimatedDuration": 300000, "outputs": ["notes.md"]}],
                                  "executionOrder": ["clear"]})
    if stage == "reviewer":
        return said("REVIEW_RESULT", {"approved": True, "score": 95, "feedback": "Right.", "requiredFixes": []})
    if stage == "orchestrator":
        return said("PHASE_TRANSITION", {"reason": "Everything is done."})
    request.need("STEP: write the new notes")
    request.need("Write notes.md anew.")
    if "wrote" in request:
        return said("COMPLETE", {"result": "The notes are new."})
    request.need("write_file")
    return said("write_file", {"path": "outputs/notes.md", "content": "new"}, risk="high")


def test_a_step_in_a_goal_run_says_how_risky_its_tool_is(box):
    agents = {"ann": {"name": "Ann", "prompt": "You are Ann.", "strategy": "freeform", "capabilities": ["notes"],
                      "tools": ["read_file", "write_file"]}}
    with Journey(box, goal_mind, agents) as hub:
        hub.agenttalk("run", GOAL, "--json").expect(3)
        (question,) = [one for one in hub.json("questions") if one["kind"] == "confirm"]
        assert "write_file" in question["text"] and "outputs/notes.md" in question["text"], question
        assert not list(hub.dir.rglob("outputs/notes.md")), "it was written before anybody said yes"
        hub.agenttalk("answer", question["id"], "--approve").expect(0)
        hub.agenttalk("run", question["plan_id"], "--json").expect(0)
        assert hub.read(f"plans/{question['plan_id']}/deliverables/notes.md") == "new"
