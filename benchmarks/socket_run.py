"""For benchmarks: plans handed in through a served hub's socket."""

import contextlib
import http.client
import json
import os
import selectors
import socket
import sqlite3
import time

from measure import WORK, files_below
from plan_run import last_end, last_file, make_hub
from served_hub import ServedHub

CLIENTS = 8


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


def request(dag):
    """A plan as it goes over the socket: made beforehand, because this client runs beside what is measured."""
    body = json.dumps({"dag": json.dumps(dag), "author": "bench", "reason": "", "fresh": False, "files": []})
    return (f"POST /v1/plan/run HTTP/1.1\r\nHost: agenttalk\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n{body}").encode()


def hand_in_all(hub, dags):
    """By several clients at once, each one after the other. One thread plays all of them: threads of Python take the
    processor from each other, and from what is measured."""
    ready = selectors.DefaultSelector()
    for first in range(min(CLIENTS, len(dags))):
        client = Client(hub)
        client.connect()
        ready.register(client.sock, selectors.EVENT_READ, iter([request(dag) for dag in dags[first::CLIENTS]]))
    began = time.time()
    for key in list(ready.get_map().values()):
        key.fileobj.sendall(next(key.data))
    while ready.get_map():
        for key, _ in ready.select():
            answer = key.fileobj.recv(65536)
            assert answer.startswith(b"HTTP/1.1 200 "), answer
            text = next(key.data, None)
            if text is None:
                ready.unregister(key.fileobj)
            else:
                key.fileobj.sendall(text)
    while live_plans(hub) > 0:
        time.sleep(0.02)
    return began


def live_plans(hub):
    """Asked of the journal: a server that has to list a thousand plans does not do what is measured meanwhile."""
    with contextlib.closing(sqlite3.connect(f"file:{hub}/.agenttalk/journal.db?mode=ro", uri=True)) as journal:
        return journal.execute("SELECT count(*) FROM streams WHERE live AND name <> ''").fetchone()[0]


def run(mirror, name, dags):
    """Seconds until the last task had ended durably, until the last file was there, and how many files there are."""
    hub = make_hub(WORK / name, mirror)
    before = files_below(hub)
    with ServedHub.of(hub):
        began = hand_in_all(hub, dags)
        answer = Client(hub).call("plans", {"limit": len(dags)})
        wanted = sum(len(dag["nodes"]) for dag in dags)
        assert sum(plan["tasks_completed"] for plan in answer) == wanted, answer
    done = max(last_end(hub, dag["plan_id"]) for dag in dags) - began
    return done, last_file(hub) - began, files_below(hub) - before
