"""A served hub: files dropped before, during and after; kills; a second server; verbs with and without a server."""

import json
import os
import signal
import subprocess
import time

HUB = """
version: 1
provider: offline
providers:
  offline: {kind: scripted, answers: answers.yaml}
agents:
  ann: {name: Ann, prompt: You are Ann., capabilities: [writing]}
  bob: {name: Bob, prompt: You are Bob.}
heartbeat: {interval_seconds: 1}
"""

ANSWERS = """
- when: {command: "cmd_scored*"}
  answer: {result: "well done", score: 85}
- when: {command: "cmd_slow*"}
  delay: 300ms
  answer: {result: "slow but sure"}
- when: {command: "cmd_bad*"}
  error: {status: 400}
- answer: {result: "done"}
"""


def command(number, **more):
    return {"command_id": number, "plan_id": "plan_test", "prompt": f"Do {number}.", **more}


class Hub:
    """A hub in the sandbox, and at most one server on it."""

    def __init__(self, box, answers=ANSWERS):
        self.box = box
        self.dir = box.dir / "hub"
        box.write("hub/agenttalk.yaml", HUB)
        box.write("hub/answers.yaml", answers)
        self.server = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.server is not None and self.server.poll() is None:
            self.server.kill()
            self.server.wait()

    def drop(self, agent, name, content, plan=""):
        """As a stranger does it: written under another name, then renamed."""
        inbox = self.dir / "agents" / agent / "inbox" / plan
        inbox.mkdir(parents=True, exist_ok=True)
        text = content if isinstance(content, str) else json.dumps(content)
        (inbox / f".{name}.tmp").write_text(text, encoding="utf-8")
        os.rename(inbox / f".{name}.tmp", inbox / name)

    def drop_command(self, agent, content):
        self.drop(agent, f"{content['command_id']}.json", content)

    def run(self, *arguments, **more):
        return self.box.run(*arguments, "--hub", self.dir, **more)

    def json(self, *arguments):
        return self.run(*arguments, "--json").expect(0).json

    def start(self, *arguments):
        self.server = subprocess.Popen(
            [str(self.box.binary), "serve", "--hub", str(self.dir), *arguments],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            env=self.box.environment())
        said = ""
        while "serving" not in said:
            line = self.server.stderr.readline()
            assert line, said
            said += line

    def stop(self, how=signal.SIGTERM):
        self.server.send_signal(how)
        _, err = self.server.communicate(timeout=30)
        return self.server.returncode, err

    def states(self):
        status = self.run("status", "plan_test", "--json")
        return {c["command_id"]: c["state"] for c in status.json["commands"]} if status.code == 0 else {}

    def events(self, *types):
        lines = self.run("log", "plan_test", "--json").expect(0).out.splitlines()
        return [event for event in map(json.loads, lines) if not types or event["type"] in types]


def wait_for(condition, what, seconds=30, pause=0.01):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"{what} did not come"
        time.sleep(pause)


def test_what_lies_there_before_the_start_is_done(box):
    with Hub(box) as hub:
        hub.drop_command("ann", command("cmd_1", on_complete={"message_template": "{result}", "send_to": ["bob"],
                                                              "output_name": "text.md"}))
        hub.run("serve", "--until-idle").expect(0)
        assert hub.states() == {"cmd_1": "succeeded"}
        inbox = hub.dir / "agents/bob/inbox/plan_test"
        assert (inbox / "text.md").read_text() == "done"
        assert json.loads((inbox / "msg_cmd_1.json").read_text())["content"] == "done"
        assert (hub.dir / "agents/ann/inbox/.processed/plan_test/cmd_1.json").exists()
        assert not (hub.dir / "agents/ann/inbox/cmd_1.json").exists()


def test_files_dropped_into_a_served_hub_are_found_at_once(box):
    with Hub(box) as hub:
        hub.start()
        hub.drop_command("ann", command("cmd_1", required_inputs=["notes.md"]))
        wait_for(lambda: hub.states() == {"cmd_1": "waiting_inputs"}, "the command")
        assert hub.json("status", "plan_test")["commands"][0]["waiting_for"] == ["notes.md"]
        hub.drop("ann", "notes.md", "some notes", plan="plan_test")
        wait_for(lambda: hub.states() == {"cmd_1": "succeeded"}, "the result")
        code, err = hub.stop()
        assert code == 0 and "succeeded" in err, err
        assert not (hub.dir / ".agenttalk/agenttalk.sock").exists()
        assert hub.states() == {"cmd_1": "succeeded"}, "and it can still be read"


