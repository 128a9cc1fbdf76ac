#!/usr/bin/env python3
"""10,000 agents that have nothing to do, in one server: what each costs in memory, against a hub of ten, and whether the
process does anything while nothing happens."""

import json
import os
import pathlib
import time

from served_hub import ServedHub

FEW, MANY = 10, 10_000
WATCHED_SECONDS = 5
WORK = pathlib.Path(os.environ.get("BENCH_DIR", "."))


def status(pid, key):
    lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith(key + ":")))


def wakeups(pid):
    """Of all threads: how often one of them was put to sleep and woken."""
    return sum(status(f"{pid}/task/{task.name}", "voluntary_ctxt_switches")
               for task in pathlib.Path(f"/proc/{pid}/task").iterdir())


def cpu_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(count):
    hub = ServedHub(WORK / f"hub_{count}", [f"agent_{number}" for number in range(count)])
    with (hub.dir / "agenttalk.yaml").open("a") as config:
        # The sweep that makes up for lost notifications is not what is measured.
        config.write("heartbeat: {interval_seconds: 3600}\n")
    with hub:
        assert len(hub.verb("agents")) == count
        pid = hub.server.pid
        # Until what the start left to do is done.
        before = -1
        while before != wakeups(pid):
            before = wakeups(pid)
            time.sleep(0.5)
        used = cpu_seconds(pid)
        time.sleep(WATCHED_SECONDS)
        return status(pid, "RssAnon"), wakeups(pid) - before, cpu_seconds(pid) - used


def main():
    few, _, _ = measure(FEW)
    many, woken, used = measure(MANY)
    each = (many - few) * 1024 / (MANY - FEW)
    print(json.dumps({"name": f"an idle agent, of {MANY:,} in one process", "value": round(each), "unit": "bytes",
                      "spread": f"{many / 1024:.1f} MiB in all", "yardstick": f"{FEW} agents {few / 1024:.1f} MiB",
                      "target": "< 4,096 bytes", "ok": each < 4096}))
    print(json.dumps({"name": f"the same, woken up in {WATCHED_SECONDS} s", "value": woken, "unit": "times",
                      "spread": f"{used:.2f} s of CPU", "target": "< 5", "ok": woken < 5}))


if __name__ == "__main__":
    main()
