"""An agent that another program plays: the example that asks a model's CLI, here with a CLI that only repeats."""

import pathlib
import subprocess
import sys

from test_serve import Hub, command, wait_for

EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples/external-agent/agent.py"


def answer_once(hub, *program):
    subprocess.run([sys.executable, str(EXAMPLE), "--once", str(hub.dir), "eve", *program], check=True, timeout=30)


def test_a_program_plays_an_agent(box):
    with Hub(box) as hub:
        config = hub.dir / "agenttalk.yaml"
        config.write_text(config.read_text().replace("agents:\n", "agents:\n  eve: {runtime: external}\n"))
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
