"""What each stage is given. A goal goes through clarification, planning, tools, a rejected plan, rework, a failure and its
skipping; every request is recorded by the stand-in, and for each stage a list says what must be found in it. The requests are
kept as goldens in tests/journeys/goldens: read them from top to bottom when you change a prompt
(AGENTTALK_GOLDENS=write makes them again)."""

import json
import os
import pathlib
import re

from journey import Journey
from test_goals import TEXT, closing, context, intent, output, planned, review, route, stage_of

GOLDENS = pathlib.Path(__file__).resolve().parent / "goldens"

FIX = {"en": "Give every task a criterion.", "zh": "给每个任务一个完成标准。"}
WISH = {"en": "Quote BETA too.", "zh": "也要引用 BETA。"}


class Mind:
    """Goes through everything that can happen, and keeps the first request of each kind."""

    def __init__(self, language):
        self.text = TEXT[language]
        self.language = language
        self.kept = {}

    def keep(self, kind, request):
        self.kept.setdefault(kind, request)

    def __call__(self, request):
        return getattr(self, stage_of(request))(request)

    def understanding(self, request):
        if self.text["answer"] not in request:
            self.keep("understanding", request)
            return output("CLARIFICATION_REQUIRED", {"question": self.text["question"]}, confidence=40,
                          requiresUserConfirmation=True)
        self.keep("understanding_clarified", request)
        return intent(f"{self.text['goal']}: {self.text['answer']}")

    def router(self, request):
        self.keep("router", request)
        return route()

    def planner(self, request):
        if FIX[self.language] not in request:
            self.keep("planner", request)
            return planned(("facts", "Collect.", [], ["research"]), ("page", "Write.", ["facts"], ["writing"]))
        self.keep("planner_again", request)
        return planned(("facts", "Collect two facts with write_file and read_file. Done when both are quoted.", [], ["research"]),
                       ("picture", "Draw a picture. Done when it is there.", [], ["writing"]),
                       ("page", "Write the page. Done when it quotes both facts.", ["facts", "picture"], ["writing"]))

    def reviewer(self, request):
        value = context(request, "subject")
        if value["subject"] == "plan":
            self.keep("reviewer_plan", request)
            done = "Done when" in json.dumps(value["plan"])
            return review(done, "good" if done else FIX[self.language], [] if done else [FIX[self.language]])
        if value["task"]["id"] == "facts" and "BETA" not in json.dumps(value["params"]):
            self.keep("reviewer_result", request)
            return review(False, WISH[self.language], [WISH[self.language]])
        if value["round"] > 1:
            self.keep("reviewer_again", request)
        return review(True, "good")

    def orchestrator(self, request):
        if "exception" not in context(request, "choices"):
            self.keep("orchestrator_end", request)
            return closing()
        self.keep("orchestrator_exception", request)
        return output("EXCEPTION_HANDLE", {"task": "picture", "decision": "skip", "reason": "a page needs no picture"})

    def executor(self, request):
        task = context(request)["task"]["id"]
        if task == "picture":
            return output("FAIL", {"reason": "I cannot draw", "tried": ["to draw"]})
        if task == "page":
            self.keep("executor_page", request)
            return output("COMPLETE", {"result": "ALPHA and BETA on a page"}, userMessage="The page is there.")
        if "work/facts.txt" not in request.text:
            self.keep("executor_first", request)
            return output("write_file", {"path": "work/facts.txt", "content": "ALPHA\nBETA\n"})
        again = WISH[self.language] in request.text
        if again:
            self.keep("executor_again", request)
        last = request.messages[-1]["content"]
        if "write_file" in last and "read_file" not in last:
            return output("read_file", {"path": "work/facts.txt"})
        return output("COMPLETE", {"result": "ALPHA and BETA" if again else "ALPHA"})


AGENTS = {"anna": {"name": "Anna", "prompt": "You are Anna, a researcher.", "capabilities": ["research"],
                   "tools": ["read_file", "write_file"]},
          "bert": {"name": "Bert", "prompt": "You are Bert, a writer.", "capabilities": ["writing"],
                   "permissions": ["append_task"]}}

