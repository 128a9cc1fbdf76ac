"""A Chinese hub speaks Chinese: a goal with an overruled route, a plan that is sent back, a failure that is skipped and a result of
high risk; a plan with a gate, a failed dependency, a colleague who declines, an input that does not come and a budget that is used
up. Everything that the program itself words (questions, choices, alerts, notices, notes of tasks, prompts) is looked at: no
English sentence is in it; what is wrong with a model's answer is Chinese too. Diagnostics for whoever wrote a file or called a verb
are English everywhere; so are names, fields and commands."""

import json
import re
import signal

from journey import Journey
from test_goals import closing, context, intent, output, planned, review, stage_of

# Three words in a row: a sentence, not a name or a field.
SENTENCE = re.compile(r"(?<![\w`{<\"'/-])[A-Za-z]?[a-z]+ [a-z]+,? [a-z]+(?![\w`}>/-])")
# What a hub's own files and the wire format say in English.
KNOWN = ("fix the failing tests",)


def english_in(text):
    """Sentences outside of code, of quoted commands and of what a program reads."""
    text = re.sub(r"```.*?```|`[^`]*`", "", text, flags=re.DOTALL)
    return [one.group(0) for one in SENTENCE.finditer(text) if not any(known in one.group(0) for known in KNOWN)]


class Seen:
    """What people and models were told, with where it was found."""

    def __init__(self):
        self.english = []

    def look(self, where, text):
        self.english += [f"{where}: {one}" for one in english_in(text)]

    def look_at(self, hub):
        for question in hub.json("questions"):
            self.look(f"question {question['kind']}", question["text"])
            for word, leads_to in question["leads_to"].items():
                self.look(f"choice {word}", leads_to)
        for path in (hub.dir / "human").rglob("*.json"):
            self.look(path.name, json.loads(path.read_text()).get("text", ""))
        for plan in hub.json("plans"):
            shown = hub.json("status", plan["plan_id"])
            for task in shown["tasks"]:
                for key in ("note", "reason", "blocking_reason"):
                    self.look(f"task {task['task_id']}", str(task.get(key) or ""))
                if task["error"]:
                    self.look(f"error of {task['task_id']}", task["error"]["message"])

    def look_at_requests(self, hub):
        for number, request in enumerate(hub.model.requests):
            for message in request.messages:
                if message["role"] != "assistant":
                    self.look(f"request {number}, {message['role']}", request.text_of(message))

    def expect_none(self):
        assert not self.english, "\n".join(sorted(set(self.english)))


GOAL = "写一页关于林道的介绍"


class GoalMind:
    """Says everything in Chinese; what is English in the requests is therefore the program's."""

    def __call__(self, request):
        return getattr(self, stage_of(request))(request)

    def understanding(self, request):
        answer = intent(GOAL, entities=["facts"])
        answer["params"]["taskRelation"]["reasoning"] = "没有进行中的工作"
        return chinese(answer)

    def router(self, request):
        return chinese(output("ROUTE_DECISION", {"route": "continue_execution", "payload": {"reason": "误判", "requiresConfirmation": False}}))

    def planner(self, request):
        if "请写明标准" not in request:
            return chinese(planned(("facts", "收集事实。", [], ["研究"]), ("page", "写一页。", ["facts"], ["写作"])))
        return chinese(planned(("facts", "收集两条事实。两条都有即完成。", [], ["研究"]), ("picture", "画一幅图。图在即完成。", [], ["写作"]),
                               ("page", "写一页。引用两条事实即完成。", ["facts", "picture"], ["写作"])))

    def reviewer(self, request):
        value = context(request, "subject")
        if value["subject"] == "plan":
            good = "即完成" in json.dumps(value["plan"], ensure_ascii=False)
            answer = review(True, "可以" if good else "请写明标准")
            answer["params"]["score"] = 95 if good else 50
            return chinese(answer)
        return chinese(review(True, "可以"))

    def orchestrator(self, request):
        if "exception" not in context(request, "choices"):
            answer = closing()
            answer["params"]["summary"] = "全部完成"
            return chinese(answer)
        return chinese(output("EXCEPTION_HANDLE", {"task": "picture", "decision": "skip", "reason": "一页不需要图"}))

    def executor(self, request):
        task = context(request)["task"]["id"]
        if task == "picture":
            return chinese(output("FAIL", {"reason": "我不会画画", "tried": ["画"]}))
        answer = chinese(output("COMPLETE", {"result": "甲和乙" if task == "facts" else "一页"}, userMessage="写好了。"))
        if task == "page":
            answer["risk"] = {"level": "high", "description": "会公开发布"}
        return answer


