#!/usr/bin/env python3
"""What a conversation of 200 turns with a growing context takes on disk, against its new content alone: history must not
be stored again with every turn."""

import json
import os
import pathlib
import subprocess

from measure import BINARY, WORK, tell

TURNS = 200
TEXT = "What was found in this turn, in a page of text that differs from turn to turn. " * 38


def size_of(hub):
    """Bytes of the journal, its log moved into it."""
    subprocess.run([BINARY, "plans", "--hub", str(hub)], check=True, stdout=subprocess.DEVNULL)
    return sum(path.stat().st_size for path in (hub / ".agenttalk").rglob("*") if path.is_file())


def conversation(name):
    """An agent that writes a page a turn; every turn's request holds all turns before it."""
    hub = pathlib.Path(WORK / name)
    hub.mkdir()
    (hub / "agenttalk.yaml").write_text(
        "version: 1\nprovider: offline\nproviders:\n  offline: {kind: scripted, answers: answers.yaml}\n"
        f"limits: {{max_tool_rounds: {TURNS + 1}}}\nagents:\n  ann: {{tools: [write_file]}}\n")
    new, answers = 0, []
    for turn in range(TURNS):
        page = {"path": "work/page.txt", "content": f"{turn}: {TEXT}"}
        call = {"tool_calls": [{"name": "write_file", "arguments": page}]}
        answers.append({"when": {"attempt": turn + 1}, "answer": call})
        new += len(json.dumps(call))
    answers.append({"answer": {"result": "done"}})
    (hub / "answers.yaml").write_text(json.dumps(answers))
    plan = {"plan": "talk", "tasks": [{"id": "talk", "agent": "ann", "prompt": "Go on.", "outputs": ["end.txt"]}]}
    (hub / "plan.yaml").write_text(json.dumps(plan))
    run = subprocess.run([BINARY, "run", "--plan", str(hub / "plan.yaml"), "--hub", str(hub), "--json", "--quiet"],
                         text=True, stdout=subprocess.PIPE, env={**os.environ, "NO_COLOR": "1"})
    last = json.loads(run.stdout.splitlines()[-1])
    assert run.returncode == 0 and last["state"] == "completed", last
    log = subprocess.run([BINARY, "log", "plan_talk", "--hub", str(hub), "--json"], check=True, text=True,
                         stdout=subprocess.PIPE).stdout
    events = [json.loads(line) for line in log.splitlines()]
    assert sum(event["type"] == "model_call_intended" for event in events) == TURNS + 1
    assert all(event["data"]["error"] is None for event in events if event["type"] == "tool_call_finished")
    return size_of(hub), new


def main():
    ratios = [journal / new for journal, new in (conversation(f"hub{number}") for number in range(3))]
    journal, new = conversation("last")
    tell("journal: bytes per turn of 200, context growing", [journal / TURNS], "bytes",
         yardstick=f"new content {new / TURNS:,.0f} bytes", ratio=round(sorted(ratios)[1], 2), target="<= 3 x",
         ok=sorted(ratios)[1] <= 3)


if __name__ == "__main__":
    main()