def test_killed_in_the_middle_each_command_still_succeeds_once(box):
    with Hub(box) as hub:
        names = [f"cmd_slow_{i}" for i in range(6)] + [f"cmd_{i}" for i in range(20)]
        for index, name in enumerate(names):
            hub.drop_command("ann" if index % 2 else "bob", command(name))
        for wanted in (3, 12):
            hub.start()
            wait_for(lambda: list(hub.states().values()).count("succeeded") >= wanted, "some results")
            hub.stop(signal.SIGKILL)
        hub.run("serve", "--until-idle").expect(0)
        assert hub.states() == {name: "succeeded" for name in names}
        finished = [event["command_id"] for event in hub.events("command_succeeded")]
        assert sorted(finished) == sorted(names)
        answered = [event["command_id"] for event in hub.events("model_call_finished")]
        assert sorted(answered) == sorted(names), "no recorded answer was asked for again"
        received = [event["command_id"] for event in hub.events("command_received")]
        assert sorted(received) == sorted(names)
        lines = [line for agent in ("ann", "bob")
                 for line in (hub.dir / f"agents/{agent}/logs/llm_calls.jsonl").read_text().splitlines()]
        logged = [json.loads(line) for line in lines]
        logged = [event["command_id"] for event in logged if event["type"] == "model_call_finished"]
        assert sorted(logged) == sorted(names), sorted(set(names) ^ set(logged)) + sorted(logged)


def test_stopped_in_the_middle_the_next_server_goes_on(box):
    with Hub(box) as hub:
        names = [f"cmd_slow_{i}" for i in range(4)]
        for name in names:
            hub.drop_command("ann", command(name))
        hub.start()
        wait_for(lambda: "running" in hub.states().values(), "a running command")
        code, err = hub.stop()
        assert code == 0 and "stopping" in err, err
        hub.run("serve", "--until-idle").expect(0)
        assert hub.states() == {name: "succeeded" for name in names}
        assert sorted(event["command_id"] for event in hub.events("command_succeeded")) == names


def test_senders_do_not_mind_each_other_nor_servers_that_come_and_go(box):
    with Hub(box) as hub:
        hub.json("plans")
        files = [box.write(f"cmd_{i}.json", command(f"cmd_{i}")) for i in range(12)]
        senders = [subprocess.Popen([str(box.binary), "send", str(file), "--to", "ann", "--hub", str(hub.dir)],
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                    env=box.environment()) for file in files[:6]]
        hub.start()
        senders += [subprocess.Popen([str(box.binary), "send", str(file), "--to", "ann", "--hub", str(hub.dir)],
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                     env=box.environment()) for file in files[6:]]
        hub.stop()
        for sender in senders:
            out, err = sender.communicate(timeout=60)
            assert sender.returncode == 0 and "accepted" in out, out + err
        hub.run("serve", "--until-idle").expect(0)
        assert hub.states() == {f"cmd_{i}": "succeeded" for i in range(12)}


def test_hubs_begun_at_the_same_time_are_all_their_users(box):
    """The first processes of a user agree on the secret by which the user's journals are known."""
    file = box.write("cmd_1.json", command("cmd_1"))
    hubs = [box.write(f"hub{i}/agenttalk.yaml", HUB).parent for i in range(12)]
    for hub in hubs:
        box.write(hub / "answers.yaml", ANSWERS)
    senders = [subprocess.Popen([str(box.binary), "send", str(file), "--to", "ann", "--hub", str(hub)],
                                stdout=subprocess.DEVNULL, env=box.environment()) for hub in hubs]
    assert [sender.wait(timeout=60) for sender in senders] == [0] * len(hubs)
    for hub in hubs:
        box.run("serve", "--until-idle", "--hub", hub).expect(0)
    assert [path.name for path in (box.dir / ".local/state/agenttalk").iterdir()] == ["origin.key"]


def test_a_second_server_is_refused_and_told_who_serves(box):
    with Hub(box) as hub:
        hub.start()
        outcome = hub.run("serve").expect(4)
        assert f"process {hub.server.pid}" in outcome.err and "HUB_LOCKED" in outcome.err, outcome
        assert hub.run("serve", "--json").expect(4).json["error"]["code"] == "HUB_LOCKED"
        assert hub.stop()[0] == 0
        hub.run("serve", "--until-idle").expect(0)


