#!/usr/bin/env python3
"""What a hub mostly does, for `make profile`: plans through a served hub's socket, a goal and verbs, in a few seconds."""

import subprocess

from measure import BINARY, WORK
from plan_run import chain, fan
from socket_run import run

PLANS = {
    "fanout": [fan("plan_fan", 1000)],
    "chain": [chain("plan_chain", 300)],
    "plans": [chain(f"plan_p{number}", 5) for number in range(300)],
}


def verbs():
    """As a person would call them, on a hub of a template and on one with many plans."""
    hub = WORK / "team"
    subprocess.run([BINARY, "init", hub, "--template", "report"], check=True, stdout=subprocess.DEVNULL)
    for words in (["run", hub / "plan.yaml"], ["status", "weekly-report"], ["trace", "weekly-report"],
                  ["log", "weekly-report"], ["show", "weekly-report"], ["validate", hub / "plan.yaml"]):
        subprocess.run([BINARY, *words, "--hub", hub], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    many = WORK / "plans-full"
    for words in (["plans"], ["plans", "--text", "p1"], ["status", "p12"], ["doctor"]):
        subprocess.run([BINARY, *words, "--hub", many], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)


if __name__ == "__main__":
    for mirror in ("lazy", "full"):
        for name, dags in PLANS.items():
            run(mirror, f"{name}-{mirror}", dags)
            print(f"{name}, {mirror}", flush=True)
    verbs()
