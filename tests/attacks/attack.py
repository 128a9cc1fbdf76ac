"""What the attacks share: how they are counted, hubs to attack, and a second user who does it."""

import json
import os
import pathlib
import pwd
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))

from sandbox import bubblewrap_missing as sandbox_missing  # noqa: E402, F401

NOBODY = 65534
CLASSES = ("sandbox", "model answers", "inbox files", "external agents", "foreign hub", "local user", "model server",
           "socket", "terminal", "redaction", "MCP servers")

# Characters that steer a terminal or change what is seen without being seen.
STEERING = {
    "ESC": "\x1b", "BEL": "\x07", "backspace": "\x08", "vertical tab": "\x0b", "DEL": "\x7f",
    "C1 CSI": "\x9b", "C1 OSC": "\x9d", "C1 DCS": "\x90", "C1 NEL": "\x85", "RLO": "\u202e", "LRO": "\u202d",
    "RLE": "\u202b", "LRI": "\u2066", "RLI": "\u2067", "PDI": "\u2069", "RLM": "\u200f", "ALM": "\u061c",
    "line separator": "\u2028", "tag": "\U000e0041",
}
# With newline and tab, which texts may have.
SEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufff9-\ufffb"
                  "\U000e0000-\U000e007f]")


class Attacks:
    """Counts what was tried. `with Attacks(box, "terminal") as tried: tried.repelled("name", it_held, detail)`."""

    def __init__(self, box, kind):
        assert kind in CLASSES, kind
        self.box, self.kind, self.succeeded = box, kind, []

    def __enter__(self):
        return self

    def repelled(self, name, held, detail=""):
        self.box.tally.setdefault(self.kind, []).append((name, "repelled" if held else "SUCCEEDED"))
        if not held:
            self.succeeded.append(f"{self.kind}: {name}: {detail}")

    def skipped(self, name, reason):
        self.box.tally.setdefault(self.kind, []).append((name, f"SKIPPED: {reason}"))

    def __exit__(self, error, *_):
        if error is None and self.succeeded:
            raise AssertionError("attacks that succeeded:\n" + "\n".join(self.succeeded))


def other_user():
    """Why no second user can be had here; nothing when one can."""
    if os.geteuid() != 0:
        return "only root can act as a second user"
    if shutil.which("setpriv") is None:
        return "setpriv is missing"
    try:
        pwd.getpwuid(NOBODY)
    except KeyError:
        return "there is no user nobody"
    return None


def as_nobody(*command, cwd="/", env=None, timeout=60, stdin=None):
    """Runs a command as another user of this machine."""
    clean = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", **(env or {})}
    return subprocess.run(["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--", *map(str, command)],
                          cwd=cwd, env=clean, capture_output=True, text=True, timeout=timeout, input=stdin)


def hub(box, agents="  ann: {prompt: You are Ann.}\n", answers="- answer: {result: done}\n", more="", name="hub"):
    box.write(f"{name}/agenttalk.yaml", f"version: 1\nprovider: offline\nproviders:\n"
              f"  offline: {{kind: scripted, answers: answers.yaml}}\nagents:\n{agents}{more}")
    box.write(f"{name}/answers.yaml", answers.replace("\\udb40\\udc41", "\\U000e0041"))  # YAML's way to write the tag
    return box.dir / name


def drop(folder, agent, name, content, plan=""):
    inbox = folder / "agents" / agent / "inbox" / plan
    inbox.mkdir(parents=True, exist_ok=True)
    text = content if isinstance(content, (str, bytes)) else json.dumps(content)
    (inbox / name).write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
    return inbox / name


def command(number, plan="plan_a", **more):
    return {"command_id": number, "plan_id": plan, "prompt": f"Do {number}.", **more}


def letters(box, folder="hub"):
    return box.run("dead", "list", "--json", "--hub", folder).json


def events(box, plan, folder="hub"):
    out = box.run("log", plan, "--json", "--hub", folder).out
    return [event for event in map(json.loads, filter(None, out.split("\n"))) if "type" in event]
