"""What was recorded with a model is replayed without one, to the same end: every journey that asks a model is taken twice, first
with a cassette for each of its hubs, then against these cassettes with the model's server gone. The journey's own checks hold
both times, and what was made and what became of every task is compared. External agents ask no model (test_external.py)."""

import pathlib
import tempfile

import journey
import test_commands
import test_files
import test_first
import test_first_hour
import test_gates
import test_goal_files
import test_goals
import test_held_calls
import test_internal_plans
import test_nothing_hidden
import test_own_tools
import test_requests
from sandbox import Sandbox

JOURNEYS = (test_first, test_first_hour, test_files, test_commands, test_goals, test_gates, test_goal_files, test_internal_plans,
            test_requests, test_own_tools, test_held_calls, test_nothing_hidden)

# Journeys that cannot be taken with a cassette, and why. Everything else is replayed.
THINKING = "it acts while the model is thinking, and a cassette answers at once"
NOBODY_ASKED = "no model is asked in it"
SERVER = "it looks at what the model's server got, or at what it does, and a replay has none"
BY_NATURE = {
    "first_hour.an_interrupted_plan_says_how_to_continue_and_does": THINKING,
    "first_hour.run_works_on_the_named_plan_alone": THINKING,
    "first_hour.a_second_run_joins_the_first_and_outlives_it": THINKING,
    "first_hour.a_stopped_run_says_that_it_is_stopped": THINKING,
    "first_hour.the_team_changes_while_it_is_served": SERVER,
    "first_hour.a_team_that_was_edited_is_the_team_of_the_next_run": SERVER,
    "first_hour.a_model_server_that_is_down_is_told_once": SERVER,
    "first_hour.a_word_starts_no_goal": NOBODY_ASKED,
    "files.a_recorded_run_with_tools_replays_alike": "it records and replays by itself",
    "commands.unknown_tasks_and_old_dags_come_back_and_the_model_corrects_them": SERVER,
    "gates.saying_something_to_a_paused_plan_is_answered_at_once": "it ends while a task runs, and how far that got depends on the moment",
    "gates.what_a_remark_depends_on_is_shown_to_those_who_decide": SERVER,
    "goal_files.what_cannot_be_given_is_refused_before_anything_runs": NOBODY_ASKED,
    "internal_plans.an_agent_that_plans_knows_outputs_criteria_and_team": THINKING,
    "internal_plans.an_agent_that_plans_knows_outputs_criteria_and_team_in_chinese": THINKING,
    "requests.every_stage_is_given_what_it_decides_by_in_english": SERVER,
    "requests.every_stage_is_given_what_it_decides_by_in_chinese": SERVER,
    "nothing_hidden.the_report_template": SERVER,
    "nothing_hidden.the_consensus_template": SERVER,
    "nothing_hidden.the_software_template": SERVER,
    "nothing_hidden.the_blank_template": SERVER,
    "nothing_hidden.a_goal_run_with_a_tool": SERVER,
    "nothing_hidden.tool_calls_and_a_kill_in_the_middle": SERVER,
    "own_tools.tools_are_listed_and_tried_by_hand": NOBODY_ASKED,
    "own_tools.a_mistake_in_a_declaration_stops_everything": NOBODY_ASKED,
}


def replayed(test):
    def twice(box):
        with tempfile.TemporaryDirectory(prefix="agenttalk-tapes-") as folder:
            journey.tapes = journey.Tapes(pathlib.Path(folder))
            try:
                test(box)
                assert any(hub["tape"].exists() for hub in journey.tapes.hubs), "nothing was recorded: the journey belongs into BY_NATURE"
                journey.tapes.replayed = 0
                with Sandbox(box.binary) as again:
                    test(again)
                assert journey.tapes.replayed == len(journey.tapes.hubs), "the replay took another way"
            finally:
                journey.tapes = None

    return twice


def named():
    for module in JOURNEYS:
        for name, test in vars(module).items():
            if name.startswith("test_") and callable(test):
                yield f"{module.__name__.removeprefix('test_')}.{name.removeprefix('test_')}", test


for name, test in dict(named()).items():
    if name not in BY_NATURE:
        globals()["test_" + name.replace(".", "_") + "_replayed"] = replayed(test)


def test_what_is_not_replayed_has_a_reason_and_exists(box):
    unknown = set(BY_NATURE) - {name for name, _ in named()}
    assert not unknown, f"there are no such journeys: {unknown}"
    assert all(len(reason) > 20 for reason in BY_NATURE.values())
