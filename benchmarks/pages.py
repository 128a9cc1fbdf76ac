#!/usr/bin/env python3
"""What ten open pages cost: a chain of tasks through a served hub, with nobody looking on and with ten readers that do what a
plan's page does: each follows the stream of events and asks for the plan's summary at most four times a second. Readers, not
browsers: what a browser draws is not the hub's work, and would share its processors here."""

import datetime
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time

from measure import BINARY, WORK, tell
from plan_run import chain, make_hub

TASKS = 1000
PAGES = 10
PAUSE = 0.25


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
        self.server.send_signal(signal.SIGTERM)
        self.server.wait(60)

    def cookie(self):
        link = json.loads(subprocess.run([BINARY, "ui", "--no-browser", "--json", "--hub", str(self.hub)], check=True, text=True,
                                         stdout=subprocess.PIPE).stdout)["url"]
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request("GET", re.sub(r"^http://[^/]+", "", link), headers={"Host": f"127.0.0.1:{self.port}"})
        return connection.getresponse().headers["Set-Cookie"].split(";")[0]


def look_on(port, cookie, plan):
    """One page, until it is killed."""
    host = f"127.0.0.1:{port}"
    asking = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    headers = {"Host": host, "Origin": f"http://{host}", "Cookie": cookie, "Content-Type": "application/json"}

    def ask(method):
        asking.request("POST", "/v1/" + method, json.dumps({"plan_id": plan}), headers)
        asking.getresponse().read()

    following = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
    following.request("GET", "/v1/stream", headers={"Host": host, "Cookie": cookie})
    stream = following.getresponse()
    asked = 0.0
    for line in stream:
        if not line.startswith(b"data:") or time.monotonic() - asked < PAUSE:
            continue
        asked = time.monotonic()
        json.loads(line[5:])
        ask("summary")


def readers(port, cookie, plan):
    os.nice(5)
    for _ in range(PAGES):
        threading.Thread(target=look_on, args=(port, cookie, plan), daemon=True).start()
    print("looking on", flush=True)
    sys.stdin.read()


def run(hub, dag):
    """Seconds from the start of the first task to the end of the last, by the journal: files may be written later."""
    file = hub / "dag.json"
    file.write_text(json.dumps(dag))
    verb = [BINARY, "--hub", str(hub), "--json"]
    subprocess.run([verb[0], "run", "--plan", str(file), *verb[1:], "--quiet"], check=True, stdout=subprocess.DEVNULL)
    shown = subprocess.run([verb[0], "status", dag["plan_id"], *verb[1:]], check=True, text=True, stdout=subprocess.PIPE).stdout
    tasks = json.loads(shown)["tasks"]
    assert all(task["state"] == "COMPLETED" for task in tasks), "not everything was done"
    times = [datetime.datetime.fromisoformat(task[key]).timestamp() for task in tasks for key in ("started_at", "ended_at")]
    return max(times) - min(times)


def measure(number, pages):
    plan = f"plan_chain{number}"
    hub = make_hub(WORK / f"hub{number}", "full")
    with Served(hub) as served:
        looking = None
        if pages:
            looking = subprocess.Popen([sys.executable, __file__, str(served.port), served.cookie(), plan], text=True,
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            looking.stdout.readline()
        elapsed = run(hub, chain(plan, TASKS))
        if looking:
            looking.kill()
            looking.wait()
    return TASKS / elapsed


def main():
    alone, watched = [], []
    for number in range(5):  # in turn, so that a machine that gets slower slows both
        alone.append(measure(2 * number, False))
        watched.append(measure(2 * number + 1, True))
    ratio = sorted(watched)[2] / sorted(alone)[2]
    tell("pages: a chain with ten pages open", watched, "steps/s", yardstick=f"{sorted(alone)[2]:,.0f} steps/s without",
         ratio=round(ratio, 3), target=">= 0.95 x", ok=ratio >= 0.95)


if __name__ == "__main__":
    readers(int(sys.argv[1]), sys.argv[2], sys.argv[3]) if len(sys.argv) > 1 else main()
