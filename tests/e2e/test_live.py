"""`run` and `watch` on a terminal: the tasks as a tree, questions answered in place, nothing left behind."""

import contextlib
import http.client
import json
import os
import signal
import socket
import sqlite3
import subprocess
import threading
import time

from terminal import Terminal

HUB = """
version: 1
provider: offline
providers:
  offline: {kind: scripted, answers: answers.yaml}
agents:
  ann: {prompt: You are Ann.}
  bob: {prompt: You are Bob.}
"""

PLAN = """
plan: report
tasks:
  - {id: collect, agent: ann, prompt: Collect., outputs: [facts.txt]}
  - {id: write, agent: bob, prompt: Write., inputs: [facts.txt], outputs: [draft.txt], gate: human,
     score: {criteria: good, rework: 1}}
  - {id: publish, agent: ann, prompt: Publish., inputs: [draft.txt], outputs: [report.txt]}
"""

ANSWERS = """
- when: {task: collect}
  answer: {result: "the facts"}
  delay: 300ms
- answer: {result: "done", score: 90}
"""


@contextlib.contextmanager
def on_terminal(box, *arguments, **size):
    env = box.environment({"TERM": "xterm", "AGENTTALK_HUB": str(box.dir / "hub")})
    terminal = Terminal([str(box.binary), *arguments], env, box.dir / "hub", **size)
    try:
        yield terminal
    finally:
        terminal.close()


def make(box, plan=PLAN, answers=ANSWERS):
    box.write("hub/agenttalk.yaml", HUB)
    box.write("hub/plan.yaml", plan)
    box.write("hub/answers.yaml", answers)


def test_questions_are_answered_in_place(box):
    """The run waits for the person who watches it; a rejection sends the task back, an approval lets it pass."""
    make(box)
    with on_terminal(box, "run", "--plan", "plan.yaml") as terminal:
        terminal.expect("approve, or reject with a reason?")
        assert "? ├ write" in terminal.screen.text or "? └ write" in terminal.screen.text, terminal.screen.text
        terminal.type("perhaps\n")
        terminal.expect("say approve, or reject with a reason")
        terminal.expect("Reject: the task goes back to bob with your text (rejection 1 of at most 1)", times=2)
        terminal.type("reject too short\n")
        terminal.expect("cmd_write_002  question")
        terminal.expect("Reject: the task fails, because it was sent back as often as is allowed (1)")
        terminal.expect("Approve: the task is done", times=3)
        terminal.type("a\n")
        assert terminal.wait() == 0, terminal.screen.text
        terminal.expect_untouched()
        assert "plan_report: completed, 3 of 3 tasks completed" in terminal.screen.text
        assert not terminal.screen.wrapped, terminal.screen.wrapped
        assert "✓" in terminal.screen.text and "score 90" in terminal.screen.text, terminal.screen.text


def test_what_is_judged_is_viewed_in_place(box):
    """`view` prints the files to judge, whole or one of them by name; then the question is asked again."""
    draft = "\n".join(f"line {number} of the draft" for number in range(1, 31))
    make(box, answers=json.dumps([{"when": {"task": "collect"}, "answer": {"result": "the facts"}},
                                  {"when": {"task": "write"}, "answer": {"result": draft, "score": 90}}, {"answer": {"result": "done"}}]))
    with on_terminal(box, "run", "--plan", "plan.yaml", columns=100, rows=60) as terminal:
        terminal.expect("view, approve, or reject with a reason?")
        assert "line 30 of the draft" not in terminal.screen.text, "the question shows the first lines alone"
        terminal.type("view\n")
        terminal.expect("draft.txt")
        terminal.expect("line 30 of the draft")
        terminal.type("view nothing.txt\n")
        terminal.expect("there is no file nothing.txt")
        terminal.type("view draft.txt\n")
        terminal.expect("line 30 of the draft", times=2)
        terminal.type("approve\n")
        assert terminal.wait() == 0, terminal.screen.text
        terminal.expect_untouched()


