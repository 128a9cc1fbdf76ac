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


def make_history():
    hub = make_hub(WORK / "hub", "lazy")
    dag = fan("plan_many", TASKS)
    dag["nodes"][-1]["gates"] = {"required": True, "evidence_required": ["human"]}  # the plan stays open
    with ServedHub.of(hub) as served:
        client = Client(hub)
        client.call("plan/run", {"dag": json.dumps(dag), "author": "bench", "reason": "", "fresh": False, "files": []})
        while client.call("plans", {})[0]["tasks_completed"] <= TASKS:
            time.sleep(0.1)
        served.server.kill()
        served.server.wait()
    return hub


def rested(hub):
    """The same after a second at rest, when the plan's snapshot has been written."""
    copy = WORK / "rested"
    shutil.copytree(hub, copy, ignore=shutil.ignore_patterns("*.sock"))
    with ServedHub.of(copy) as served:
        while snapshot_version(copy) < TASKS:
            time.sleep(0.1)
        served.server.kill()
        served.server.wait()
    return copy


def snapshot_version(hub):
    with contextlib.closing(journal(hub)) as database:
        return database.execute("SELECT coalesce(max(version), 0) FROM snapshots").fetchone()[0]


def start_to_ready(hub):
    start = time.perf_counter()
    with ServedHub.of(hub) as served:
        taken = time.perf_counter() - start
        (plan,) = Client(hub).call("plans", {})
        assert plan["tasks_completed"] == TASKS + 1, plan
        served.server.kill()
        served.server.wait()
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
    hub = make_history()
    yardstick, events = read_rows(hub)
    assert events >= EVENTS, events
    rows = f"{events:,} events read as rows {yardstick:.2f} s"
    folded = [start_to_ready(without_snapshots(hub, number)) for number in range(REPEATS)]
    rate = events / statistics.median(folded)
    tell(f"recovery: start to ready without snapshot, a plan of {TASKS:,} tasks open", [events / taken for taken in folded],
         "events/s", yardstick=rows, ratio=round(statistics.median(folded) / yardstick, 2), target=">= 1,000,000/s",
         ok=rate >= 1_000_000)
    for name, served in (("after a kill while it worked", hub), ("after a kill at rest", rested(hub))):
        times = [start_to_ready(served) for _ in range(REPEATS)]
        median = statistics.median(times)
        tell(f"recovery: the same with its snapshot, {name}", [events / taken for taken in times], "events/s", yardstick=rows,
             ratio=round(median / yardstick, 2), target=">= 1,000,000/s", ok=events / median >= 1_000_000)


if __name__ == "__main__":
    main()
