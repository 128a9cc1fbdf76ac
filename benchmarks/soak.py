#!/usr/bin/env python3
"""A served hub under a steady load for a long time: memory, descriptors and latency have to stay flat.

usage: soak.py [--minutes N] [--rate PLANS_A_SECOND] [--plot FILE]

Hands in plans of two tasks at a fixed rate through the socket and asks for the status of one of them now and then. Every few
seconds it notes resident memory, descriptors, and how long the slower of twenty requests took. The first quarter is for warming
up; after it, the last quarter is compared with the second.
"""

import argparse
import json
import os
import pathlib
import statistics
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
os.environ.setdefault("AGENTTALK", str(HERE.parent / "build/release/agenttalk"))
os.environ.setdefault("BENCH_DIR", tempfile.mkdtemp(prefix="soak-", dir=HERE.parent / "build"))

from measure import WORK  # noqa: E402
from plan_run import chain, make_hub  # noqa: E402
from served_hub import ServedHub  # noqa: E402
from socket_run import Client, live_plans, request  # noqa: E402
from years import resident  # noqa: E402

EVERY = 5.0
LINES = (("memory_mb", "resident memory, MB", "#1b6ca8"), ("descriptors", "open descriptors", "#2e8b57"),
         ("latency_ms", "a request, 95th percentile, ms", "#c0392b"))
WIDTH, HEIGHT, LEFT, RIGHT, TOP, GAP = 760, 130, 64, 20, 30, 22


class Load(threading.Thread):
    """Hands in plans at a rate, and keeps how long each request took."""

    def __init__(self, hub, rate, end):
        super().__init__(daemon=True)
        self.hub, self.rate, self.end = hub, rate, end
        self.times, self.count, self.late, self.error = [], 0, 0, None
        self.lock = threading.Lock()

    def run(self):
        try:
            self.hand_in()
        except Exception as error:  # told by the main thread
            self.error = error

    def hand_in(self):
        client = Client(self.hub)
        client.connect()
        began = time.monotonic()
        while time.monotonic() < self.end:
            due = began + self.count / self.rate
            wait = due - time.monotonic()
            if wait > 0:
                time.sleep(wait)
            elif wait < -1:
                self.late += 1
                began -= wait  # what cannot be kept up with is not made up for
            start = time.perf_counter()
            client.sock.sendall(request(chain(f"plan_s{self.count}", 2)))
            answer = client.sock.recv(65536)
            assert answer.startswith(b"HTTP/1.1 200 "), answer
            with self.lock:
                self.times.append(1000 * (time.perf_counter() - start))
            self.count += 1

    def take(self):
        with self.lock:
            times, self.times = self.times, []
        return sorted(times)


def sample(hub, server, load, minute):
    client = Client(hub)
    client.call("plans", {})
    client.call("status", {"plan_id": f"plan_s{max(0, load.count - 1000)}"})
    client.close()
    os.close(client.folder)
    times = load.take() or [0.0]
    return {"minute": round(minute, 3), "memory_mb": round(resident(server), 1),
            "descriptors": len(os.listdir(f"/proc/{server.pid}/fd")),
            "latency_ms": round(times[int(0.95 * (len(times) - 1))], 2), "plans": load.count}


def quarter(samples, number, key):
    size = len(samples) // 4
    return statistics.median(one[key] for one in samples[number * size:(number + 1) * size])


def verdicts(samples):
    second = {key: quarter(samples, 1, key) for key, _, _ in LINES}
    last = {key: quarter(samples, 3, key) for key, _, _ in LINES}
    limits = {"memory_mb": second["memory_mb"] + 8, "descriptors": second["descriptors"] + 4,
              "latency_ms": 2 * second["latency_ms"] + 5}
    return {key: {"second quarter": second[key], "last quarter": last[key], "most": limits[key], "ok": last[key] <= limits[key]}
            for key in limits}


def plot(samples, file):
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {TOP + 3 * (HEIGHT + GAP) + 20}" font-family="sans-serif" '
             f'font-size="12"><rect width="100%" height="100%" fill="white"/>']
    end = samples[-1]["minute"]
    for number, (key, words, colour) in enumerate(LINES):
        top = TOP + number * (HEIGHT + GAP)
        most = 1.2 * max(one[key] for one in samples) or 1
        x = [LEFT + one["minute"] / end * (WIDTH - LEFT - RIGHT) for one in samples]
        y = [top + HEIGHT - one[key] / most * HEIGHT for one in samples]
        parts.append(f'<path d="M{LEFT} {top}V{top + HEIGHT}H{WIDTH - RIGHT}" fill="none" stroke="#bbb"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{top + 10}" text-anchor="end">{most:.0f}</text>')
        parts.append(f'<text x="{LEFT - 6}" y="{top + HEIGHT}" text-anchor="end">0</text>')
        parts.append(f'<text x="{LEFT + 8}" y="{top - 4}" fill="{colour}">{words}</text>')
        points = "L".join(f"{a:.1f} {b:.1f}" for a, b in zip(x, y))
        parts.append(f'<path d="M{points}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
    foot = TOP + 3 * (HEIGHT + GAP)
    parts.append(f'<text x="{LEFT}" y="{foot}">0</text><text x="{WIDTH - RIGHT}" y="{foot}" text-anchor="end">'
                 f'{end:.0f} minutes, {samples[-1]["plans"]:,} plans</text>')
    pathlib.Path(file).write_text("\n".join(parts) + "\n</svg>\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--rate", type=float, default=50)
    parser.add_argument("--plot", default=str(HERE.parent / "build/soak.svg"))
    given = parser.parse_args()
    hub = make_hub(WORK / "soak", "full")
    samples = []
    with ServedHub.of(hub) as served:
        began = time.monotonic()
        load = Load(hub, given.rate, began + 60 * given.minutes)
        load.start()
        pause = min(EVERY, 60 * given.minutes / 40)
        while load.is_alive():
            load.join(pause)
            samples.append(sample(hub, served.server, load, (time.monotonic() - began) / 60))
            print(json.dumps(samples[-1]), flush=True)
        if load.error:
            raise load.error
        while live_plans(hub) > 0:
            time.sleep(0.05)
    assert load.count > 0 and len(samples) >= 8, "too short"
    plot(samples, given.plot)
    result = verdicts(samples)
    print(json.dumps({"plans": load.count, "fell behind": load.late, **result}, indent=1))
    return 0 if all(one["ok"] for one in result.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
