"""The human gateway: questions, answers by verb and by file, attachments, deadlines, restarts."""

import json
import os
import signal

from test_serve import Hub, command, wait_for

# Every call of the scripted model is estimated at more than this: the first one is a question.
BUDGET = "limits: {budget_tokens: 10}\n"


def budget_hub(hub, more=""):
    config = hub.dir / "agenttalk.yaml"
    config.write_text(config.read_text() + BUDGET + more)
    hub.drop_command("ann", command("cmd_1", on_complete={"send_to": ["bob"], "output_name": "out.md"}))


def put_answer(hub, content):
    outbox = hub.dir / "human/outbox"
    outbox.mkdir(parents=True, exist_ok=True)
    (outbox / ".answer.tmp").write_text(json.dumps(content))
    os.rename(outbox / ".answer.tmp", outbox / f"answer_{content['id']}.json")


def test_a_question_is_asked_once_however_often_the_process_dies(box):
    with Hub(box) as hub:
        budget_hub(hub)
        assert "waits for an answer" in hub.run("serve", "--until-idle").expect(3).err
        question = hub.json("questions")[0]
        assert question["kind"] == "confirm" and question["choices"] == ["approve", "reject"], question
        shown = (hub.dir / f"human/inbox/{question['id']}.json").read_text()
        for _ in range(3):
            hub.start()
            wait_for(lambda: hub.states() == {"cmd_1": "waiting_human"}, "the state")
            hub.stop(signal.SIGKILL)
        assert len(hub.events("question_asked")) == 1
        assert [path.name for path in (hub.dir / "human/inbox").iterdir()] == [f"{question['id']}.json"]
        assert (hub.dir / f"human/inbox/{question['id']}.json").read_text() == shown


def test_an_approval_by_verb_lets_it_go_on(box):
    with Hub(box) as hub:
        budget_hub(hub)
        hub.run("serve", "--until-idle").expect(3)
        question = hub.json("questions")[0]["id"]
        hub.run("answer", question, "--approve", "--reject").expect(2)
        hub.run("answer", question, "go on", "--approve").expect(0)
        assert not (hub.dir / f"human/inbox/{question}.json").exists()
        config = hub.dir / "agenttalk.yaml"
        config.write_text(config.read_text().replace("budget_tokens: 10", "budget_tokens: 100000"))
        hub.run("serve", "--until-idle").expect(0)
        assert hub.states() == {"cmd_1": "succeeded"}


def test_a_rejection_by_file_ends_it(box):
    with Hub(box) as hub:
        budget_hub(hub)
        hub.start()
        wait_for(lambda: hub.json("questions"), "the question")
        question = hub.json("questions")[0]["id"]
        put_answer(hub, {"id": question, "decision": "reject", "text": "too dear"})
        wait_for(lambda: hub.states() == {"cmd_1": "failed"}, "the end")
        wait_for(lambda: (hub.dir / "human/outbox/.processed").is_dir(), "the move")
        assert not (hub.dir / f"human/outbox/answer_{question}.json").exists()
        closed = hub.events("question_closed")[0]["data"]
        assert (closed["decision"], closed["text"], closed["expired"]) == ("reject", "too dear", False)
        put_answer(hub, {"id": question, "decision": "approve"})
        wait_for(lambda: any(letter["code"] == "ANSWER_LATE" for letter in hub.json("dead", "list")), "the refusal")
        assert hub.states() == {"cmd_1": "failed"}, "late is late"
        assert hub.stop()[0] == 0


def test_the_default_at_the_deadline_is_never_approval(box):
    with Hub(box) as hub:
        budget_hub(hub, "human: {question_deadline: 1s}\n")
        hub.start()
        wait_for(lambda: hub.states() == {"cmd_1": "failed"}, "the deadline")
        assert hub.events("question_closed")[0]["data"]["expired"] is True
        assert hub.events("command_ended")[0]["data"]["code"] == "BUDGET_EXCEEDED"
        assert hub.stop()[0] == 0


def test_attachments_become_inputs_whatever_bytes_they_hold(box):
    with Hub(box) as hub:
        hub.drop_command("ann", command("cmd_bad"))
        hub.drop_command("ann", command("cmd_1", required_inputs=["map.txt", "photo.bin"]))
        hub.run("serve", "--until-idle")
        alert = hub.json("questions")[0]
        assert alert["kind"] == "alert" and alert["from"] == "ann" and "cmd_bad" in alert["text"], alert
        text, photo = box.write("map.txt", "turn left"), box.write("photo.bin", bytes(range(256)))
        hub.run("answer", alert["id"], "here", "--file", text, "--file", photo).expect(0)
        hub.run("serve", "--until-idle")
        assert hub.states()["cmd_1"] == "succeeded"
        inbox = hub.dir / "agents/ann/inbox/plan_test"
        assert (inbox / "map.txt").read_text() == "turn left" and (inbox / "photo.bin").read_bytes() == bytes(range(256))
        assert (hub.dir / "agents/ann/workspace/plan_test/cmd_1/inputs/photo.bin").read_bytes() == bytes(range(256))


def test_a_wait_that_times_out_is_told(box):
    with Hub(box) as hub:
        hub.drop_command("ann", command("cmd_1", required_inputs=["never.md"], timeout=1))
        hub.start()
        wait_for(lambda: hub.states() == {"cmd_1": "timed_out"}, "the timeout")
        alert = hub.json("questions")[0]
        assert alert["kind"] == "alert" and "WAIT_TIMEOUT" in alert["text"], alert
        assert [letter["code"] for letter in hub.json("dead", "list")] == ["WAIT_TIMEOUT"]
        wait_for((hub.dir / f"human/inbox/{alert['id']}.json").exists, "the file")
        assert hub.stop()[0] == 0