def chinese(answer):
    answer["thought"], answer["expectedOutcome"] = "按所见行事", "如所说"
    answer["risk"]["description"] = "很小"
    return answer


def test_a_goal_in_a_chinese_hub_is_chinese_throughout(box):
    agents = {"anna": {"name": "安娜", "prompt": "你是研究员。", "capabilities": ["研究"], "tools": ["read_file", "write_file"]},
              "bert": {"name": "贝特", "prompt": "你是作者。", "capabilities": ["写作"], "permissions": ["append_task"]}}
    seen = Seen()
    with Journey(box, GoalMind(), agents, language="zh") as hub:
        ended = hub.agenttalk("run", GOAL, "--json").expect(3).json
        seen.look_at(hub)
        (question,) = [one for one in hub.json("questions") if one["kind"] == "approve"]
        hub.agenttalk("answer", question["id"], "请更短一些。", "--reject").expect(0)
        hub.agenttalk("run", GOAL, "--json").expect(3)
        seen.look_at(hub)
        (question,) = [one for one in hub.json("questions") if one["kind"] == "approve"]
        hub.agenttalk("answer", question["id"], "--approve").expect(0)
        hub.agenttalk("run", GOAL, "--json").expect(0)
        seen.look_at(hub)
        seen.look_at_requests(hub)
        log = [json.loads(line) for line in hub.agenttalk("log", ended["plan_id"], "--json").out.splitlines()]
        kinds = {event["type"] for event in log}
        assert {"route_overruled", "work_reviewed", "tasks_matched", "phase_changed", "goal_noted"} <= kinds, kinds
        for event in log:
            for key in ("reason", "rule", "outcome", "note"):
                seen.look(event["type"], str(event["data"].get(key) or ""))
    seen.expect_none()


PLAN = {"plan": "mifeng", "goal": "一段关于蜜蜂的文字", "tasks": [
    {"id": "write", "agent": "ann", "prompt": "写一段关于蜜蜂的文字。", "outputs": ["article.md"], "gate": "human"},
    {"id": "fails", "agent": "cid", "prompt": "数蜜蜂。", "outputs": ["count.md"]},
    {"id": "after", "agent": "cid", "prompt": "写下数目。", "needs": ["fails"], "outputs": ["number.md"]},
    {"id": "waits", "agent": "cid", "prompt": "翻译。", "inputs": ["never.md"], "outputs": ["translation.md"], "timeout": "1s"},
    {"id": "asks", "agent": "ann", "prompt": "查明蜜蜂的舞蹈。", "outputs": ["dance.md"]}]}


def plan_mind(request):
    if "先不要执行任务" in request:
        if "数蜜蜂" in request:
            return json.dumps({"steps": [{"id": "end", "type": "execute_action", "name": "update_task_status",
                                          "params": {"status": "failed", "summary": "数不清"}, "on_error": "stop"}]})
        if "查明" in request:
            return json.dumps({"steps": [
                {"id": "ask", "type": "request_collaboration", "to": "bob", "params": {"subtask": "说明蜜蜂的舞蹈。"}, "on_error": "self"},
                {"id": "self", "type": "execute_action", "name": "ask_model", "params": {"prompt": "自己说明。"}, "on_error": "stop"}]})
        return json.dumps({"steps": [{"id": "self", "type": "execute_action", "name": "ask_model", "params": {"prompt": "直接写。"},
                                      "on_error": "stop"}]})
    if "说明蜜蜂的舞蹈" in request and "自己说明" not in request:
        return json.dumps({"rejected": "我不懂舞蹈"})
    return json.dumps({"result": "蜜蜂会跳舞。"})