def test_what_an_agent_wants_to_say_is_shown_as_it_is_said(box):
    """`userMessage` is a notice: in the live view and in lines, in `log`, and in human/inbox; it is no question."""
    def stage(action, params, **more):
        return {"thought": "t", "action": action, "params": params, "expectedOutcome": "e", "confidence": 95,
                "risk": {"level": "low", "description": "small"}, **more}

    task = {"id": "write", "description": "Write. Done when it is there.", "dependencies": [], "requiredCapabilities": [],
            "estimatedDuration": 60000}
    make(box, answers=json.dumps([
        {"when": {"stage": "understanding"}, "answer": stage("INTENT_ANALYSIS", {
            "normalizedIntent": {"goal": "g", "action": "create", "scope": "full_task", "urgency": "medium"},
            "taskRelation": {"type": "different_task", "confidence": 0.9, "reasoning": "new"},
            "contextDependency": {"needsCurrentTaskContext": False, "needsExecutionHistory": False, "referencedEntities": []}})},
        {"when": {"stage": "router"}, "answer": stage("ROUTE_DECISION", {"route": "new_task", "payload": {"reason": "r", "requiresConfirmation": False}})},
        {"when": {"stage": "planner"}, "answer": stage("TASK_PLAN", {"tasks": [task], "executionOrder": ["write"]})},
        {"when": {"stage": "reviewer"}, "answer": stage("REVIEW_RESULT", {"approved": True, "score": 95, "feedback": "f", "requiredFixes": []})},
        {"when": {"stage": "orchestrator"}, "answer": stage("PHASE_TRANSITION", {"reason": "done"})},
        {"answer": stage("COMPLETE", {"result": "a page"}, userMessage="The bees are on page two.")}]))
    with on_terminal(box, "run", "Write about bees, please") as terminal:
        assert terminal.wait() == 0, terminal.screen.text
        assert "The bees are on page two." in terminal.screen.text, terminal.screen.text
    hub = box.dir / "hub"
    (plan,) = [one["plan_id"] for one in box.run("plans", "--json", cwd=hub).json]
    assert "The bees are on page two." in box.run("log", plan, cwd=hub).expect(0).out
    assert [json.loads(path.read_text())["text"] for path in (hub / "human/inbox" / plan).glob("notice_*.json")] == ["The bees are on page two."]
    assert box.run("questions", "--json", cwd=hub).json == []


def test_chinese_names_stay_aligned(box):
    """Columns are counted as terminals do: a Chinese character takes two."""
    make(box, """
plan: week
tasks:
  - {id: a, agent: ann, prompt: 收集, outputs: [a.txt]}
  - {id: bbbbbb, agent: bob, prompt: 写, inputs: [a.txt], outputs: [b.txt],
     score: {criteria: 好, pass: 70}}
""", """
- when: {task: a}
  answer: {result: "事实"}
- answer: {result: "太短", score: 10, score_explanation: "内容太短了，请把它写得更长一些，并且把所有的事实都写进去，谢谢合作"}
""")
    with on_terminal(box, "run", "--plan", "plan.yaml", columns=60) as terminal:
        assert terminal.wait() == 1, terminal.screen.text
        terminal.expect_untouched()
        assert "plan_week: failed" in terminal.screen.text
        rows = [line for line in terminal.screen.lines if line.startswith(("✓", "✗"))]
        assert len(rows) == 2, terminal.screen.text
        assert rows[0].index("ann") == rows[1].index("bob"), rows
        assert not [line for line in terminal.screen.wrapped if line.startswith(("✓", "✗", "plan_week: "))]


def test_one_interrupt_stops_in_good_order(box):
    """Ctrl-C once: everything is kept, and it is said how to go on; going on finishes the plan."""
    make(box, answers="- {when: {task: collect}, answer: {result: x}, delay: 30s}\n- answer: {result: y, score: 80}\n")
    with on_terminal(box, "run", "--plan", "plan.yaml") as terminal:
        terminal.expect("running")
        terminal.type("\x03")
        terminal.expect("`agenttalk run plan.yaml` continues it")
        assert terminal.wait() == 3, terminal.screen.text
        terminal.expect_untouched()
    box.write("hub/answers.yaml", ANSWERS)
    box.run("run", "--plan", "plan.yaml", "--yes", cwd=box.dir / "hub").expect(0)