def test_a_socket_that_a_dead_server_left_is_replaced(box):
    with Hub(box) as hub:
        hub.start()
        hub.stop(signal.SIGKILL)
        assert (hub.dir / ".agenttalk/agenttalk.sock").exists()
        assert hub.json("plans") == [], "verbs do not mind it"
        hub.start()
        wait_for(lambda: hub.run("agents").code == 0, "the server")
        assert (hub.dir / ".agenttalk/agenttalk.sock").stat().st_mode & 0o777 == 0o600
        assert hub.stop()[0] == 0


def check_verbs(box, hub):
    """The same with and without a server."""
    agents = hub.json("agents")
    assert [a["agent_id"] for a in agents] == ["ann", "bob"]
    assert set(agents[0]) == {"agent_id", "name", "state", "running", "waiting", "capabilities"}
    one = box.write("cmd_in.json", command("cmd_in", required_inputs=["never.md"]))
    sent = hub.json("send", one, "--to", "ann")
    assert (sent["status"], sent["plan_id"], sent["command_id"]) == ("accepted", "plan_test", "cmd_in"), sent
    assert hub.json("send", one, "--to", "ann")["status"] == "duplicate"
    assert hub.run("send", one, "--json").expect(2).json["error"]["code"] == "USAGE", "two agents: which?"
    assert hub.run("send", one, "--to", "zoe", "--json").expect(2).json["error"]["code"] == "AGENT_UNKNOWN"
    other = box.write("cmd_in.json", command("cmd_in", priority=7))
    assert hub.run("send", other, "--to", "ann", "--json").expect(2).json["error"]["code"] == "IDEMPOTENCY_CONFLICT"
    broken = box.write("cmd_x.json", {"command_id": "cmd_x"})
    assert hub.run("send", broken, "--to", "ann", "--json").expect(2).json["error"]["message"]
    binary = box.write("data.bin", bytes(range(256)))
    assert hub.json("send", binary, "--to", "bob", "--plan", "plan_test")["status"] == "accepted"

    status = hub.json("status", "plan_test")
    assert set(status) >= {"plan_id", "goal", "state", "revision", "dag_sha256", "tasks", "commands", "questions",
                           "dead_letters"}
    assert status["state"] == "waiting" and status["dead_letters"] == 1
    assert set(status["commands"][0]) == {"command_id", "agent", "state", "waiting_for", "score", "error"}
    assert hub.run("status", "plan_none", "--json").expect(2).json["error"]["code"] == "PLAN_UNKNOWN"
    plans = hub.json("plans")
    assert [p["plan_id"] for p in plans] == ["plan_test"]
    assert set(plans[0]) == {"plan_id", "goal", "state", "tasks_completed", "tasks_total", "created_at", "updated_at", "tokens",
                             "cost_usd", "dead_letters", "tags", "active"}

    letter = hub.json("dead", "list")[0]
    assert set(letter) == {"id", "plan_id", "file", "code", "message", "at"}
    assert letter["code"] == "IDEMPOTENCY_CONFLICT"
    shown = hub.json("dead", "show", letter["id"])
    assert json.loads(shown["content"])["priority"] == 7

    (question,) = hub.json("questions")
    assert set(question) >= {"id", "plan_id", "task_id", "kind", "text", "choices", "from", "asked_at", "deadline"}
    assert question["kind"] == "alert"
    hub.run("answer", question["id"], "seen").expect(0)
    assert hub.json("questions") == []
    assert hub.run("answer", question["id"], "--json").expect(1).json["error"]["code"] == "ANSWER_LATE"

    hub.run("send", box.write("cmd_in.json", command("cmd_in", priority=8)), "--to", "ann").expect(2)
    (question,) = hub.json("questions")
    for one in hub.json("dead", "list"):
        assert hub.json("dead", "drop", one["id"])["status"] == "accepted"
    assert hub.json("dead", "list") == []
    assert hub.run("dead", "drop", letter["id"], "--json").expect(2).json["error"]["code"] == "NOT_FOUND"
    assert hub.json("questions") == [], "an alert closes when its cause is gone"
    assert hub.run("answer", question["id"], "--json").expect(1).json["error"]["code"] == "ANSWER_LATE"

    hub.run("pause", "plan_test").expect(0)
    assert hub.json("status", "plan_test")["state"] == "paused"
    assert hub.run("pause", "plan_test", "--json").expect(1).json["error"]["code"] == "STATE_CONFLICT"
    hub.run("resume", "plan_test").expect(0)
    hub.run("cancel", "plan_test", "--reason", "enough").expect(0)
    assert hub.json("status", "plan_test")["state"] == "cancelled"

    events = hub.events()
    assert set(events[0]) == {"seq", "time", "type", "plan_id", "task_id", "command_id", "agent_id", "caused_by",
                              "data", "level", "trace_id"}
    assert [e["seq"] for e in events] == sorted(e["seq"] for e in events)
    for text in ("plans", "status plan_test", "agents", "log plan_test"):
        assert hub.run(*text.split()).expect(0).out


