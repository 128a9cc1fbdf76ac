"""A tool call of high risk is made only when a person has agreed to it: a step of an agent's own plan that says so, in a plan with
tasks and in a goal run, and a call of a tool that is declared to be of high risk. Each in English and Chinese; a stop and a kill in the
middle (test_interrupted.py, and here while the question is open)."""

import json

from journey import Journey
from mindful_model import call
from sandbox import need_bubblewrap

WORDS = {
    "en": {"asks": "wants to call the tool write_file", "why": "the risk of step write is high", "reject": "Leave the old notes alone.",
           "declared": "declared to be of high risk", "refused": "a person refused this call", "plan": "Do not do the task yet"},
    "zh": {"asks": "调用工具 write_file", "why": "步骤 write 的风险高", "reject": "不要动旧笔记。", "declared": "被声明为高风险",
           "refused": "人拒绝了这次调用", "plan": "先不要执行任务"},
}
PLAN = {"plan": "notes", "goal": "New notes", "tasks": [
    {"id": "clear", "agent": "ann", "prompt": "Write the new notes over the old ones.", "outputs": ["notes.md"]}]}
AGENTS = {"ann": {"name": "Ann", "prompt": "You are Ann.", "strategy": "freeform", "tools": ["write_file"]}}


def each_language(journey):
    def test(box):
        for language in ("en", "zh"):
            journey(box, language, WORDS[language])
    return test


def mind_in(words):
    def mind(request):
        if words["plan"] in request:
            request.need('"risk"')
            request.tool("write_file") if request.tools else request.need("write_file")
            return json.dumps({"steps": [
                {"id": "write", "type": "use_tool", "name": "write_file", "params": {"path": "outputs/notes.md", "content": "new"},
                 "on_error": "tell", "risk": "high"},
                {"id": "tell", "type": "execute_action", "name": "ask_model", "params": {"prompt": "Say why nothing was written."},
                 "on_error": "stop"}]})
        request.need("Say why nothing was written.")
        return json.dumps({"result": "nothing was written"})
    return mind


def question_of(hub):
    (question,) = [one for one in hub.json("questions") if one["kind"] == "confirm"]
    return question


def refused(box, language, words):
    """What a person refuses is not done: the step fails, and its alternative runs."""
    with Journey(box, mind_in(words), AGENTS, name="refused_" + language, language=language) as hub:
        hub.write("plan.yaml", json.dumps(PLAN))
        hub.agenttalk("run", "--plan", "plan.yaml", "--json").expect(3)
        question = question_of(hub)
        for part in (words["asks"], words["why"], "outputs/notes.md"):
            assert part in question["text"], question["text"]
        assert not list(hub.dir.rglob("outputs/notes.md")), "it was written before anybody said yes"
        for how in ("kill", "stop"):
            hub.start()
            hub.kill() if how == "kill" else hub.stop()
            assert question_of(hub)["id"] == question["id"], "asked once, whatever happens"
        hub.server = None
        hub.agenttalk("answer", question["id"], words["reject"]).expect(2)  # words alone decide nothing
        hub.agenttalk("answer", question["id"], words["reject"], "--reject").expect(0)
        hub.agenttalk("run", "--plan", "plan.yaml", "--json").expect(0)
        assert hub.read("plans/plan_notes/deliverables/notes.md") == "nothing was written"
        told = hub.agenttalk("log", "plan_notes", "--json").out
        assert words["refused"] in told and words["reject"] in told, told


test_a_step_that_a_person_refuses_is_not_done = each_language(refused)


def approved(box, language, words):
    with Journey(box, mind_in(words), AGENTS, name="approved_" + language, language=language) as hub:
        hub.write("plan.yaml", json.dumps(PLAN))
        hub.agenttalk("run", "--plan", "plan.yaml", "--yes", "--json").expect(3)  # --yes does not cover high risk
        question = question_of(hub)
        hub.agenttalk("answer", question["id"], "--approve").expect(0)
        hub.agenttalk("run", "--plan", "plan.yaml", "--json").expect(0)
        assert hub.read("plans/plan_notes/deliverables/notes.md") == "new"
        assert len(hub.model.requests) == 1, "the plan was made once"


test_a_step_that_a_person_approves_is_done_once = each_language(approved)


def declared(box, language, words):
    """A tool that is declared to be of high risk asks in every plan; the agent's model is told what the person said."""
    need_bubblewrap()

    def mind(request):
        results = request.tool_results()
        if results and words["refused"] in results[-1]:
            request.need(words["reject"])
            return json.dumps({"result": "not weighed"})
        if results:
            return json.dumps({"result": "weighed"})
        request.tool("weigh")
        return call("weigh", what="ALPHA")

    agents = {"ann": {"name": "Ann", "prompt": "You are Ann.", "tools": ["weigh"]}}
    tools = {"weigh": {"description": "Weighs something.", "command": ["echo", "{what}"], "risk": "high",
                       "schema": {"type": "object", "properties": {"what": {"type": "string"}}, "required": ["what"],
                                  "additionalProperties": False}}}
    for word, end in (("--approve", "weighed"), ("--reject", "not weighed")):
        with Journey(box, mind, agents, name=f"declared_{language}{word}", language=language, tools=tools) as hub:
            hub.agenttalk("trust")
            hub.write("plan.yaml", json.dumps({"plan": "p", "goal": "g", "tasks": [
                {"id": "t", "agent": "ann", "prompt": "Weigh it.", "outputs": ["w.md"]}]}))
            hub.agenttalk("run", "--plan", "plan.yaml", "--json").expect(3)
            question = question_of(hub)
            assert words["declared"] in question["text"] and "what: ALPHA" in question["text"], question["text"]
            hub.start()
            hub.restart("kill")
            hub.stop()
            hub.server = None
            hub.agenttalk("answer", question["id"], *([words["reject"]] if word == "--reject" else []), word).expect(0)
            hub.agenttalk("run", "--plan", "plan.yaml", "--json").expect(0)
            assert hub.read("plans/plan_p/deliverables/w.md") == end


test_a_tool_that_is_declared_risky_asks_before_each_call = each_language(declared)