@contextlib.contextmanager
def disk_held_up(hub):
    """Somebody else writes to the journal and does not come to an end: a commit waits for seconds."""
    stranger = sqlite3.connect(hub / ".agenttalk/journal.db", isolation_level=None)
    try:
        stranger.execute("BEGIN IMMEDIATE")
        yield
    finally:
        stranger.close()


def test_two_interrupts_stop_at_once(box):
    """Ctrl-C again while the first one waits for the disk: over, and nothing that was acknowledged is lost."""
    for verb in (("run", "--plan", "plan.yaml"), ("serve",)):
        make(box, answers="- {when: {task: collect}, answer: {result: x}, delay: 60s}\n")
        with on_terminal(box, *verb) as terminal:
            terminal.expect("running" if verb[0] == "run" else "serving")
            with disk_held_up(box.dir / "hub"):
                terminal.type("\x03")
                terminal.expect("stopping; again to stop at once")
                assert terminal.running(), terminal.screen.text
                began = time.monotonic()
                terminal.type("\x03")
                assert terminal.wait() in (130, -signal.SIGINT), terminal.screen.text
                assert time.monotonic() - began < 3, "it waited for the disk all the same"
            terminal.expect_untouched()
    box.write("hub/answers.yaml", ANSWERS)
    box.run("run", "--plan", "plan.yaml", "--yes", cwd=box.dir / "hub").expect(0)


def test_signals_leave_the_terminal_as_it_was(box):
    """Whatever signal ends it, also while a question is open."""
    make(box)
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGABRT, signal.SIGKILL):
        with on_terminal(box, "run", "--plan", "plan.yaml") as terminal:
            terminal.expect("approve, or reject with a reason?")
            terminal.kill(number)
            terminal.wait()
            terminal.expect_untouched()


@contextlib.contextmanager
def served(box):
    """The hub is served by a process of its own; gives the socket's path."""
    env = {"PATH": os.environ["PATH"], "HOME": str(box.dir)}
    server = subprocess.Popen([str(box.binary), "serve", "--hub", str(box.dir / "hub")], env=env,
                              stderr=subprocess.DEVNULL)
    try:
        path = box.dir / "hub/.agenttalk/agenttalk.sock"
        deadline = time.monotonic() + 30
        while not path.exists():
            assert time.monotonic() < deadline
            time.sleep(0.02)
        yield path
    finally:
        server.terminate()
        server.wait()


def test_a_served_plan_is_shown_and_answered_too(box):
    """The hub is served by another process; this one looks on, asks, and passes the answer on."""
    make(box)
    with served(box):
        with on_terminal(box, "run", "--plan", "plan.yaml") as terminal:
            terminal.expect("approve, or reject with a reason?")
            terminal.type("approve\n")
            assert terminal.wait() == 0, terminal.screen.text
            terminal.expect_untouched()
        with on_terminal(box, "watch", "plan_report") as terminal:
            assert terminal.wait() == 0
            terminal.expect_untouched()
            assert "✓" in terminal.screen.text


def test_lines_and_json_elsewhere(box):
    """Not on a terminal: plain lines; with --json the events, then the report; a failed plan says so at the end."""
    make(box, answers="- error: {status: 400}\n")
    outcome = box.run("run", "--plan", "plan.yaml", cwd=box.dir / "hub").expect(1)
    assert "\x1b" not in outcome.err and "\x1b" not in outcome.out
    told = [line for line in outcome.err.splitlines() if line.startswith("plan_report  ")]
    assert told[-1].startswith("plan_report  failed: collect failed"), told
    lines = box.run("run", "--plan", "plan.yaml", "--json", cwd=box.dir / "hub").expect(1).out.splitlines()
    events = [json.loads(line) for line in lines]
    assert events[-1]["state"] == "failed" and events[0]["type"] == "plan_changed", events[0]
    quiet = box.run("run", "--plan", "plan.yaml", "--json", "--quiet", cwd=box.dir / "hub").expect(1)
    assert len(quiet.out.splitlines()) == 1 and quiet.err == "", quiet


