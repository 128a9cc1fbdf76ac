"""Every requirement of source 001 (PR-020, "command integrity") with the tests that hold it. This file checks that the named
tests exist; that they pass, the runs that they belong to say."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
GENERATION = "src/model/command/generation_test.cc"
READING = "src/model/command/reading_test.cc"
SENDING = "src/engine/dag/sent_commands_test.cc"
TOOL = "src/tools/command_tool_test.cc"
JOURNEYS = "tests/journeys/test_commands.py"

# requirement: [(file, test)…]
REQUIREMENTS = {
    "an agent makes a command by calling the skill, not by hand": [
        (JOURNEYS, "a_planner_makes_and_sends_the_commands_of_a_dag_plan"),
        (JOURNEYS, "a_planner_makes_and_sends_commands_in_an_open_plan")],
    "the skill checks all required fields": [(GENERATION, "RefusesWhatCannotBeRepaired")],
    "the skill gives correct JSON": [(GENERATION, "CompletesAnOpenPlanCommandWithoutAWord")],
    "the skill adds default values": [(READING, "AppliesTheDefaults"), (GENERATION, "CompletesAnOpenPlanCommandWithoutAWord")],
    "the skill checks types and tries to convert them": [(GENERATION, "ConvertsTypes")],
    "the skill returns a complete command": [(TOOL, "CompletesWhatIsGivenForThePlanThatTheAgentWorksOn")],
    "parameters: command_id, plan_id, task_id, command_seq, prompt, required_inputs and others": [(TOOL, "ListsEveryParameter")],
    "the example of the source is completed": [(GENERATION, "GetsAnIdThatFollowsTheRule"),
                                               (GENERATION, "OfTheCallIsGivenScoreCriteria")],
    "1 command_id is there and unique": [(READING, "AsksTheHubWhereThereIsOne"),
                                         (JOURNEYS, "two_commands_for_one_task_have_two_numbers_in_whichever_order_they_are_sent")],
    "2 plan_id is there": [(GENERATION, "RefusesWhatCannotBeRepaired")],
    "3 task_id is there, and binds the command to a node and its assigned_agent_id": [
        (SENDING, "ACommandGoesToItsTasksAgentInPlaceOfTheEnginesOwn")],
    "4 command_seq is there, orders, and equals the number at the end of command_id": [
        (READING, "TakesATaskCommand"), (GENERATION, "DecidesContradictionsForTheTaskThenTheNumber"),
        (SENDING, "ANumberThatWasGivenIsNotGivenAgain")],
    "5 prompt is there and not empty": [(GENERATION, "RefusesWhatCannotBeRepaired")],
    "6 required_inputs is an array": [(GENERATION, "ConvertsTypes")],
    "7 wait_for_inputs is a boolean": [(GENERATION, "ConvertsTypes")],
    "8 score_required is a boolean": [(GENERATION, "ConvertsTypes")],
    "9 and 10 on_complete and on_failure: optional, for notices and logs, no routing for a task": [
        (READING, "KeepsNoRoutingForATask")],
    "11 timeout is a positive integer": [(GENERATION, "ReplacesOptionalValuesThatCannotBeUsed")],
    "valid: the complete command; invalid: the errors": [(TOOL, "SaysWhatIsWrongSoThatTheModelCanMendIt")],
    "command_id is cmd_<task_id>_<NNN…>, three digits or more, of this very task": [
        (GENERATION, "DecidesContradictionsForTheTaskThenTheNumber"), (READING, "TakesATaskCommand")],
    "the router delivers to the node's assigned_agent_id alone": [(SENDING, "ACommandGoesToItsTasksAgentInPlaceOfTheEnginesOwn")],
    "score_criteria: required with score_required, filled in by the skill": [
        (GENERATION, "AddsScoreCriteriaWhenTheyAreNeeded")],
    "retry_times: not negative, default 0": [(GENERATION, "ReplacesOptionalValuesThatCannotBeUsed")],
    "schema_version": [(READING, "WarnsAndGoesOn")],
    "idempotency_key: kept, or filled in; the same command is not executed twice": [
        (GENERATION, "KeepsAnExplicitKeyEvenWhenTheIdIsRepaired"), (READING, "ARepeatOfTheSamePayloadIsNoConflictAndNoReuse")],
    "dag_ref: the hash of the current DAG, checked by the router before delivery": [
        (GENERATION, "PutsTheCurrentDagInPlaceOfAnOldOne"), (SENDING, "WhatDoesNotFitIsRefusedAndThePlanGoesOn"),
        (JOURNEYS, "unknown_tasks_and_old_dags_come_back_and_the_model_corrects_them")],
    "payload_hash": [(READING, "ChecksThePayloadHashOfTheFileItself")],
    "the skill's file: skill_name, skill_version, inputs command_params, outputs command": [
        ("src/tools/skill_test.cc", "Shipped"), (TOOL, "TakesTheFormOfTheSource")],
    "invalid optional values are replaced by defaults": [(GENERATION, "ReplacesOptionalValuesThatCannotBeUsed")],
    "fields are consistent with each other": [(GENERATION, "DecidesContradictionsForTheTaskThenTheNumber"),
                                              (GENERATION, "AddsScoreCriteriaWhenTheyAreNeeded")],
    "generation and validation are logged": [("tests/e2e/test_command.py", "generation")],
    "fields may be added later": [(READING, "WarnsAndGoesOn"), (GENERATION, "WarnsOfUnknownFields")],
}


def names_of(path):
    text = (ROOT / path).read_text(encoding="utf-8")
    return re.findall(r"TEST(?:_[FP])?\(\s*\w+,\s*(\w+)\)" if path.endswith(".cc") else r"def test_(\w+)\(", text)


def test_every_requirement_of_source_001_has_its_tests(_box):
    lost = [f"{requirement}: {path} has no test {test}" for requirement, tests in REQUIREMENTS.items()
            for path, test in tests if not any(test in name for name in names_of(path))]
    assert not lost, "\n".join(lost)
