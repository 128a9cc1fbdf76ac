"""The prompts and the answers of the six stages, by hand."""

import json

STAGES = ("understanding", "router", "planner", "executor", "reviewer", "orchestrator")


def answer(**changes):
    whole = {"thought": "It is fine.", "action": "REVIEW_RESULT",
             "params": {"approved": True, "score": 90, "feedback": "Good.", "requiredFixes": []},
             "expectedOutcome": "It counts.", "risk": {"level": "low", "description": "None."}, "confidence": 90}
    return json.dumps({**whole, **changes})


def test_prompts_of_every_stage_are_shown_in_both_languages(box):
    """prompt STAGE, without a hub"""
    for stage in STAGES:
        for language, heading in (("en", "# Role"), ("zh", "# 角色")):
            shown = box.run("prompt", stage, "--lang", language).expect(0)
            assert shown.out.startswith(heading), shown
            assert "{{" not in shown.out


def test_a_context_fills_the_placeholders_and_is_not_expanded_again(box):
    """prompt --context"""
    box.write("context.json", json.dumps({"userGoal": "explain {{HISTORY}}", "history": ["it began"]}))
    shown = box.run("prompt", "understanding", "--context", "context.json", "--json").expect(0).json
    assert "explain {{HISTORY}}" in shown["prompt"] and "- it began" in shown["prompt"]
    assert shown["from"] == "built in" and shown["history_left_out"] == 0
    box.write("context.json", json.dumps({"usergoal": "x"}))
    refused = box.run("prompt", "understanding", "--context", "context.json", "--json").expect(2).json
    assert refused["error"]["code"] == "UNKNOWN_FIELD" and "userGoal" in refused["error"]["hint"]


def test_a_hub_and_an_agent_may_have_prompts_of_their_own(box):
    """prompts/<lang>/<stage>.md in the hub, and over it in an agent's folder"""
    box.run("init", "hub").expect(0)
    box.write("hub/prompts/en/planner.md", "The hub's planner. Goal: {{USER_GOAL}}\n")
    box.write("hub/agents/ann/prompts/en/planner.md", "Ann's planner.\n")
    assert box.run("prompt", "planner", "--hub", "hub").expect(0).out == "The hub's planner. Goal: (none)\n"
    assert box.run("prompt", "planner", "--hub", "hub", "--agent", "ann").expect(0).out == "Ann's planner.\n"
    box.write("hub/prompts/en/planner.md", "Line one\n{{GOAL}}\n")
    refused = box.run("prompt", "planner", "--hub", "hub").expect(2)
    assert "line 2: there is no placeholder {{GOAL}}" in refused.err, refused


def test_an_answer_is_checked_by_its_stage(box):
    """check-output STAGE FILE"""
    box.write("good.json", answer())
    good = box.run("check-output", "reviewer", "good.json", "--json").expect(0).json
    assert good == [{"file": "good.json", "kind": "output", "ok": True, "errors": [], "warnings": []}]
    wrong_stage = box.run("check-output", "router", "good.json", "--json").expect(2).json
    assert not wrong_stage[0]["ok"]
    box.write("bad.json", answer(confidence=101, risk={"level": "none", "description": "x"}, thought=" "))
    bad = box.run("check-output", "reviewer", "bad.json", "--json").expect(2).json
    assert {error["path"] for error in bad[0]["errors"]} == {"/confidence", "/risk/level", "/thought"}, bad
