#!/usr/bin/env python3
"""What a hub mostly does, for `make profile`: plans through a served hub's socket, dropped files, a start with a history behind,
a goal's verbs and a clean-up, in a few seconds."""

import json
import subprocess
import time

from measure import BINARY, WORK, make_and_rename
from plan_run import chain, fan, make_hub
from served_hub import ServedHub
from socket_run import Client, run

PLANS = {
    "fanout": [fan("plan_fan", 1000)],
    "chain": [chain("plan_chain", 300)],
    "plans": [chain(f"plan_p{number}", 5) for number in range(300)],
}
DROPPED = 300


def call(*words):
    subprocess.run([BINARY, *words], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def verbs():
    """As a person would call them, on a hub of a template and on one with many plans."""
    hub = WORK / "team"
    call("init", hub, "--template", "report")
    for words in (["run", hub / "plan.yaml"], ["status", "weekly-report"], ["trace", "weekly-report"],
                  ["log", "weekly-report"], ["show", "weekly-report"], ["validate", hub / "plan.yaml"]):
        call(*words, "--hub", hub)
    many = WORK / "plans-full"
    for words in (["plans"], ["plans", "--text", "p1"], ["status", "p12"], ["doctor"], ["gc", "p1", "p2", "p3"]):
        call(*words, "--hub", many)


def dropped_files():
    with ServedHub(WORK / "dropped", ["ann", "bob"]) as hub:
        for number in range(DROPPED):
            agent = ("ann", "bob")[number % 2]
            command = {"command_id": f"cmd_{number}", "plan_id": f"plan_{agent}", "prompt": "Do it.",
                       "required_inputs": [] if number < 2 else [f"note_{number}.md"]}
            box = hub.dir / "agents" / agent / "inbox"
            make_and_rename(hub.dir / "x", box / f"cmd_{number}.json", json.dumps(command).encode())
            make_and_rename(hub.dir / "x", box / f"note_{number}.md", b"a note")
        while sum(plan["tasks_completed"] for plan in hub.verb("plans")) < DROPPED:
            time.sleep(0.05)


def start_with_a_history():
    hub = make_hub(WORK / "open", "lazy")
    dag = fan("plan_open", 3000)
    dag["nodes"][-1]["gates"] = {"required": True, "evidence_required": ["human"]}
    with ServedHub.of(hub) as served:
        Client(hub).call("plan/run",
                         {"dag": json.dumps(dag), "author": "bench", "reason": "", "fresh": False, "files": []})
        while not Client(hub).call("questions", {}):
            time.sleep(0.05)
        served.server.kill()
        served.server.wait()
    with ServedHub.of(hub):
        assert len(Client(hub).call("questions", {})) == 1


if __name__ == "__main__":
    for mirror in ("lazy", "full"):
        for name, dags in PLANS.items():
            run(mirror, f"{name}-{mirror}", dags)
            print(f"{name}, {mirror}", flush=True)
    dropped_files()
    start_with_a_history()
    verbs()