def test_verbs_without_a_server(box):
    with Hub(box) as hub:
        assert hub.json("plans") == [] and hub.json("questions") == []
        check_verbs(box, hub)
        assert (hub.dir / "agents/bob/inbox/plan_test/data.bin").read_bytes() == bytes(range(256))


def test_verbs_through_a_server(box):
    with Hub(box) as hub:
        hub.start()
        check_verbs(box, hub)
        assert hub.stop()[0] == 0
        assert (hub.dir / "agents/bob/inbox/plan_test/data.bin").read_bytes() == bytes(range(256))


def test_what_was_sent_without_a_server_is_done_by_the_next_one(box):
    with Hub(box) as hub:
        hub.json("send", box.write("cmd_scored.json", command("cmd_scored", score_required=True)), "--to", "ann")
        assert hub.states() == {"cmd_scored": "ready"}, "taken in, but nobody works here"
        hub.run("serve", "--until-idle").expect(0)
        assert hub.json("status", "plan_test")["commands"][0]["score"] == 85


def test_a_failed_command_is_a_dead_letter_that_can_be_tried_again(box):
    with Hub(box) as hub:
        hub.drop_command("ann", command("cmd_bad"))
        outcome = hub.run("serve", "--until-idle").expect(1)
        assert "failed" in outcome.err, outcome
        letter = hub.json("dead", "list")[0]
        assert letter["file"] == "cmd_bad.json"
        box.write("hub/answers.yaml", "- answer: {result: now it works}\n")
        again = hub.json("dead", "retry", letter["id"])
        hub.run("serve", "--until-idle")
        assert hub.states() == {"cmd_bad": "failed", again["command_id"]: "succeeded"}
        assert hub.json("dead", "list") == []


def test_idle_with_a_missing_input_means_waiting_for_a_person(box):
    with Hub(box) as hub:
        hub.drop_command("ann", command("cmd_1", required_inputs=["notes.md"]))
        assert "notes.md" in hub.run("serve", "--until-idle").expect(3).err
        hub.drop("ann", "notes.md", "here", plan="plan_test")
        hub.run("serve", "--until-idle").expect(0)


def test_a_refused_file_is_kept_with_its_reason(box):
    with Hub(box) as hub:
        hub.drop("ann", "cmd_1.json", "{")
        hub.run("serve", "--until-idle").expect(0)
        assert [letter["code"] for letter in hub.json("dead", "list")] == ["JSON_INVALID"]
        assert list(hub.dir.glob("dead_letter/*/cmd_1.json.reason.json"))


def test_a_provider_that_is_not_there_is_an_environment_error(box):
    with Hub(box) as hub:
        text = (hub.dir / "agenttalk.yaml").read_text()
        box.write("hub/agenttalk.yaml", text.replace("provider: offline", "provider: anthropic", 1))
        error = hub.run("serve", "--json").expect(4).json["error"]
        assert error["code"] == "PROVIDER_MISSING" and "--answers" in error["hint"], error
        hub.drop_command("ann", command("cmd_1"))
        hub.run("serve", "--until-idle", "--answers", hub.dir / "answers.yaml").expect(0)
        assert hub.states() == {"cmd_1": "succeeded"}


def test_profiles_of_both_places_are_merged(box):
    with Hub(box) as hub:
        box.write("hub/agents/ann/agent_profile.json", {"agent_id": "ann", "name": "Anna"})
        box.write("hub/agents/cy/agent_profile.json", {"agent_id": "cy", "prompt": "You are Cy."})
        agents = {agent["agent_id"]: agent for agent in hub.json("agents")}
        assert set(agents) == {"ann", "bob", "cy"}
        assert agents["ann"]["name"] == "Anna" and agents["ann"]["capabilities"] == ["writing"]
