#!/usr/bin/env python3
"""From start to ready after a kill, with a million events behind: of a plan that is done (nothing to fold), and of one
that is still open (from its snapshot), against reading the same rows from SQLite."""

import json
import os
import signal
import sqlite3
import subprocess
import time

from measure import BINARY, WORK, tell
from plan_run import fan, make_hub
from plans import Client
from served_hub import ServedHub

TASKS = 110_000


def start_to_ready(hub):
    start = time.perf_counter()
    with ServedHub.of(hub) as served:
        taken = time.perf_counter() - start
        served.server.kill()
        served.server.wait()
    return taken


def read_rows(hub):
    start = time.perf_counter()
    with sqlite3.connect(f"file:{hub}/.agenttalk/journal.db?mode=ro", uri=True) as database:
        table = next(name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type='table'")
                     if name in ("rows", "events", "appends"))
        count = sum(1 for _ in database.execute(f"SELECT * FROM {table}"))
    return time.perf_counter() - start, count


def make_history():
    hub = make_hub(WORK / "hub", "lazy")
    dag = fan("plan_many", TASKS)
    dag["nodes"][-1]["assigned_agent_id"] = "human"  # the plan stays open: a person has the last task
    with ServedHub.of(hub) as served:
        client = Client(hub)
        client.call("plan/run", {"dag": json.dumps(dag), "author": "bench", "reason": "", "fresh": False, "files": []})
        while not client.call("questions", {}):
            time.sleep(0.2)
        served.server.kill()
        served.server.wait()
    return hub


def main():
    hub = make_history()
    events = json.loads(subprocess.run([BINARY, "plans", "--json", "--hub", str(hub)], check=True, text=True,
                                       stdout=subprocess.PIPE).stdout)
    assert events[0]["tasks_completed"] == TASKS + 1, events
    yardstick, rows = read_rows(hub)
    times = [start_to_ready(hub) for _ in range(3)]
    median = sorted(times)[1]
    tell("recovery: start to ready, a plan of 110,000 tasks open", times, "s",
         yardstick=f"{rows:,} rows read {yardstick:.2f} s", ratio=round(median / yardstick, 2), target="< 1 s",
         ok=median < 1)


if __name__ == "__main__":
    main()
