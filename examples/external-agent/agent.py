#!/usr/bin/env python3
"""Plays an agent whose profile says `runtime: external`: asks a program, such as a model's CLI, for every command.

usage: agent.py [--once] HUB AGENT PROGRAM [ARG…]      e.g.  agent.py . writer claude -p
"""

import json
import os
import pathlib
import subprocess
import sys
import time

once = sys.argv[1] == "--once" and bool(sys.argv.pop(1))
hub, agent, *program = sys.argv[1:]
box = pathlib.Path(hub, "agents", agent)
while True:
    for file in sorted(box.glob("inbox/*/cmd_*.json")):
        plan, command = file.parent.name, json.loads(file.read_text(encoding="utf-8"))
        result = box / "outbox" / plan / f"result_{command['command_id']}.json"
        processed = box / "outbox" / ".processed" / plan / result.name
        if result.exists() or processed.exists():
            continue
        inputs = [p for p in sorted(file.parent.iterdir()) if p.is_file() and not p.name.startswith(("cmd_", "."))]
        prompt = "\n\n".join([command["prompt"]] + [f"--- {p.name}\n{p.read_text(errors='replace')}" for p in inputs])
        said = subprocess.run(program, input=prompt, capture_output=True, text=True, check=True).stdout.strip()
        result.parent.mkdir(parents=True, exist_ok=True)
        result.with_suffix(".tmp").write_text(json.dumps({"result": said}), encoding="utf-8")
        os.rename(result.with_suffix(".tmp"), result)  # only complete files count
    if once:
        break
    time.sleep(0.5)
