"""Looking at the past of a large plan holds nobody up."""

import json
import select
import socket

from journey import wait_for
from page_hub import Page, tree_plan
from sandbox import Skip


class Asked:
    """A request that was sent, and its answer when it comes."""

    def __init__(self, hub, cookie, method, parameters):
        body = json.dumps(parameters)
        self.socket = socket.create_connection(("127.0.0.1", hub.port), timeout=120)
        self.socket.sendall(f"POST /v1/{method} HTTP/1.1\r\nHost: 127.0.0.1:{hub.port}\r\nOrigin: {hub.origin}\r\nCookie: {cookie}\r\n"
                            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n{body}".encode())

    def is_answered(self):
        return bool(select.select([self.socket], [], [], 0)[0])

    def answer(self):
        with self.socket, self.socket.makefile("rb") as file:
            head, body = file.read().split(b"\r\n\r\n", 1)
        assert head.startswith(b"HTTP/1.1 200 "), head
        return json.loads(body)


def test_commits_are_made_while_the_past_is_folded(box):
    """Moments of a large plan are asked for while another plan is changed. Several changes are durable before one moment is told;
    what is told is the same as what `replay` says when nobody serves. How many changes fit into one moment depends on the disk:
    moments are asked for until three did. A server that folds without a pause never gets beyond the one that came with the question."""
    if box.sanitized:
        raise Skip("a plan of this size takes too long in a sanitized build")
    with Page(box, agents={"buyer": {"max_parallel": 64}}, mirror="lazy") as hub:
        hub.write("answers.yaml", "- answer: {result: done}\n")
        hub.write("large.yaml", tree_plan(1500))
        hub.start("--provider", "scripted", "--answers", "answers.yaml")
        cookie = hub.cookie()
        assert hub.post("plan/run", {"plan": hub.read("large.yaml")}, Cookie=cookie)[0] == 200
        wait_for(lambda: hub.read_json("summary", {"plan_id": "plan_large"}, cookie)["state"] == "completed", "the large plan", 120)
        assert hub.post("plan/run", {"plan": tree_plan(1, "small")}, Cookie=cookie)[0] == 200
        last = hub.read_json("summary", {"plan_id": "plan_large"}, cookie)["last_event"]
        told = {}
        most = changes = 0
        while most < 3:
            at = last - 37 * len(told)
            assert len(told) < 60, f"at most {most} changes were durable while one of {len(told)} moments was folded"
            asked = Asked(hub, cookie, "summary", {"plan_id": "plan_large", "at": at})
            before = changes
            while not asked.is_answered():
                status, _, body = hub.post("plan/apply", {"plan_id": "plan_small", "commands": [{"command_name": "append_task", "args": {
                    "task_id": f"more{changes}", "dependent_task_ids": [], "instruction": "More.", "assignee": "buyer"}}]}, Cookie=cookie)
                assert status == 200, body
                changes += 1
            told[at] = asked.answer()
            most = max(most, changes - before)
        print(f"{most} changes were durable before one of {len(told)} moments of a plan of 1,500 tasks had been told")
        hub.stop()
        for at, summary in list(told.items())[:4] + list(told.items())[-4:]:
            then = hub.json("replay", "plan_large", "--at", str(at))
            assert summary["at"]["seq"] == then["at"]["seq"] <= at
            assert summary["done"] == sum(task["state"] == "COMPLETED" for task in then["tasks"]), at
