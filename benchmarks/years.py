#!/usr/bin/env python3
"""A served hub with very many plans that have ended: what a page of `plans`, a search, the status of an old plan, a start and
memory cost. YEARS_PLANS says how many plans there are (100,000), YEARS_MIRROR how files are written (lazy)."""

import os
import pathlib
import sqlite3
import threading
import time

from measure import WORK, tell
from plan_run import make_hub
from plans import CLIENTS, Client, hand_in, live_plans, request
from served_hub import ServedHub

PLANS = int(os.environ.get("YEARS_PLANS", "100000"))
MIRROR = os.environ.get("YEARS_MIRROR", "lazy")
REPEATS = 21
SOME = 2000


def resident(server):
    lines = pathlib.Path(f"/proc/{server.pid}/status").read_text().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("VmRSS"))) / 1024


def milliseconds(ask):
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        ask()
        times.append(1000 * (time.perf_counter() - start))
    return times


def bring(hub, first, last):
    texts = [[request(number) for number in range(first + client, last, CLIENTS)] for client in range(CLIENTS)]
    clients = [threading.Thread(target=hand_in, args=(Client(hub), text)) for text in texts]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    while live_plans(hub) > 0:
        time.sleep(0.02)


def within(values, most):
    """As a target and a verdict."""
    middle = sorted(values)[len(values) // 2]
    return {"target": f"<= {most}", "ok": middle <= most}


def main():
    hub = make_hub(WORK / "years", MIRROR)
    with ServedHub.of(hub) as served:
        half = 0.0
        for first in range(0, PLANS, SOME):
            bring(hub, first, min(first + SOME, PLANS))
            if first <= PLANS // 2 < first + SOME:
                half = resident(served.server)
        full = resident(served.server)
        client = Client(hub)
        page = milliseconds(lambda: client.call("plans", {}))
        tell(f"a page of {PLANS} plans", page, "ms", **within(page, 5))
        search = milliseconds(lambda: client.call("plans", {"text": "p7"}))
        tell(f"a search over {PLANS} plans", search, "ms", **within(search, 200))
        status = milliseconds(lambda: client.call("status", {"plan_id": "plan_p3"}))
        tell("status of an old plan", status, "ms", **within(status, 5))
        tell(f"resident memory with {PLANS} finished plans", [full], "MB", **within([full], 60))
        tell("growth over the last half", [full - half], "MB", **within([full - half], 5))
    starts = []
    for _ in range(3):
        start = time.perf_counter()
        with ServedHub.of(hub):
            starts.append(1000 * (time.perf_counter() - start))
    tell(f"start to ready with {PLANS} finished plans", starts, "ms", **within(starts, 50))
    with sqlite3.connect(f"file:{hub}/.agenttalk/journal.db?mode=ro", uri=True) as journal:
        assert journal.execute("SELECT count(*) FROM plans WHERE state = 'completed'").fetchone()[0] == PLANS


if __name__ == "__main__":
    main()
