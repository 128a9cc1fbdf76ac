"""Agents that plan their own steps: what they are told is enough to name the outputs, meet the criteria and ask the right people."""

import json

from journey import Journey, wait_for

CRITERIA = "100 if both pages agree with the facts, 0 otherwise"
PLAN = {"plan": "guide", "goal": "A guide to the harbour", "tasks": [
    {"id": "guide", "agent": "ann", "prompt": "Write the guide and its summary.", "outputs": ["guide.md", "summary.md"],
     "score": {"criteria": CRITERIA, "pass": 60}, "timeout": 600}]}
WORDS = {"en": ("Do not do the task yet", "The task makes these outputs: (.*?)\\. Write each", "The agents you may ask"),
         "zh": ("先不要执行任务", "任务需要产生以下输出:(.*?)。", "可以请求协助的智能体")}


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
