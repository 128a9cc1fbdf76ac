"""doctor says what differs between the journal and the files; repair makes the files anew."""

import json
import shutil

from test_serve import Hub, command, wait_for


def worked_hub(hub):
    hub.drop("ann", "notes.md", "the notes", plan="plan_test")
    hub.drop_command("ann", command("cmd_1", required_inputs=["notes.md"],
                                    on_complete={"message_template": "{result}", "send_to": ["bob", "human"],
                                                 "output_name": "text.md"}))
    hub.drop_command("ann", command("cmd_bad"))
    hub.run("serve", "--until-idle").expect(1)


def files_of(hub):
    """Every file that people see, but for the moved ones."""
    return {str(path.relative_to(hub.dir)): path.read_bytes() for path in hub.dir.rglob("*")
            if path.is_file() and ".agenttalk" not in path.parts and ".processed" not in path.parts}


def differences(hub, code=1):
    outcome = hub.run("doctor", "--json").expect(code).json
    assert outcome["ok"] == (code == 0)
    return {one["path"]: one["state"] for one in outcome["files"]["differences"]}


def test_a_hub_that_is_well(box):
    with Hub(box) as hub:
        worked_hub(hub)
        outcome = hub.run("doctor", "--json").expect(0).json
        assert outcome["ok"] and outcome["files"]["differences"] == [], outcome
        assert outcome["files"]["checked"] > 10
        levels = {finding["check"]: finding["level"] for finding in outcome["findings"]}
        assert set(levels) >= {"config", "lock", "permissions", "disk", "notifications", "leftovers", "journal", "files"}
        assert "not in use" in hub.run("doctor").expect(0).out


def check_damage(hub):
    before = files_of(hub)
    sent = "agents/ann/outbox/plan_test/text.md"
    arrived = "agents/bob/inbox/plan_test/text.md"
    log = "agents/ann/logs/activity.jsonl"
    status = "plans/plan_test/plan_status.json"
    delivered = "plans/plan_test/deliveries.jsonl"
    (hub.dir / sent).write_text("forged")
    (hub.dir / arrived).unlink()
    (hub.dir / "agents/ann/inbox/plan_test/notes.md").unlink()
    (hub.dir / log).write_text((hub.dir / log).read_text().replace("cmd_1", "cmd_7", 1))
    (hub.dir / status).unlink()
    (hub.dir / delivered).unlink()
    shutil.rmtree(hub.dir / "human/inbox")
    found = differences(hub)
    assert found.pop(sent) == "differs" and found.pop(arrived) == "missing" and found.pop(log) == "differs"
    assert found.pop(status) == "missing" and found.pop(delivered) == "missing"
    assert found.pop("agents/ann/inbox/plan_test/notes.md") == "missing"
    assert found and all(path.startswith("human/inbox/") for path in found), found
    assert hub.states()["cmd_1"] == "succeeded", "the journal still knows"
    repaired = hub.json("repair")
    assert repaired["failed"] == [] and repaired["left"] == [], repaired
    assert differences(hub, 0) == {}
    after = files_of(hub)
    assert {path for path in before if before[path] != after.get(path)} == set()


def test_what_was_deleted_or_forged_is_made_anew(box):
    with Hub(box) as hub:
        worked_hub(hub)
        check_damage(hub)
        events = len(hub.events())
        hub.run("serve", "--until-idle").expect(0)
        assert len(hub.events()) == events, "what repair wrote is not taken for a stranger's file"


def test_a_served_hub_is_repaired_too(box):
    with Hub(box) as hub:
        worked_hub(hub)
        hub.start()
        wait_for(lambda: "held by process" in hub.run("doctor").out, "the server")
        (hub.dir / "agents/ann/outbox/plan_test/text.md").unlink()
        (hub.dir / "agents/ann/logs/llm_calls.jsonl").unlink()
        assert set(differences(hub).values()) == {"missing"}
        assert hub.json("repair")["written"] == 1
        assert differences(hub, 0) == {}
        hub.drop_command("bob", command("cmd_2"))
        wait_for(lambda: hub.states().get("cmd_2") == "succeeded", "the next command")
        assert hub.stop()[0] == 0
        assert differences(hub, 0) == {}


def test_a_strangers_newer_file_is_left_alone_and_taken_in(box):
    with Hub(box) as hub:
        worked_hub(hub)
        path = hub.dir / "agents/bob/inbox/plan_test/text.md"
        path.write_text("a person knows better")
        assert differences(hub) == {"agents/bob/inbox/plan_test/text.md": "newer"}
        assert hub.json("repair")["left"] == ["agents/bob/inbox/plan_test/text.md"]
        assert path.read_text() == "a person knows better"
        hub.run("serve", "--until-idle").expect(1)
        last = [e["data"] for e in hub.events("input_arrived") if e["data"]["name"] == "text.md"][-1]
        assert last["from"] == "" and last["content"]["size"] == len("a person knows better")
        assert differences(hub, 0) == {}


def test_a_broken_configuration_is_a_finding(box):
    with Hub(box) as hub:
        worked_hub(hub)
        (hub.dir / "agenttalk.yaml").write_text("version: 1\nagents: 7\n")
        outcome = hub.run("doctor", "--json").expect(1).json
        assert [f["level"] for f in outcome["findings"] if f["check"] == "config"] == ["error"], outcome


def test_deliveries_are_listed(box):
    with Hub(box) as hub:
        worked_hub(hub)
        lines = [json.loads(line) for line in (hub.dir / "plans/plan_test/deliveries.jsonl").read_text().splitlines()]
        told = {(line["from"], line["to"], line["name"]) for line in lines}
        assert told == {(None, "ann", "notes.md"), ("ann", "bob", "text.md"), ("ann", "bob", "msg_cmd_1.json"),
                        ("ann", "human", "text.md"), ("ann", "human", "msg_cmd_1.json")}, told
        assert [line["seq"] for line in lines] == sorted(line["seq"] for line in lines)
        assert (hub.dir / "human/inbox/plan_test/text.md").read_text() == "done"
