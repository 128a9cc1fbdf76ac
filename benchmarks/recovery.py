#!/usr/bin/env python3
"""From start to ready, with a million events of an open plan behind: after a kill in the middle of the work, after a kill at rest,
and with the snapshots taken out of the journal (they only save time), against reading the same rows from SQLite."""

import contextlib
import json
import shutil
import sqlite3
import statistics
import time

from measure import WORK, tell
from plan_run import fan, make_hub
from socket_run import Client
from served_hub import ServedHub

TASKS, EVENTS, REPEATS = 130_000, 1_000_000, 3
AT_WORK = TASKS * 9 // 10


def completed(client):
    return client.call("plans", {})[0]["tasks_completed"]


def kill(served):
    served.server.kill()
    served.server.wait()


def make_history():
    """Two hubs: one killed when most of the tasks were done, and the same later, at rest, waiting for a person."""
    hub = make_hub(WORK / "hub", "lazy")
    dag = fan("plan_many", TASKS)
    dag["nodes"][-1]["gates"] = {"required": True, "evidence_required": ["human"]}  # the plan stays open
    with ServedHub.of(hub) as served:
        client = Client(hub)
        client.call("plan/run", {"dag": json.dumps(dag), "author": "bench", "reason": "", "fresh": False, "files": []})
        while (told := completed(client)) < AT_WORK:
            time.sleep(0.05)
        kill(served)
    at_work = WORK / "at-work"
    shutil.copytree(hub, at_work, ignore=shutil.ignore_patterns("*.sock"))
    with ServedHub.of(hub) as served:
        assert completed(Client(hub)) >= told, "what was told before the kill is lost"
        while not Client(hub).call("questions", {}) or snapshot_version(hub) < TASKS:
            time.sleep(0.1)
        kill(served)
    return at_work, hub


def snapshot_version(hub):
    with contextlib.closing(journal(hub)) as database:
        return database.execute("SELECT coalesce(max(version), 0) FROM snapshots").fetchone()[0]


def start_to_ready(hub, least):
    start = time.perf_counter()
    with ServedHub.of(hub) as served:
        taken = time.perf_counter() - start
        assert completed(Client(hub)) >= least
        kill(served)
    return taken


def journal(hub):
    return sqlite3.connect(hub / ".agenttalk/journal.db")


def read_rows(hub):
    """Seconds for reading every row, and how many events are in them."""
    start = time.perf_counter()
    with journal(hub) as database:
        for _ in database.execute("SELECT * FROM journal"):
            pass
        taken = time.perf_counter() - start
        (events,) = database.execute("SELECT max(first_event) FROM journal").fetchone()
    return taken, events


def without_snapshots(hub, number):
    copy = WORK / f"bare{number}"
    shutil.copytree(hub, copy, ignore=shutil.ignore_patterns("*.sock"))
    with journal(copy) as database:
        database.execute("DELETE FROM snapshots")
    return copy


def main():
    at_work, at_rest = make_history()
    for name, hubs, least in (
            ("without snapshot", [without_snapshots(at_rest, number) for number in range(REPEATS)], TASKS + 1),
            ("the same with its snapshot, after a kill at rest", [at_rest] * REPEATS, TASKS + 1),
            ("the same after a kill while it worked", [at_work] * REPEATS, AT_WORK)):
        yardstick, events = read_rows(hubs[0])
        assert least <= TASKS or events >= EVENTS, events
        times = [start_to_ready(hub, least) for hub in hubs]
        median = statistics.median(times)
        tell(f"recovery: start to ready, a plan of {TASKS:,} tasks open, {name}", [events / taken for taken in times], "events/s",
             yardstick=f"{events:,} events read as rows {yardstick:.2f} s", ratio=round(median / yardstick, 2),
             target=">= 1,000,000/s", ok=events / median >= 1_000_000)


if __name__ == "__main__":
    main()