# What must be found in the request of each stage; of `system` and `user` where it matters in which.
EVERY = ["{goal}"]
MUST = {
    "understanding": {"user": []},
    "understanding_clarified": {"user": ["{label}", "{question}", "{answer}"]},
    "router": {"user": ["{answer}", "taskRelation", "normalizedIntent"]},
    "planner": {"user": ["{answer}", "anna", "bert", "research", "writing", "write_file", "load"]},
    "planner_again": {"user": ["{fix}", "feedback", '"facts"', "Collect."]},
    "reviewer_plan": {"user": ["{answer}", '"facts"', "Collect.", "research", "anna", "expectedOutcome"]},
    "executor_first": {"system": ["You are Anna, a researcher."],
                       "user": ["Collect two facts with write_file and read_file. Done when both are quoted.", "{answer}",
                                "usedBy", "Write the page.", "read_file", "write_file"]},
    "executor_again": {"user": ["{wish}", "ALPHA"]},
    "executor_page": {"system": ["You are Bert, a writer."],
                      "user": ["Write the page.", "ALPHA and BETA", "a page needs no picture", "append_task(task_id: str"]},
    "reviewer_result": {"user": ["Done when both are quoted.", '"action": "COMPLETE"', "expectedOutcome", "work/facts.txt",
                                 '"tool": "read_file"', "ALPHA\\nBETA", "facts.result.md"]},
    "reviewer_again": {"user": ["{wish}", "askedFor", "changed", "+ALPHA and BETA"]},
    "orchestrator_exception": {"user": ["I cannot draw", "picture", "EXCEPTION_HANDLE retry", "bert", "attempts"]},
    "orchestrator_end": {"user": ["a page needs no picture", "closing", "COMPLETED"]},
}
# History has a line of substance for what was decided and made.
HISTORY = {"planner_again": ["{answer}", "new_task"], "orchestrator_end": ["facts", "ALPHA", "{wish}"]}


def normalised(request):
    """The request as a text, without what differs from run to run."""
    text = f"===== system\n{request.system}\n===== user\n{request.user}\n"
    for index, fence in enumerate(dict.fromkeys(re.findall(r"<<<([0-9a-f]{32})", text))):
        text = text.replace(fence, f"FENCE{index}")
    text = re.sub(r"plan_[a-z0-9-]*-?[0-9a-f]{8}", "plan_ID", text)
    return re.sub(r"sha256 [0-9a-f]{64}", "sha256 HASH", text)


def compare_with_golden(language, kind, request):
    path = GOLDENS / language / f"{kind}.txt"
    if os.environ.get("AGENTTALK_GOLDENS") == "write":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(normalised(request), encoding="utf-8")
    assert path.exists(), f"{path} is missing"
    assert path.read_text(encoding="utf-8") == normalised(request), f"{path.name} ({language}) differs from the request"


def check(box, language):
    mind = Mind(language)
    text = {**TEXT[language], "fix": FIX[language], "wish": WISH[language]}
    with Journey(box, mind, AGENTS, name="requests_" + language, language=language) as hub:
        hub.agenttalk("run", text["goal"], "--json").expect(3)
        hub.agenttalk("answer", hub.json("questions")[0]["id"], text["answer"]).expect(0)
        ended = hub.agenttalk("run", text["goal"], "--json").expect(0).json
        assert ended["state"] == "completed" and ended["tasks_skipped"] == 1, ended
    missing = []
    for kind, parts in MUST.items():
        request = mind.kept.get(kind)
        if request is None:
            missing.append(f"{kind}: no such request")
            continue
        if "{{" in request.text or not request.system:
            missing.append(f"{kind}: an empty system message or a placeholder that was not filled in")
        for part in ("system", "user"):
            wanted = parts.get(part, []) + (EVERY + HISTORY.get(kind, []) if part == "user" else [])
            for words in wanted:
                for name, value in text.items():
                    words = words.replace("{" + name + "}", value)
                if words not in getattr(request, part):
                    missing.append(f"{kind}: {words!r} is not in the {part} message")
    assert not missing, "\n".join([language] + missing)
    for kind, request in mind.kept.items():
        compare_with_golden(language, kind, request)


def test_every_stage_is_given_what_it_decides_by_in_english(box):
    check(box, "en")


def test_every_stage_is_given_what_it_decides_by_in_chinese(box):
    check(box, "zh")
