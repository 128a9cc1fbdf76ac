#!/usr/bin/env python3
"""1,000 plans of five tasks at once on a served hub, handed in through its socket: with files put off against one commit a
step, with every file written against plainly making and renaming as many."""

import contextlib
import http.client
import json
import os
import socket
import sqlite3
import statistics
import threading
import time

from measure import WORK, disk, files_below, plain_files, tell
from plan_run import chain, last_end, last_file, make_hub
from served_hub import ServedHub

PLANS, TASKS, CLIENTS, REPEATS = 1000, 5, 8, 3


class Client(http.client.HTTPConnection):
    def __init__(self, hub):
        super().__init__("agenttalk")
        self.folder = os.open(hub / ".agenttalk", os.O_PATH)

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(f"/proc/self/fd/{self.folder}/agenttalk.sock")

    def call(self, method, parameters):
        self.request("POST", f"/v1/{method}", json.dumps(parameters), {"Content-Type": "application/json"})
        answer = self.getresponse()
        body = json.loads(answer.read())
        assert answer.status == 200, body
        return body


def request(number):
    """One plan as it goes over the socket: made beforehand, because this client runs beside what is measured."""
    body = json.dumps({"dag": json.dumps(chain(f"plan_p{number}", TASKS)), "author": "bench", "reason": "",
                       "fresh": False, "files": []})
    return (f"POST /v1/plan/run HTTP/1.1\r\nHost: agenttalk\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n{body}").encode()


def hand_in(client, requests):
    client.connect()
    for text in requests:
        client.sock.sendall(text)
        answer = client.sock.recv(65536)
        assert answer.startswith(b"HTTP/1.1 200 "), answer


def live_plans(hub):
    """Asked of the journal: a server that has to list a thousand plans does not do what is measured meanwhile."""
    with contextlib.closing(sqlite3.connect(f"file:{hub}/.agenttalk/journal.db?mode=ro", uri=True)) as journal:
        return journal.execute("SELECT count(*) FROM streams WHERE live AND name <> ''").fetchone()[0]


def run(mirror, name):
    hub = make_hub(WORK / name, mirror)
    before = files_below(hub)
    requests = [[request(number) for number in range(first, PLANS, CLIENTS)] for first in range(CLIENTS)]
    with ServedHub.of(hub) as served:
        clients = [threading.Thread(target=hand_in, args=(Client(hub), texts)) for texts in requests]
        began = time.time()
        for client in clients:
            client.start()
        for client in clients:
            client.join()
        while live_plans(hub) > 0:
            time.sleep(0.02)
        answer = Client(hub).call("plans", {"limit": PLANS})
        assert sum(plan["tasks_completed"] for plan in answer) == PLANS * TASKS, answer
    done = max(last_end(hub, f"plan_p{number}") for number in range(PLANS)) - began
    return done, last_file(hub) - began, files_below(hub) - before


def main():
    lazy, full, plain, left = [], [], [], 0
    for number in range(REPEATS):
        done, _, _ = run("lazy", f"lazy{number}")
        lazy.append(PLANS * TASKS / done)
        _, shown, left = run("full", f"full{number}")
        full.append(shown)
        plain.append(plain_files(WORK / f"plain{number}", left))
    commit, _ = disk()
    ratio = statistics.median(lazy) * commit
    tell("plans: 1,000 of 5 tasks at once, files put off", lazy, "steps/s", yardstick=f"SQLite commit {1 / commit:,.0f}/s",
         ratio=round(ratio, 2), target=">= 4 x", ok=ratio >= 4)
    ratio = statistics.median(plain) / statistics.median(full)
    tell("plans: 1,000 of 5 tasks at once, until the last file", [PLANS * TASKS / wall for wall in full], "steps/s",
         yardstick=f"{left:,} files made and renamed {statistics.median(plain):.2f} s", ratio=round(ratio, 2),
         target=">= 0.5 x", ok=ratio >= 0.5)


if __name__ == "__main__":
    main()
