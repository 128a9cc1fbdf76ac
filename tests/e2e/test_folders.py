"""Folders that talk: kills at awkward moments, lost notifications, hostile files, very many commands."""

import ctypes
import json
import os
import pathlib
import signal
import socket
import time

from test_serve import ANSWERS, Hub, command, wait_for

INPUTS = ["one.md", "two.md"]
WAITING = command("cmd_1", required_inputs=INPUTS, on_complete={"send_to": ["bob"], "output_name": "out.md"})


def drop(name, content=None):
    return lambda hub: hub.drop("ann", name, content or f"content of {name}", plan="plan_test")


def half_written(hub):
    """Written in place, in two halves, the file open in between."""
    text = json.dumps(WAITING)
    path = hub.dir / "agents/ann/inbox/plan_test/cmd_1.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    hub.half = path.open("w")
    hub.half.write(text[:len(text) // 2])
    hub.half.flush()
    hub.rest = text[len(text) // 2:]


def other_half(hub):
    hub.half.write(hub.rest)
    hub.half.close()


THE_COMMAND = drop("cmd_1.json", WAITING)
ORDERS = {
    "before": [THE_COMMAND, drop("one.md"), drop("two.md")],
    "after": [drop("one.md"), drop("two.md"), THE_COMMAND],
    "between": [drop("one.md"), THE_COMMAND, drop("two.md")],
    "twice": [THE_COMMAND, drop("one.md"), THE_COMMAND, drop("two.md"), THE_COMMAND],
    "half": [drop("one.md"), half_written, drop("two.md"), other_half],
}


def check_once(hub, moment):
    hub.run("serve", "--until-idle").expect(0)
    events = [event["type"] for event in hub.events()]
    for kind in ("command_received", "command_readied", "model_call_finished", "command_succeeded", "message_sent"):
        assert events.count(kind) == 1, f"{moment}: {kind} {events.count(kind)} times"
    assert (hub.dir / "agents/bob/inbox/plan_test/out.md").read_text() == "done", moment
    assert hub.json("dead", "list") == [], moment
    assert not list((hub.dir / "agents/ann/inbox/plan_test").glob("cmd_*")), moment


def recorded(hub):
    log = hub.run("log", "plan_test", "--json")
    return len(log.out.splitlines()) if log.code == 0 else 0


def check_killed(box, order, killed, at_once):
    """The server is killed after that step, at once or when the journal has it; the next one finds the rest."""
    with Hub(box) as hub:
        hub.start()
        for number, step in enumerate(order):
            known = recorded(hub) if number == killed and not at_once else 0
            step(hub)
            if number != killed:
                continue
            if not at_once and step is not half_written:
                wait_for(lambda: recorded(hub) > known, "the record")
            hub.stop(signal.SIGKILL)
            hub.start()
        hub.stop(signal.SIGKILL)
        check_once(hub, f"killed after step {killed}, at once: {at_once}")


def check_order(box, name):
    home = box.dir
    for killed in range(len(ORDERS[name])):
        for at_once in (True, False):
            box.dir = home / f"{killed}-{at_once}"
            box.dir.mkdir()
            check_killed(box, ORDERS[name], killed, at_once)
    box.dir = home


def test_a_command_before_its_inputs_runs_once_whenever_it_is_killed(box):
    check_order(box, "before")


def test_a_command_after_its_inputs_runs_once_whenever_it_is_killed(box):
    check_order(box, "after")


def test_a_command_between_its_inputs_runs_once_whenever_it_is_killed(box):
    check_order(box, "between")


def test_a_command_that_comes_twice_runs_once_whenever_it_is_killed(box):
    check_order(box, "twice")


def test_a_half_written_command_runs_once_whenever_it_is_killed(box):
    check_order(box, "half")


def test_without_notifications_the_heartbeat_finds_files(box):
    with Hub(box) as hub:
        hub.start("--scan-only")
        for number in range(3):
            name = f"cmd_{number}"
            hub.drop_command("ann", command(name))
            start = time.monotonic()
            processed = hub.dir / f"agents/ann/inbox/.processed/plan_test/{name}.json"
            wait_for(processed.exists, "the heartbeat", seconds=10)
            assert time.monotonic() - start < 1 + 1.5, "one heartbeat, and what a busy machine needs"
        assert hub.states() == {f"cmd_{number}": "succeeded" for number in range(3)}
        assert hub.stop()[0] == 0


# ---- hostile files ----

SECRET = "outside-of-the-hub-7f3a91"


class Outside:
    """A folder beside the hub that nobody must touch; the kernel tells if somebody did."""

    def __init__(self, box):
        self.dir = box.dir / "outside"
        box.write("outside/secret.json", json.dumps({"command_id": "cmd_leak", "plan_id": "plan_x", "prompt": SECRET}))
        os.mkfifo(self.dir / "pipe")
        libc = ctypes.CDLL(None, use_errno=True)
        self.watch = libc.inotify_init1(os.O_NONBLOCK)
        in_all = 0x1 | 0x2 | 0x4 | 0x8 | 0x20 | 0x40 | 0x80 | 0x100 | 0x200  # read, written, opened, moved, made, removed
        assert libc.inotify_add_watch(self.watch, str(self.dir).encode(), in_all) >= 0

    def untouched(self):
        try:
            return os.read(self.watch, 65536) == b""
        except BlockingIOError:
            return True


def hostile_names():
    bad = ["a b.md", "-x.md", "_x.md", "ü.md", "x..y.md", "a\\b.md", "a\nb.md", "a\tb.md", "\U0001f600.md", "a:b.md", "$(id).md",
           "a;b.md", "a'b.md", 'a"b.md', "%2e%2e.md", "x" * 129 + ".md", "日本.json", "a\x7fb", "a\x01b", "cmd_ x.json"]
    return [f"{bad[number % len(bad)]}{number}" for number in range(250)]


def hostile_bytes():
    good = json.dumps(command("cmd_h"))
    kinds = [good[:30], good.replace("plan_test", "pl\0n"), good.encode("utf-16"), b"\xff\xfe\x00", b"", b"\0" * 500,
             "[" * 100_000, '{"a":' * 5000, good.replace('"cmd_h"', '"cmd_h","command_id":"cmd_i"'), good + good,
             good.replace("plan_test", "../../etc"), good.replace("cmd_h", "cmd_\\u0000"), "null", "[]", "7",
             good.replace("Do", "D\xe9").encode("latin-1"), '{"command_id":7,"plan_id":[],"prompt":{}}',
             good[:-1] + ',"timeout":-5}', good[:-1] + ',"timeout":1e999}', "{" + " " * 2_000_000 + "}"]
    return [kinds[i % len(kinds)] for i in range(450)]


def put(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogateescape"))


def drop_hostile(hub, outside):
    """1,000 of them; returns how many there are."""
    inbox = hub.dir / "agents/ann/inbox"
    stage = hub.box.dir / "stage"
    stage.mkdir()
    count = 0
    for number, name in enumerate(hostile_names()):
        put(stage / "x", f"{SECRET}" if number % 2 else "{}")
        os.rename(stage / "x", inbox / name)
        count += 1
    for number, content in enumerate(hostile_bytes()):
        put(stage / "x", content)
        os.rename(stage / "x", inbox / f"cmd_h{number}.json")
        count += 1
    for number in range(280):
        target = [outside.dir / "secret.json", outside.dir / "pipe", outside.dir, outside.dir / "nothing",
                  hub.dir / "agenttalk.yaml", "/proc/self/mem", "/dev/zero"][number % 7]
        os.symlink(target, inbox / (f"cmd_link{number}.json" if number % 2 else f"link{number}.md"))
        count += 1
    for number in range(10):
        os.mkfifo(inbox / f"pipe{number}.md")
        (inbox / f"bad folder {number}").mkdir()
        count += 2
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(inbox / "socket.md"))
    with (stage / "big").open("wb") as big:
        big.truncate(65 << 20)  # a hole: costs no disk
    os.rename(stage / "big", inbox / "big.bin")
    return count + 2


def test_hostile_files_are_dead_letters_and_good_commands_go_on(box):
    with Hub(box, ANSWERS.replace("delay: 300ms", "delay: 20ms")) as hub:
        outside = Outside(box)
        before = set(os.listdir(box.dir)) | {"stage", ".local"}
        hub.start("--quiet")
        good = [f"cmd_{'slow_' if number % 2 else 'good_'}{number}" for number in range(100)]
        for name in good[:50]:
            hub.drop_command("ann" if name[-1] in "02468" else "bob", command(name))
        hostile = drop_hostile(hub, outside)
        for name in good[50:]:
            hub.drop_command("ann", command(name))
        assert hostile >= 1000, hostile
        wait_for(lambda: list(hub.states().values()).count("succeeded") == 100, "the good commands", 120)
        # Folders without a plan's name wait for a heartbeat: people name them after they have made them.
        inbox = hub.dir / "agents/ann/inbox"
        left = lambda: {path.name for path in inbox.iterdir() if not path.name.startswith(".")} - {"plan_test"}
        wait_for(lambda: not left(), f"the end of {sorted(left())[:20]}", 120)
        assert hub.states() == {name: "succeeded" for name in good}
        letters = hub.json("dead", "list")
        assert len(letters) == hostile and all(letter["code"] and letter["message"] for letter in letters)
        codes = {letter["code"] for letter in letters}
        assert codes >= {"NAME_UNSAFE", "FILE_UNSAFE", "JSON_INVALID", "JSON_TOO_DEEP", "TOO_LARGE", "TYPE_MISMATCH",
                         "TIMEOUT_INVALID"}, codes
        reasons = list(hub.dir.glob("dead_letter/*/*.reason.json"))
        assert len(reasons) == hostile and all(json.loads(reason.read_text())["code"] for reason in reasons)
        assert hub.stop()[0] == 0
        assert outside.untouched(), "something outside the hub was opened, read or written"
        assert set(os.listdir(box.dir)) <= before, "something was written beside the hub"
        # What tells this user's journals from strangers' is kept in the user's state folder, and nothing else is.
        state = [path.relative_to(box.dir) for path in (box.dir / ".local").rglob("*") if not path.is_dir()]
        assert state == [pathlib.Path(".local/state/agenttalk/origin.key")], state
        journal = b"".join(path.read_bytes() for path in (hub.dir / ".agenttalk").rglob("*") if path.is_file())
        assert b"cmd_leak" not in journal, "a link was followed"


def test_ten_thousand_commands_in_a_hundred_inboxes_are_done_once_each(box):
    with Hub(box) as hub:
        agents = [f"a{number}" for number in range(100)]
        config = (hub.dir / "agenttalk.yaml").read_text()
        more = "".join(f"  {agent}: {{}}\n" for agent in agents)
        box.write("hub/agenttalk.yaml", config.replace("agents:\n", "agents:\n" + more))
        hub.start("--quiet")
        stage = box.dir / "stage"
        stage.mkdir()
        for agent in agents:
            wait_for((hub.dir / "agents" / agent / "inbox").is_dir, "the inbox")
        for number in range(10_000):
            agent = agents[number % 100]
            content = {"command_id": f"cmd_{number}", "plan_id": f"plan_{agent}", "prompt": "Do it."}
            (stage / "x").write_text(json.dumps(content))
            os.rename(stage / "x", hub.dir / "agents" / agent / "inbox" / f"cmd_{number}.json")
        done = lambda: sum(plan["tasks_completed"] for plan in hub.json("plans", "--limit", "1000"))
        wait_for(lambda: done() == 10_000, "all of them", 240, pause=0.5)
        status = open(f"/proc/{hub.server.pid}/status").read()
        peak = int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM"))) // 1024
        print(f"     peak memory {peak} MiB")
        assert hub.stop()[0] == 0
        received = []
        for agent in agents:
            lines = hub.run("log", f"plan_{agent}", "--json").expect(0).out.splitlines()
            received += [e["command_id"] for e in map(json.loads, lines) if e["type"] == "model_call_finished"]
        assert len(received) == 10_000 and len(set(received)) == 10_000, "each once"
        assert box.sanitized or peak < 600, f"{peak} MiB"
