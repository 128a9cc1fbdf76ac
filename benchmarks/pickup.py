#!/usr/bin/env python3
"""How soon a file that is dropped into an idle hub has been read by the server, and recorded and moved away, against a
process that does nothing but wait for the notification and read the file."""

import json
import os
import pathlib
import statistics
import subprocess
import sys
import threading
import time

from served_hub import IN_CLOSE_NOWRITE, IN_MOVED_FROM, IN_MOVED_TO, ServedHub, Watch

DROPS = 600
WARM_UP = 50
WORK = pathlib.Path(os.environ.get("BENCH_DIR", "."))


def read_what_comes(folder):
    watch = Watch(folder, IN_MOVED_TO)
    print("ready", flush=True)
    while True:
        _, name = watch.next()
        with open(os.path.join(folder, name), "rb") as file:
            file.read()
        if name == "last":
            return


def drop(stage, folder, name, content, watch, moments):
    """Seconds from the rename to each of the moments."""
    (stage / "x").write_text(content)
    start = time.perf_counter()
    os.rename(stage / "x", folder / name)
    taken = []
    for moment in moments:
        watch.until(moment, name)
        taken.append(time.perf_counter() - start)
    return taken


def bare(stage):
    folder = WORK / "bare"
    folder.mkdir()
    with subprocess.Popen([sys.executable, __file__, "--read", str(folder)], stdout=subprocess.PIPE, text=True) as reader:
        assert reader.stdout.readline() == "ready\n"
        watch = Watch(folder, IN_CLOSE_NOWRITE)
        times = [drop(stage, folder, f"x{i}", "{}", watch, [IN_CLOSE_NOWRITE])[0] for i in range(DROPS)]
        drop(stage, folder, "last", "{}", watch, [IN_CLOSE_NOWRITE])
    return times[WARM_UP:]


class Load(threading.Thread):
    """Somebody else's commands for another agent, 500 a second."""

    def __init__(self, hub):
        super().__init__()
        self.hub, self.over, self.dropped = hub, threading.Event(), 0

    def run(self):
        while not self.over.wait(0.002):
            content = json.dumps({"command_id": f"cmd_{self.dropped}", "plan_id": "plan_load", "prompt": "Do it."})
            (self.hub / "y").write_text(content)
            os.rename(self.hub / "y", self.hub / "agents/bob/inbox" / f"cmd_{self.dropped}.json")
            self.dropped += 1


def served(stage, under_load=False):
    with ServedHub(WORK / f"hub-{under_load}", ["ann", "bob"]) as hub:
        folder = hub.dir / "agents/ann/inbox"
        load = Load(hub.dir)
        if under_load:
            load.start()
        watch = Watch(folder, IN_CLOSE_NOWRITE | IN_MOVED_FROM)
        times = []
        for i in range(DROPS):
            content = json.dumps({"command_id": f"cmd_{i}", "plan_id": f"plan_{i}", "prompt": "Do it."})
            times.append(drop(stage, folder, f"cmd_{i}.json", content, watch, [IN_CLOSE_NOWRITE, IN_MOVED_FROM]))
            time.sleep(0.01)  # idle again: what the last command wrote is written
        load.over.set()
        if under_load:
            load.join()
        plans = [plan for plan in hub.verb("plans") if plan["plan_id"] != "plan_load"]
        done = sum(plan["tasks_completed"] for plan in plans)
        assert done == DROPS, f"{done} of {DROPS} are done"
    return [read for read, _ in times[WARM_UP:]], [moved for _, moved in times[WARM_UP:]]


def quantile(times, percent):
    return 1000 * statistics.quantiles(times, n=100)[percent - 1]


def tell(name, times, yardstick, target=None):
    value = quantile(times, 99)
    beside = quantile(yardstick, 99)
    print(json.dumps({"name": name, "value": round(value, 3), "unit": "ms", "spread": f"median {quantile(times, 50):.3f}",
                      "yardstick": f"bare inotify and read {beside:.3f} ms", "ratio": round(value / beside, 2),
                      "target": f"< {target} ms" if target else None, "ok": value < target if target else None}))


def main():
    stage = WORK / "stage"
    stage.mkdir(parents=True)
    yardstick = bare(stage)
    read, moved = served(stage)
    tell("pick-up of a dropped file, p99", read, yardstick, 2)
    tell("dropped, recorded and moved, p99", moved, yardstick)
    read, moved = served(stage, under_load=True)
    tell("pick-up beside 500 commands a second, p99", read, yardstick)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--read"]:
        read_what_comes(sys.argv[2])
    else:
        main()