def test_a_plan_in_a_chinese_hub_is_chinese_throughout(box):
    agents = {"ann": {"name": "安", "prompt": "你是作者。", "strategy": "freeform"},
              "bob": {"name": "鲍勃", "prompt": "你懂一些。", "capabilities": ["事实"]},
              "cid": {"name": "锡德", "prompt": "你计数。", "strategy": "freeform"}}
    plan = dict(PLAN, files=[])
    seen = Seen()
    with Journey(box, plan_mind, agents, language="zh", limits={"budget_tokens": 6000}) as hub:
        hub.write("plan.yaml", json.dumps({key: value for key, value in plan.items() if key != "files"}, ensure_ascii=False))
        hub.agenttalk("run", "--plan", "plan.yaml", "--json")
        for _ in range(12):
            seen.look_at(hub)
            open_ones = [one for one in hub.json("questions") if one["kind"] != "alert"]
            if not open_ones:
                break
            for number, question in enumerate(open_ones):
                word = "--reject" if question["kind"] == "approve" and not seen_reject(seen) else "--approve"
                hub.agenttalk("answer", question["id"], *(["写得更短。"] if word == "--reject" else []), word)
            hub.agenttalk("run", "--plan", "plan.yaml", "--json")
        seen.look_at(hub)
        seen.look_at_requests(hub)
        shown = {task["task_id"]: task["state"] for task in hub.json("status", "plan_mifeng")["tasks"]}
        assert shown["write"] == shown["asks"] == "COMPLETED" and shown["after"] == "SKIPPED", shown
    seen.expect_none()


def seen_reject(seen):
    """The first result that is judged is sent back, the next one passes."""
    before, seen.rejected = getattr(seen, "rejected", False), True
    return before


WRONG = {"plan": "cuo", "goal": "回答不合要求时", "tasks": [
    {"id": "write", "agent": "ann", "prompt": "写一段文字。", "outputs": ["a.md", "b.md"], "score": {"pass": 60}},
    {"id": "never", "agent": "bob", "prompt": "总是答错。", "outputs": ["c.md"]}]}
# One wrong answer after another, and what the next request must say of it.
MISTAKES = [
    ("我写好了。", "回答中没有 JSON 对象"),
    ('{"result": "好", "score": 90', "没有结束，可能被截断了"),
    (json.dumps({"outputs": ["a.md"], "score": 90}), "outputs 必须是由名称和内容组成的对象，而不是数组"),
    (json.dumps({"outputs": {"a.md": "一"}, "score": 90}), "缺少输出 b.md：声明过的输出都必须给出"),
    (json.dumps({"outputs": {"a.md": "一", "b.md": "二"}}), "缺少 score：需要 0 到 100 的数字"),
    (json.dumps({"outputs": {"a.md": "一", "b.md": "二"}, "score": "很好"}), "score 必须是 0 到 100 的数字，而不是字符串"),
]


def mistaken(request):
    """Makes each mistake once, told from what the conversation says was wrong so far."""
    if "总是答错" in request:
        return "不是 JSON"
    said = "\n".join(request.text_of(message) for message in request.messages)
    for answer, complaint in MISTAKES:
        if complaint not in said:
            return answer
    return json.dumps({"outputs": {"a.md": "一", "b.md": "二"}, "score": 90, "score_explanation": "两段都有"})


def answer_wrongly(box, how):
    agents = {"ann": {"name": "安", "prompt": "你是作者。", "repair_attempts": len(MISTAKES)}, "bob": {"name": "鲍勃", "prompt": "你会出错。"}}
    seen, state = Seen(), {"asked": 0, "process": None}

    def mind(request):
        state["asked"] += 1
        if how and state["asked"] == 4:
            state["process"].send_signal(how)
        return mistaken(request)

    with Journey(box, mind, agents, language="zh") as hub:
        hub.write("plan.yaml", json.dumps(WRONG, ensure_ascii=False))
        state["process"] = hub.spawn("run", "--plan", "plan.yaml", "--json")
        state["process"].communicate()
        hub.agenttalk("run", "--plan", "plan.yaml", "--json")
        seen.look_at(hub)
        seen.look_at_requests(hub)
        tasks = {task["task_id"]: task for task in hub.json("status", "plan_cuo")["tasks"]}
        assert tasks["write"]["state"] == "COMPLETED", tasks["write"]
        assert "回答中没有 JSON 对象" in tasks["never"]["error"]["message"], tasks["never"]
        assert hub.read("plans/plan_cuo/deliverables/b.md") == "二"
        shown = hub.agenttalk("questions").out
        assert "回答中没有 JSON 对象" in shown, shown
    seen.expect_none()


def test_what_is_wrong_with_an_answer_is_told_in_chinese(box):
    answer_wrongly(box, None)


def test_what_is_wrong_with_an_answer_is_told_in_chinese_across_a_stop(box):
    answer_wrongly(box, signal.SIGTERM)


def test_what_is_wrong_with_an_answer_is_told_in_chinese_across_a_kill(box):
    answer_wrongly(box, signal.SIGKILL)
