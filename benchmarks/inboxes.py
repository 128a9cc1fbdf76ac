#!/usr/bin/env python3
"""10,000 commands dropped into 100 inboxes at once, until each is done and every file is written, against plainly making
and renaming as many files as that leaves."""

import json
import os
import pathlib
import time

from served_hub import ServedHub

COMMANDS = 10_000
AGENTS = [f"agent_{number}" for number in range(100)]
WORK = pathlib.Path(os.environ.get("BENCH_DIR", "."))


def make_and_rename(stage, target, content):
    fd = os.open(stage, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    os.write(fd, content)
    os.close(fd)
    os.rename(stage, target)


def run():
    with ServedHub(WORK / "hub", AGENTS) as hub:
        start = time.perf_counter()
        for number in range(COMMANDS):
            agent = AGENTS[number % len(AGENTS)]
            command = {"command_id": f"cmd_{number}", "plan_id": f"plan_{agent}", "prompt": "Do it."}
            make_and_rename(hub.dir / "x", hub.dir / "agents" / agent / "inbox" / f"cmd_{number}.json",
                            json.dumps(command).encode())
        dropped = time.perf_counter() - start
        while sum(plan["tasks_completed"] for plan in hub.verb("plans")) < COMMANDS:
            time.sleep(0.05)
        taken, peak = time.perf_counter() - start, hub.peak_mib()
    left = sum(len(names) for folder, _, names in os.walk(hub.dir) if ".agenttalk" not in folder)
    assert len(list(hub.dir.glob("agents/*/inbox/.processed/*/cmd_*.json"))) == COMMANDS
    return dropped, taken, peak, left


def plain(count):
    target = WORK / "plain"
    for number in range(100):
        (target / str(number)).mkdir(parents=True)
    start = time.perf_counter()
    for number in range(count):
        make_and_rename(target / "x", target / str(number % 100) / f"{number}.json", b"x" * 500)
    return time.perf_counter() - start


def main():
    dropped, taken, peak, left = run()
    yardstick = plain(left)
    print(json.dumps({"name": f"{COMMANDS:,} commands in {len(AGENTS)} inboxes", "value": round(taken, 2), "unit": "s",
                      "spread": f"dropping took {dropped:.2f}, {COMMANDS / taken:,.0f}/s",
                      "yardstick": f"{left:,} files made and renamed {yardstick:.2f} s", "ratio": round(taken / yardstick, 2),
                      "target": "< 5 x", "ok": taken < 5 * yardstick}))
    print(json.dumps({"name": "the same, peak memory", "value": peak, "unit": "MiB", "target": "< 300 MiB",
                      "ok": peak < 300}))


if __name__ == "__main__":
    main()
