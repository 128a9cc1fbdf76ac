#!/usr/bin/env python3
"""How long the program takes from being started to being gone, against /bin/true started in turn with it."""

import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

RUNS = 50
BINARY = os.environ["AGENTTALK"]
WORK = pathlib.Path(os.environ["BENCH_DIR"])
COMMAND = {"command_id": "cmd_001", "plan_id": "plan_bench", "prompt": "Summarise the notes.", "required_inputs": ["a.md"]}


def milliseconds(argv, quiet):
    start = time.perf_counter()
    child = os.posix_spawn(argv[0], argv, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, quiet, 1)])
    _, status = os.waitpid(child, 0)
    taken = 1000 * (time.perf_counter() - start)
    if status != 0:
        sys.exit(f"{argv}: status {status}")
    return taken


def spread(times):
    low, _, high = statistics.quantiles(times, n=4)
    return f"{low:.2f}-{high:.2f}"


def first_task(number, quiet):
    """From nothing running to a task done, durable, its files written, and the process gone."""
    hub = WORK / f"hub{number}"
    hub.mkdir()
    (hub / "agenttalk.yaml").write_text(
        "version: 1\nprovider: offline\nproviders:\n  offline: {kind: scripted, answers: answers.yaml}\nagents:\n  ann: {}\n")
    (hub / "answers.yaml").write_text('- answer: {result: "done"}\n')
    plan = hub / "plan.yaml"
    plan.write_text("plan: one\ntasks:\n  - {id: one, agent: ann, prompt: Do it., outputs: [one.txt]}\n")
    taken = milliseconds([BINARY, "run", "--plan", str(plan), "--hub", str(hub), "--json", "--quiet"], quiet)
    assert (hub / "plans/plan_one/deliverables/one.txt").read_text() == "done"
    return taken


def main():
    one = WORK / "one.json"
    one.write_text(json.dumps(COMMAND), encoding="utf-8")
    calls = {
        "true": ["/bin/true"],
        "--version": [BINARY, "--version"],
        "validate one.json": [BINARY, "validate", str(one)],
    }
    for argv in list(calls.values())[1:]:
        subprocess.run(argv, check=True, stdout=subprocess.DEVNULL)  # right before it is measured, and warm
    times = {name: [] for name in calls}
    with open(os.devnull, "wb") as quiet:
        for _ in range(RUNS):
            for name, argv in calls.items():
                times[name].append(milliseconds(argv, quiet.fileno()))
        first = [first_task(number, quiet.fileno()) for number in range(21)]
    yardstick = statistics.median(times.pop("true"))
    median = statistics.median(first)
    print(json.dumps({
        "name": "coldstart to the first task done, in a new hub", "value": round(median, 3), "unit": "ms",
        "spread": spread(first), "yardstick": f"/bin/true {yardstick:.2f} ms", "ratio": round(median / yardstick, 2),
        "target": "<= 30 ms", "ok": median <= 30}))
    for name, taken in times.items():
        median = statistics.median(taken)
        print(json.dumps({
            "name": f"coldstart {name}", "value": round(median, 3), "unit": "ms", "spread": spread(taken),
            "yardstick": f"/bin/true {yardstick:.2f} ms", "ratio": round(median / yardstick, 2),
            "target": "< 15 ms", "ok": median < 15}))


if __name__ == "__main__":
    main()
