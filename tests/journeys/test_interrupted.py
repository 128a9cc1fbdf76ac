"""The journeys of people and models that decide together, each in English and Chinese, with a stop and with a kill while the model
is thinking: the run is started again, and everything that the journey checks holds as if nothing had happened."""

import signal

import journey
import test_gates
import test_goals
import test_held_calls

# (the journey, the answer during which it is interrupted)
JOURNEYS = {
    "a_clarified_goal": (test_goals.clarified, test_goals.TEXT, 1),
    "a_planner_and_its_team": (test_goals.capable, test_goals.TEXT, 5),
    "a_reviewer_and_the_tools_output": (test_goals.seen, test_goals.TEXT, 8),
    "a_retry_with_a_persons_words": (test_goals.helped, test_goals.TEXT, 6),
    "a_rejected_result": (test_gates.gate, test_gates.WORDS, 1),
    "an_attempt_that_failed": (test_gates.retried, test_gates.WORDS, 1),
    "a_remark_that_patches": (test_gates.patched, test_gates.WORDS, 1),
    "a_tool_that_a_person_refuses": (test_held_calls.refused, test_held_calls.WORDS, 1),
}


def interrupted(take, texts, language, how, nth):
    def test(box):
        journey.interruption = (how, nth)
        try:
            take(box, language, texts[language])
        finally:
            journey.interruption = None

    return test


for name, (take, texts, nth) in JOURNEYS.items():
    for language in ("en", "zh"):
        for word, how in (("stop", signal.SIGTERM), ("kill", signal.SIGKILL)):
            globals()[f"test_{name}_with_a_{word}_in_the_middle_{language}"] = interrupted(take, texts, language, how, nth)
