"""Small things about commands that once were wrong: where a refusal goes, what a timeout names, what is tried again."""

import json

from test_serve import wait_for

CONFIG = "version: 1\nprovider: p\nproviders: {p: {kind: scripted, answers: answers.yaml}}\nagents: {ann: {prompt: x}, bob: {prompt: y}}\n"


def serve(box, answers, *commands, code=0):
    box.write("hub/agenttalk.yaml", CONFIG)
    box.write("hub/answers.yaml", json.dumps(answers))
    for one in commands:
        box.write(f"hub/agents/ann/inbox/{one['command_id']}.json", {"plan_id": "plan_q", "prompt": "p", "timeout": 60, **one})
    return box.run("serve", "--until-idle", "--hub", "hub").expect(code)


def test_an_invalid_command_is_refused_under_the_plan_that_it_names(box):
    serve(box, [], {"command_id": "cmd_bad", "prompt": 5})
    assert (box.dir / "hub/dead_letter/plan_q/cmd_bad.json").exists()
    assert not (box.dir / "hub/dead_letter/_no_plan").exists()
    reason = json.loads((box.dir / "hub/dead_letter/plan_q/cmd_bad.json.reason.json").read_text())
    assert reason["code"] == "TYPE_MISMATCH" and "/prompt" in reason["message"], reason


def test_a_wait_that_is_over_names_the_missing_file(box):
    serve(box, [{"answer": {"result": "x"}}], {"command_id": "cmd_wait", "timeout": 1, "required_inputs": ["never.md"]}, code=3)
    wait_for(lambda: box.run("serve", "--until-idle", "--hub", "hub").code == 0, "the end of the wait")
    (letter,) = box.run("dead", "list", "--hub", "hub", "--json").json
    assert letter["code"] == "WAIT_TIMEOUT" and "never.md" in letter["message"], letter
    assert "never.md" in box.run("status", "plan_q", "--hub", "hub").out


def test_a_refused_request_is_tried_again_as_often_as_the_command_says(box):
    answers = [{"when": {"command": "cmd_again", "attempt": 1}, "error": {"status": 400}}, {"answer": {"result": "fine"}}]
    serve(box, answers, {"command_id": "cmd_again", "retry_times": 1})
    (command,) = box.run("status", "plan_q", "--hub", "hub", "--json").json["commands"]
    assert command["state"] == "succeeded", command


def test_a_result_that_is_too_large_leaves_the_message_around_it(box):
    serve(box, [{"answer": {"result": "x" * 900_000}}],
          {"command_id": "cmd_big", "on_complete": {"message_template": "Dear Bob, {result} Yours, {agent_id}", "send_to": ["bob"], "output_name": "big.md"}})
    message = json.loads((box.dir / "hub/agents/bob/inbox/plan_q/msg_cmd_big.json").read_text())
    assert message["content"].startswith("Dear Bob, ") and message["content"].endswith(" Yours, ann"), message["content"][:200]
    assert (box.dir / "hub/agents/bob/inbox/plan_q/big.md").stat().st_size == 900_000


def test_an_unknown_plan_is_not_suggested_to_itself(box):
    serve(box, [{"answer": {"result": "x"}}], {"command_id": "cmd_1"})
    told = box.run("status", "plan_Q", "--hub", "hub").expect(2).err
    assert 'did you mean "plan_Q"' not in told and "plan_Q" in told, told
