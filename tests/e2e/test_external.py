"""An agent that another program plays: the example that asks a model's CLI, here with a CLI that only repeats."""

import json
import pathlib
import signal
import subprocess
import sys

from test_serve import Hub, command, wait_for

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples/external-agent"


def answer_once(hub, *program):
    subprocess.run([sys.executable, str(EXAMPLES / "agent.py"), "--once", str(hub.dir), "eve", *program], check=True,
                   timeout=30)


def add_eve(hub):
    config = hub.dir / "agenttalk.yaml"
    config.write_text(config.read_text().replace("agents:\n", "agents:\n  eve: {runtime: external}\n"))


def leave(hub, name, content, plan="plan_test"):
    """In eve's outbox, as a careful program does."""
    outbox = hub.dir / "agents/eve/outbox" / plan
    outbox.mkdir(parents=True, exist_ok=True)
    (outbox / f"{name}.tmp").write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    (outbox / f"{name}.tmp").rename(outbox / name)


def test_a_program_plays_an_agent(box):
    with Hub(box) as hub:
        add_eve(hub)
        hub.drop_command("eve", command("cmd_1", required_inputs=["notes.md"],
                                        on_complete={"send_to": ["bob"], "output_name": "said.md"}))
        hub.drop("eve", "notes.md", "the notes", plan="plan_test")
        hub.start()
        wait_for(lambda: (hub.dir / "agents/eve/inbox/plan_test/cmd_1.json").exists(), "the command")
        assert hub.states() == {"cmd_1": "running"}
        answer_once(hub, "cat")
        wait_for(lambda: hub.states() == {"cmd_1": "succeeded"}, "the result")
        said = hub.dir / "agents/bob/inbox/plan_test/said.md"
        wait_for(said.exists, "the output")
        assert said.read_text() == "Do cmd_1.\n\n--- notes.md\nthe notes"
        wait_for(lambda: not (hub.dir / "agents/eve/inbox/plan_test/cmd_1.json").exists(), "the end of the command")
        hub.stop()


def test_a_shell_script_plays_an_agent(box):
    with Hub(box) as hub:
        add_eve(hub)
        hub.drop_command("eve", command("cmd_1", required_inputs=["notes.md"], on_complete={"send_to": ["bob"]}))
        hub.drop("eve", "notes.md", "the notes\n", plan="plan_test")
        hub.start()
        wait_for(lambda: (hub.dir / "agents/eve/inbox/plan_test/cmd_1.json").exists(), "the command")
        subprocess.run(["bash", str(EXAMPLES / "agent.sh"), "--once", str(hub.dir), "eve", "cat"], check=True, timeout=30)
        wait_for(lambda: hub.states() == {"cmd_1": "succeeded"}, "the result")
        message = hub.dir / "agents/bob/inbox/plan_test/msg_cmd_1.json"
        wait_for(message.exists, "the message")
        said = json.loads(message.read_text())["result"]
        assert "==> notes.md <==\nthe notes\n" in said and '"prompt": "Do cmd_1."' in said, said
        hub.stop()


def test_named_files_of_an_outbox_go_with_the_next_result_also_across_kills(box):
    with Hub(box) as hub:
        add_eve(hub)
        archive = bytes(range(256)) * 8192
        hub.drop_command("eve", command("cmd_1", on_complete={"send_to": ["bob"], "output_name": "report.md"}))
        hub.start()
        wait_for(lambda: hub.states() == {"cmd_1": "running"}, "the command")
        leave(hub, "data.zip", archive)
        leave(hub, "report.md", b"the report")
        wait_for(lambda: len(hub.events("output_found")) == 2, "the outputs")
        hub.stop(signal.SIGKILL)
        hub.start()
        leave(hub, "result_cmd_1.json", {"result": "see the report"})
        wait_for(lambda: hub.states() == {"cmd_1": "succeeded"}, "the result")
        inbox = hub.dir / "agents/bob/inbox/plan_test"
        wait_for((inbox / "msg_cmd_1.json").exists, "the message")
        assert (inbox / "data.zip").read_bytes() == archive and (inbox / "report.md").read_text() == "the report"
        assert len(hub.events("output_found")) == 2, "nothing is taken in twice"
        outbox = hub.dir / "agents/eve/outbox"
        wait_for(lambda: not list((outbox / "plan_test").iterdir()), "the moves")
        names = {path.name for path in (outbox / ".processed/plan_test").iterdir()}
        assert names == {"data.zip", "report.md", "result_cmd_1.json", "msg_cmd_1.to_bob.json",
                         "record_cmd_1.json"}, names
        hub.stop()
        hub.run("doctor").expect(0)


def test_what_no_open_command_waits_for_is_a_dead_letter(box):
    with Hub(box) as hub:
        add_eve(hub)
        hub.start()
        leave(hub, "result_cmd_9.json", {"result": "?"})
        leave(hub, "data.zip", b"PK")
        leave(hub, "result_cmd_9.json", {"result": "?"}, plan="")
        wait_for(lambda: len(hub.json("dead", "list")) == 3, "the letters")
        assert sorted(letter["code"] for letter in hub.json("dead", "list")) == ["PLAN_UNKNOWN"] + ["STATE_CONFLICT"] * 2
        hub.drop_command("eve", command("cmd_9"))
        wait_for(lambda: hub.states() == {"cmd_9": "running"}, "the command")
        letter = next(one["id"] for one in hub.json("dead", "list")
                      if one["file"] == "result_cmd_9.json" and one["plan_id"] == "plan_test")
        hub.run("dead", "retry", letter).expect(0)
        assert hub.states() == {"cmd_9": "succeeded"}, "the early result was only early"
        hub.stop()


def test_a_broken_result_is_told_and_the_command_stays_open(box):
    with Hub(box) as hub:
        add_eve(hub)
        hub.drop_command("eve", command("cmd_1", score_required=True))
        hub.start()
        wait_for(lambda: hub.states() == {"cmd_1": "running"}, "the command")
        leave(hub, "result_cmd_1.json", {"result": "no score"})
        wait_for(lambda: hub.json("dead", "list"), "the refusal")
        letter = hub.json("dead", "list")[0]
        assert letter["code"] == "MODEL_OUTPUT_INVALID" and "score" in letter["message"], letter
        assert hub.states() == {"cmd_1": "running"}
        leave(hub, "result_cmd_1.json", {"result": "with one", "score": 70})
        wait_for(lambda: hub.states() == {"cmd_1": "succeeded"}, "the result")
        hub.stop()
