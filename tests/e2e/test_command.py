"""agenttalk command new"""

import json


def test_fills_in_what_is_missing(box):
    made = box.run("command", "new", "--set", "plan_id=plan_x", "--set", "prompt=Go.", "--json").expect(0).json
    command = made["command"]
    assert made["ok"] and command["plan_id"] == "plan_x" and command["prompt"] == "Go.", made
    assert command["command_id"] and command["payload_hash"] and command["timeout"] == 3600, made


def test_result_is_a_valid_command_on_standard_output(box):
    outcome = box.run("command", "new", "--from", "-", stdin=json.dumps(
        {"command_id": "cmd_task_001", "plan_id": "plan_x", "task_id": "task_001", "command_seq": "1", "prompt": "Go."}))
    outcome.expect(0)
    command = outcome.json
    assert command["command_id"] == "cmd_task_001_001" and command["command_seq"] == 1, outcome
    assert "warning" in outcome.err, outcome
    again = box.run("command", "new", "--from", "-", "--json", stdin=json.dumps(command)).expect(0).json
    assert again["command"] == command, "a complete command stays as it is"


def test_set_reaches_into_objects_and_converts_types(box):
    command = box.run("command", "new", "--set", "plan_id=plan_x", "--set", "prompt=1", "--set", "timeout=60",
                      "--set", "required_inputs=a.md", "--set", 'on_complete.send_to=["b","c"]').expect(0).json
    assert command["prompt"] == "1" and command["timeout"] == 60, command
    assert command["required_inputs"] == ["a.md"] and command["on_complete"]["send_to"] == ["b", "c"], command


def test_what_cannot_be_repaired_is_told(box):
    made = box.run("command", "new", "--set", "plan_id=plan_x", "--json").expect(2).json
    assert made["ok"] is False and [error["code"] for error in made["errors"]] == ["PROMPT_EMPTY"], made
    made = box.run("command", "new", "--from", "-", "--json", stdin="{").expect(2).json
    assert made["ok"] is False and [error["code"] for error in made["errors"]] == ["JSON_INVALID"], made
    outcome = box.run("command", "new", "--set", "plan_id=plan_x").expect(2)
    assert outcome.out == "" and "PROMPT_EMPTY" in outcome.err, outcome


def test_wrong_set_is_bad_usage(box):
    assert box.run("command", "new", "--set", "prompt", "--json").expect(2).json["error"]["code"] == "USAGE"
    error = box.run("command", "new", "--from", "missing.json", "--json").expect(2).json["error"]
    assert error["code"] == "NOT_FOUND", error


def test_generation_and_its_result_are_logged(box):
    box.run("init", "hub").expect(0)
    box.run("command", "new", "--hub", "hub", "--set", "plan_id=plan_x", "--set", "prompt=Go.").expect(0)
    box.run("command", "new", "--hub", "hub", "--set", "plan_id=plan_x").expect(2)
    made, refused = map(json.loads, (box.dir / "hub/.agenttalk/generated.jsonl").read_text().splitlines())
    assert made["ok"] and made["level"] == "info" and made["asked"]["prompt"] == "Go." and made["command_id"], made
    assert not refused["ok"] and refused["level"] == "error", refused
    assert [error["code"] for error in refused["errors"]] == ["PROMPT_EMPTY"], refused
