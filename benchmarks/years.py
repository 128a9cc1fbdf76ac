#!/usr/bin/env python3
"""A served hub with very many plans that have ended: what a page of `plans`, a search, the status of an old plan, a start and
memory cost; a start after a kill in the middle of much work; and one very large plan: memory while it runs and after it has ended.

usage: years.py [--plans N] [--tasks N] [--mirror full|lazy] [--rest SECONDS]
"""

import argparse
import pathlib
import sqlite3
import time

from measure import WORK, tell
from plan_run import chain, fan, make_hub
from served_hub import ServedHub
from socket_run import Client, hand_in_all

REPEATS = 21
SOME = 2000


def resident(server, what="VmRSS"):
    lines = pathlib.Path(f"/proc/{server.pid}/status").read_text().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith(what))) / 1024


def milliseconds(ask):
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        ask()
        times.append(1000 * (time.perf_counter() - start))
    return times


def within(values, most):
    """As a target and a verdict."""
    middle = sorted(values)[len(values) // 2]
    return {"target": f"<= {most}", "ok": middle <= most}


def many_plans(plans, mirror):
    hub = make_hub(WORK / "years", mirror)
    with ServedHub.of(hub) as served:
        half = 0.0
        for first in range(0, plans, SOME):
            hand_in_all(hub, [chain(f"plan_p{number}", 5) for number in range(first, min(first + SOME, plans))])
            if first < plans // 2 <= first + SOME:
                half = resident(served.server)
        full = resident(served.server)
        client = Client(hub)
        page = milliseconds(lambda: client.call("plans", {}))
        tell(f"a page of {plans:,} plans", page, "ms", **within(page, 5))
        search = milliseconds(lambda: client.call("plans", {"text": "p7"}))
        tell(f"a search over {plans:,} plans", search, "ms", **within(search, 200))
        status = milliseconds(lambda: client.call("status", {"plan_id": "plan_p3"}))
        tell("status of an old plan", status, "ms", **within(status, 5))
        tell(f"resident memory with {plans:,} finished plans", [full], "MB", **within([full], 60))
        tell("growth over the last half", [full - half], "MB", **within([full - half], 5))
    starts = []
    for _ in range(3):
        start = time.perf_counter()
        with ServedHub.of(hub):
            starts.append(1000 * (time.perf_counter() - start))
    tell(f"start to ready with {plans:,} finished plans", starts, "ms", **within(starts, 50))
    with sqlite3.connect(f"file:{hub}/.agenttalk/journal.db?mode=ro", uri=True) as journal:
        assert journal.execute("SELECT count(*) FROM plans WHERE state = 'completed'").fetchone()[0] == plans


def killed_far_ahead(plans):
    """Work is much faster than its files, and a start does not wait for those that are missing."""
    hub = make_hub(WORK / "killed", "full")
    with ServedHub.of(hub) as served:
        hand_in_all(hub, [chain(f"plan_p{number}", 5) for number in range(plans)])
        served.server.kill()
    missing = plans - len(list((hub / "plans").iterdir()))
    start = time.perf_counter()
    with ServedHub.of(hub) as served:
        ready = 1000 * (time.perf_counter() - start)
        most = resident(served.server, "VmHWM")
        served.server.kill()
    assert missing > plans / 4, f"the files of {missing} plans are missing, so this shows nothing"
    tell(f"start to ready after a kill, files of {missing:,} plans missing", [ready], "ms", **within([ready], 300))
    tell("memory of that start", [most], "MB", **within([most], 60))


def one_plan(tasks, mirror, rest):
    hub = make_hub(WORK / "large", mirror)
    with ServedHub.of(hub) as served:
        hand_in_all(hub, [fan("plan_large", tasks - 2)])
        most = resident(served.server, "VmHWM")
        time.sleep(rest)
        after = resident(served.server)
        tell(f"one plan of {tasks:,} tasks: most memory while it runs", [most], "MB", **within([most], 300))
        tell(f"one plan of {tasks:,} tasks: memory {rest} s after it has ended", [after], "MB", **within([after], 60))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--plans", type=int, default=100_000)
    parser.add_argument("--tasks", type=int, default=100_000)
    parser.add_argument("--mirror", choices=["full", "lazy"], default="lazy")
    parser.add_argument("--rest", type=int, default=60)
    given = parser.parse_args()
    if given.plans:
        many_plans(given.plans, given.mirror)
        killed_far_ahead(min(given.plans, 5000))
    if given.tasks:
        one_plan(given.tasks, given.mirror, given.rest)


if __name__ == "__main__":
    main()
