#!/usr/bin/env python3
"""Resident memory of a server: idle, with 10,000 agents, and after 100,000 tasks."""

import json
import pathlib

from measure import WORK, tell
from plan_run import fan, make_hub
from socket_run import Client
from served_hub import ServedHub


def resident(server):
    lines = pathlib.Path(f"/proc/{server.pid}/status").read_text().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("VmRSS"))) / 1024


def with_agents(count, name):
    with ServedHub(WORK / name, [f"agent_{number}" for number in range(count)]) as hub:
        assert len(hub.verb("agents")) == count
        return resident(hub.server)


def after_tasks(count):
    hub = make_hub(WORK / "tasks", "lazy")
    with ServedHub.of(hub) as served:
        served.client = Client(hub)
        served.client.call("plan/run", {"dag": json.dumps(fan("plan_many", count)), "author": "bench", "reason": "",
                                        "fresh": False, "files": []})
        after = 0
        while True:
            state = next(plan for plan in served.client.call("plans", {}) if plan["plan_id"] == "plan_many")
            if state["state"] != "running":
                break
            after = served.client.call("events", {"plan_id": "plan_many", "after": after, "wait_s": 1}).get("last", after)
        assert state["state"] == "completed" and state["tasks_completed"] == count + 2, state
        return resident(served.server)


def main():
    idle = [with_agents(4, f"idle{number}") for number in range(3)]
    tell("rss: idle", idle, "MB", target="<= 20 MB", ok=sorted(idle)[1] <= 20)
    many = [with_agents(10_000, "agents")]
    each = (many[0] - sorted(idle)[1]) * 1024 / 10_000
    tell("rss: 10,000 agents, none at work", many, "MB", spread=f"{each:.1f} KiB each", target="< 4 KiB each", ok=each < 4)
    tell("rss: 100,000 tasks done", [after_tasks(100_000)], "MB")


if __name__ == "__main__":
    main()