def test_a_log_is_followed_without_polling(box):
    """`log --follow` shows events as they happen and ends with the plan; filters choose."""
    make(box)
    env = {"PATH": os.environ["PATH"], "HOME": str(box.dir)}
    run = subprocess.Popen([str(box.binary), "run", "--plan", "plan.yaml", "--hub", str(box.dir / "hub"), "--yes"],
                           env=env, cwd=box.dir / "hub", stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 30
    while box.run("status", "plan_report", "--hub", box.dir / "hub").code != 0:
        assert time.monotonic() < deadline
    outcome = box.run("log", "plan_report", "--follow", "--json", "--hub", box.dir / "hub").expect(0)
    assert run.wait(timeout=30) == 0
    types = [json.loads(line)["type"] for line in outcome.out.splitlines()]
    assert types[0] == "plan_changed" and types[-1] == "plan_changed" and "task_completed" in types, types

    def log(*arguments):
        out = box.run("log", "plan_report", "--json", *arguments, "--hub", box.dir / "hub").expect(0).out
        return [json.loads(line) for line in out.splitlines()]

    assert {event["type"] for event in log("--type", "task_*")} == {"task_completed", "task_changed"}
    of_write = log("--task", "write")
    assert of_write and all("write" in json.dumps(event) for event in of_write)
    assert {event["agent_id"] for event in log("--agent", "bob", "--type", "command_received")} == {"bob"}
    last = log()[-1]["seq"]
    assert [event["seq"] for event in log("--since", str(last))] == [last]
    assert log("--since", "1h") == log() and log("--since", "2999-01-01T00:00:00Z") == []
    box.run("log", "plan_report", "--since", "soon", "--hub", box.dir / "hub").expect(2)


class HubConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("hub", timeout=40)
        self.path = str(path)

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self.path)

    def ask(self, method, **parameters):
        self.request("POST", f"/v1/{method}", json.dumps(parameters))
        return json.loads(self.getresponse().read())


def test_an_answer_about_events_is_kept_back_until_there_is_one(box):
    """Who follows a hub asks once and is told at once; an empty answer comes only when the time is over."""
    make(box)
    with served(box) as path:
        hub = HubConnection(path)
        last = hub.ask("events", limit=0)["last"]
        start = time.monotonic()
        assert hub.ask("events", after=last, wait_s=1, plan_id="plan_a")["events"] == []
        assert time.monotonic() - start >= 0.9
        told = []
        waiting = threading.Thread(target=lambda: told.append(
            (HubConnection(path).ask("events", after=last, wait_s=30, plan_id="plan_a"), time.monotonic())))
        waiting.start()
        box.write("cmd_a.json", {"command_id": "cmd_a", "plan_id": "plan_a", "prompt": "Go.",
                                 "required_inputs": ["later.txt"]})
        start = time.monotonic()
        box.run("send", "cmd_a.json", "--to", "ann", "--hub", box.dir / "hub").expect(0)
        waiting.join()
        answer, came = told[0]
        assert answer["waited"] and came - start < 10, answer
        assert [event["type"] for event in answer["events"]][:2] == ["plan_changed", "command_received"], answer
        assert all(event["plan_id"] == "plan_a" for event in answer["events"])
        again = hub.ask("events", after=answer["last"], plan_id="plan_a")
        assert again["events"] == [] and again["last"] >= answer["last"]
        everything = hub.ask("events", after=0)
        assert [event["seq"] for event in everything["events"]] == list(range(1, everything["last"] + 1))


def test_names_that_are_nearly_right_are_suggested(box):
    """Verbs, files, plans, tasks, agents: the near one is named."""
    make(box)
    assert box.run("run", "--plan", "plan.yaml", "--yes", "--quiet", cwd=box.dir / "hub").expect(0).err == ""
    for arguments, meant in ((["staus", "plan_report"], "status"), (["run", "--plan", "plna.yaml"], "plan.yaml"),
                             (["status", "plan_repotr"], "plan_report"), (["trace", "repotr"], "plan_report"),
                             (["fork", "plan_report", "--from", "wirte"], "write"),
                             (["fork", "plan_report", "--from", "write", "--agent", "anne"], "ann"),
                             (["send", "plan.yaml", "--to", "bbo"], "bob")):
        outcome = box.run(*arguments, cwd=box.dir / "hub").expect(2)
        assert "did you mean" in outcome.err and meant in outcome.err.split("did you mean")[1], outcome
