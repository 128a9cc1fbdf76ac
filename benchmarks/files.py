#!/usr/bin/env python3
"""10,000 commands dropped into 100 inboxes at once, until each is done and every file is written, against plainly making
and renaming as many files as that leaves."""

import json
import statistics
import time

from measure import WORK, files_below, make_and_rename, plain_files, tell
from served_hub import ServedHub

COMMANDS = 10_000
AGENTS = [f"agent_{number}" for number in range(100)]
REPEATS = 3


def run(number):
    with ServedHub(WORK / f"hub{number}", AGENTS) as hub:
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
    left = files_below(hub.dir)
    assert len(list(hub.dir.glob("agents/*/inbox/.processed/*/cmd_*.json"))) == COMMANDS
    return dropped, taken, peak, left


def main():
    runs = [run(number) for number in range(REPEATS)]
    left = runs[0][3]
    plain = [plain_files(WORK / f"plain{number}", left) for number in range(REPEATS)]
    taken = statistics.median(taken for _, taken, _, _ in runs)
    yardstick = statistics.median(plain)
    tell(f"files: {COMMANDS:,} commands in {len(AGENTS)} inboxes, until the last file", [run[1] for run in runs], "s",
         yardstick=f"{left:,} files made and renamed {yardstick:.2f} s", ratio=round(taken / yardstick, 2), target="< 5 x",
         ok=taken < 5 * yardstick)
    peak = max(peak for _, _, peak, _ in runs)
    tell("files: the same, peak memory", [peak], "MiB", target="< 300 MiB", ok=peak < 300)


if __name__ == "__main__":
    main()
