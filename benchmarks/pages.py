#!/usr/bin/env python3
"""What ten open pages cost: a chain of tasks through a served hub, in turn with nobody looking on and with ten readers that do what
pages do. Each opens a stream of events of its own and, when a frame concerns what it shows, asks for that again at the page's pace
(web/src/data.ts). Readers, not browsers: what a browser draws is not the hub's work, and would share its processors here.

Whole chains in turn, without pages and with them; what is told is the median of the ratios of neighbours."""

import contextlib
import datetime
import http.client
import json
import os
import pathlib
import re
import signal
import socket
import statistics
import subprocess
import sys
import threading
import time

from measure import BINARY, WORK, tell
from plan_run import chain, make_hub
from socket_run import Client, hand_in_all

TASKS = 6000
PAIRS = {"lazy": 5, "full": 3}
PAUSE = 0.25

# What the pages show: a method, its parameters, the seconds between two questions.
GRAPH = [("summary", {}, PAUSE)]
VIEWS = ([GRAPH] * 4 +
         [GRAPH + [("tasks", {"limit": 200}, PAUSE)]] * 2 +
         [GRAPH + [("tasks", {"limit": 200, "order": "started"}, PAUSE)]] +
         [GRAPH + [("log", {"tail": 200, "words": True, "brief": True}, 2 * PAUSE)]] +
         [[("plans", {"limit": 50}, PAUSE)]] * 2)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Served:
    def __init__(self, hub):
        self.hub = hub
        self.port = free_port()
        self.server = subprocess.Popen([BINARY, "serve", "--http", f"127.0.0.1:{self.port}", "--hub", str(hub)],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        for line in self.server.stderr:
            if "serving" in line:
                break
        threading.Thread(target=self.server.stderr.read, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.send_signal(signal.SIGKILL)  # not a stop in good order, which would write the files that were put off
        self.server.wait(60)

    def cookie(self):
        link = json.loads(subprocess.run([BINARY, "ui", "--no-browser", "--json", "--hub", str(self.hub)], check=True, text=True,
                                         stdout=subprocess.PIPE).stdout)["url"]
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request("GET", re.sub(r"^http://[^/]+", "", link), headers={"Host": f"127.0.0.1:{self.port}"})
        return connection.getresponse().headers["Set-Cookie"].split(";")[0]


class Reader:
    """One page, until it is closed."""

    def __init__(self, port, cookie, plan, view):
        self.host = f"127.0.0.1:{port}"
        self.asking = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.headers = {"Host": self.host, "Origin": f"http://{self.host}", "Cookie": cookie, "Content-Type": "application/json"}
        self.plan, self.view = plan, view
        self.following = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
        self.following.request("GET", "/v1/stream", headers={"Host": self.host, "Cookie": cookie})
        self.socket = self.following.sock
        self.stream = self.following.getresponse()
        assert self.stream.status == 200, self.stream.status
        self.frames = self.answers = 0
        self.thread = threading.Thread(target=self.look_on, daemon=True)
        self.thread.start()

    def close(self):
        self.socket.shutdown(socket.SHUT_RDWR)  # ends the stream, and the thread with it
        self.thread.join()
        self.asking.close()

    def ask(self, method, parameters, last):
        whole = parameters if method == "plans" else {"plan_id": self.plan, **parameters}
        self.asking.request("POST", f"/v1/{method}?seen={last}", json.dumps(whole), self.headers)
        answer = self.asking.getresponse()
        answer.read()
        self.answers += answer.status == 200

    def look_on(self):
        with contextlib.suppress(ConnectionError):  # closed
            self.follow([0.0] * len(self.view))

    def follow(self, due):
        for line in self.stream:
            if not line.startswith(b"data:"):
                continue
            frame = json.loads(line[5:])
            self.frames += 1
            if frame["plans"] is not None and self.plan not in frame["plans"]:
                continue
            for number, (method, parameters, pause) in enumerate(self.view):
                began = time.monotonic()
                if began < due[number]:
                    continue
                self.ask(method, parameters, frame["last"])
                due[number] = time.monotonic() + max(pause, 4 * (time.monotonic() - began))


def readers(port, cookie, plan):
    """Opens ten pages when it reads a line, closes them with the next one and says how many frames and answers each of them got."""
    os.nice(10)
    while sys.stdin.readline():
        pages = [Reader(port, cookie, plan, view) for view in VIEWS]
        sys.stdin.readline()
        for page in pages:
            page.close()
        print(json.dumps([(page.frames, page.answers) for page in pages]), flush=True)


@contextlib.contextmanager
def ten_pages(served, plan):
    """What each of them got is in the list when they are closed."""
    got = []
    pages = subprocess.Popen([sys.executable, __file__, str(served.port), served.cookie(), plan], text=True, stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE)
    pages.stdin.write("\n")
    pages.stdin.flush()
    yield got
    pages.stdin.write("\n")
    pages.stdin.flush()
    got += json.loads(pages.stdout.readline())
    pages.kill()
    pages.wait()


def run(hub, dag):
    """When each of the tasks ended, by the journal. Handed in as the chain benchmark does, and not looked on by a verb, which would ask
    for the plan's status meanwhile."""
    hand_in_all(hub, [dag])
    tasks = Client(hub).call("status", {"plan_id": dag["plan_id"]})["tasks"]
    assert all(task["state"] == "COMPLETED" for task in tasks), "not everything was done"
    return sorted(datetime.datetime.fromisoformat(task["ended_at"]).timestamp() for task in tasks)


def measure(name, mirror, watched):
    """(steps a second, seconds of the loop's work)."""
    plan = "plan_chain"
    hub = make_hub(WORK / name, mirror)
    with Served(hub) as served:
        schedule = pathlib.Path(f"/proc/{served.server.pid}/task/{served.server.pid}/schedstat")
        with ten_pages(served, plan) if watched else contextlib.nullcontext([]) as got:
            worked = int(schedule.read_text().split()[0])
            ends = run(hub, chain(plan, TASKS))
            worked = int(schedule.read_text().split()[0]) - worked
        assert len(got) == (10 if watched else 0) and all(frames > 1 and answers > 0 for frames, answers in got), got
    return TASKS / (ends[-1] - ends[0]), worked / 1e9


def main():
    for mirror, words in (("lazy", "files put off"), ("full", "every file written")):
        pairs = [(measure(f"{mirror}{number}", mirror, False), measure(f"{mirror}{number}-pages", mirror, True))
                 for number in range(PAIRS[mirror])]
        print(f"{mirror}: {pairs}", file=sys.stderr)
        ratio = statistics.median(seen[0] / alone[0] for alone, seen in pairs)
        tell(f"pages: a chain with ten pages open, {words}", [seen[0] for _, seen in pairs], "steps/s",
             yardstick=f"{statistics.median(alone[0] for alone, _ in pairs):,.0f} steps/s without", ratio=round(ratio, 3),
             target=">= 0.95 x", ok=ratio >= 0.95)
        share = [seen[1] / alone[1] - 1 for alone, seen in pairs]
        tell(f"pages: more work of the loop with ten pages, {words}", [100 * value for value in share], "%", target="<= 5",
             ok=statistics.median(share) <= 0.05)


if __name__ == "__main__":
    readers(int(sys.argv[1]), sys.argv[2], sys.argv[3]) if len(sys.argv) > 1 else main()
