#!/usr/bin/env python3
"""Plays an agent whose profile says `runtime: external`: hands every command to a program, such as a model's CLI.

usage: agent.py [--once] HUB AGENT PROGRAM [ARG…]      e.g.  agent.py . writer claude -p

The program gets the prompt and the inputs on stdin, runs in an empty folder, and leaves there the files that the command
asks for; what it prints is the result. If it fails, the agent says so.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

MOST_TRIES = 3
once = sys.argv[1] == "--once" and bool(sys.argv.pop(1))
hub, agent, *program = sys.argv[1:]
box = pathlib.Path(hub, "agents", agent)
tries = {}


def publish(path, content):
    """Only complete files count: written under another name, then renamed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    hidden = path.with_name(path.name + ".tmp")
    hidden.write_bytes(content)
    os.rename(hidden, path)


def work(file, command):
    """What comes of a command: {"result": …} or {"error": …}, and the files that were made."""
    refused = file.with_name(f"refused_{file.name}")
    tries[file] = tries.get(file, 0) + 1
    if refused.exists() and tries[file] > MOST_TRIES:
        return {"error": {"message": f"refused {MOST_TRIES} times: {refused.read_text()}", "retry": False}}, {}
    parts = [command["prompt"]]
    if len(command["outputs"]) > 1:  # the result is the content of a single one
        parts.append("Make these files in the current folder: " + ", ".join(command["outputs"]))
    if refused.exists():
        parts.append("Your last result was refused:\n" + refused.read_text())
    for path in sorted(file.parent.iterdir()):
        if path.is_file() and not path.name.startswith(("cmd_", "refused_", ".")):
            parts.append(f"--- {path.name}\n{path.read_text(errors='replace')}")
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(program, input="\n\n".join(parts), cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            reason = done.stderr.strip()[-500:] or f"exit code {done.returncode}"
            return {"error": {"message": reason, "retry": True}}, {}
        made = {name: pathlib.Path(folder, name) for name in command["outputs"]}
        return {"result": done.stdout.strip()}, {name: path.read_bytes() for name, path in made.items() if path.exists()}


while True:
    for file in sorted(box.glob("inbox/*/cmd_*.json")):
        outbox = box / "outbox" / file.parent.name
        result = outbox / f"result_{file.name}"
        # The command goes before its result does: without a result it is still to be done if it is there.
        if result.exists() or not file.exists():
            continue
        answer, files = work(file, json.loads(file.read_text(encoding="utf-8")))
        for name, content in files.items():
            publish(outbox / name, content)  # outputs first: they go with the next result
        publish(result, json.dumps(answer).encode())
    if once:
        break
    time.sleep(0.5)
