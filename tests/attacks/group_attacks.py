"""Programs that try to take more than a control group (cgroup v2) allows, in a group that was given to the hub's user."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import time
import traceback

from attack import NOBODY, Attacks, command, drop
from attack import hub as make_hub
from test_sandbox import AGENTS, run, script, strings, texts_of_tools

ROOT = pathlib.Path("/sys/fs/cgroup")

# 8 times 500 MB: each process is far below its own limit, together they are far above.
CHILDREN = """
import os, time
from mmap import MAP_ANONYMOUS, MAP_POPULATE, MAP_PRIVATE, mmap
for _ in range(8):
    if os.fork() == 0:
        x = mmap(-1, 500 << 20, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE)
        time.sleep(60)
        os._exit(0)
for _ in range(8): os.wait()
print("had it")
"""
# Files in memory belong to no process.
FILES = """
from mmap import MAP_ANONYMOUS, MAP_POPULATE, MAP_PRIVATE, mmap
for place in ("/tmp/a", "/dev/shm/a"):
    with open(place, "wb") as file:
        for _ in range(240): file.write(bytes(1 << 20))
x = mmap(-1, 1800 << 20, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE)
print("had it")
"""
FORKS = """
import os, time
count = 0
try:
    for _ in range(500):
        if os.fork() == 0:
            time.sleep(20)
            os._exit(0)
        count += 1
except OSError: pass
print("children:", count, flush=True)
os._exit(0)
"""
THREADS = """
import os, threading, time
count = 0
try:
    for _ in range(500):
        threading.Thread(target=time.sleep, args=(20,), daemon=True).start()
        count += 1
except RuntimeError: pass
print("children:", count, flush=True)
os._exit(0)
"""
LEAVE = """
import os
found = os.listdir("/sys/fs/cgroup") if os.path.exists("/sys/fs/cgroup") else []
try:
    os.mkdir("/tmp/groups")
    import ctypes
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(b"none", b"/tmp/groups", b"cgroup2", 0, None) == 0: found.append("mounted")
except OSError: pass
print("found:", found, open("/proc/self/cgroup").read().splitlines()[-1])
"""


class Delegated:
    """A group that belongs to a user, as systemd gives one with Delegate=yes, and a program that starts in it."""

    def __init__(self, box, name, user=None):
        self.place = ROOT / f"attack.{os.getpid()}.{name}"
        self.place.mkdir()
        if user is not None:
            for path in (self.place, *(self.place / file for file in ("cgroup.procs", "cgroup.subtree_control", "cgroup.threads"))):
                os.chown(path, user, user)
        self.entry = box.write(f"enter_{name}", f"#!/bin/sh\nplace={self.place}\n[ ! -d $place/agenttalk.engine ] || place=$place/agenttalk.engine\n"
                               f"echo $$ > $place/cgroup.procs && exec {box.binary} \"$@\"\n")
        self.entry.chmod(0o755)

    def programs(self):
        return sorted(path.name for path in self.place.glob("agenttalk.program.*"))

    def remove(self):
        """Within a time: what was killed takes a moment to be gone."""
        until = time.monotonic() + 10
        while self.place.exists() and time.monotonic() < until:
            for folder in sorted(self.place.glob("**/"), reverse=True):
                try:
                    (folder / "cgroup.kill").write_text("1")
                    folder.rmdir()
                except OSError:
                    pass
            time.sleep(0.05)


def printed(box):
    return "".join(part for line in texts_of_tools(box).splitlines() for part in strings(json.loads(line)))


def attempt(box, source):
    shutil.rmtree(box.dir / "hub", ignore_errors=True)
    (box.dir / "cassette.jsonl").unlink(missing_ok=True)
    run(box, ("run_program", {"argv": ["/usr/bin/python3", "-c", source]}))
    return printed(box)


def children(text):
    return int(text.rsplit("children: ", 1)[1].split()[0]) if "children: " in text else None


def take_too_much(tried, box, group, who):
    text = attempt(box, "print('small')")
    assert "\nsmall" in text, text[-2000:]
    text = attempt(box, CHILDREN)
    tried.repelled(f"8 processes with 500 MB each ({who})", "\nhad it" not in text and "2048 MiB of memory" in text, text[-800:])
    text = attempt(box, FILES)
    tried.repelled(f"memory as files ({who})", "\nhad it" not in text and "2048 MiB of memory" in text, text[-800:])
    for name, source in (("processes", FORKS), ("threads", THREADS)):
        text = attempt(box, source)
        count = children(text)
        tried.repelled(f"500 {name} ({who})", count is not None and count <= 70, text[-800:])
    text = attempt(box, LEAVE)
    tried.repelled(f"leaving the group ({who})", "found: [] 0::/" in text, text[-800:])
    tried.repelled(f"groups left behind ({who})", not group.programs(), group.programs())
    found = [one for one in box.run("doctor", "--json", "--hub", "hub").json["findings"] if one["check"] == "sandbox"]
    assert found and "by a control group of its own" in found[0]["message"], found


def killed_engine(tried, box, group):
    """Nothing of a program outlives the hub that was killed, and its group goes at the next start."""
    shutil.rmtree(box.dir / "hub", ignore_errors=True)
    sleeper = "import os, time\nif os.fork() == 0: os.setsid()\ntime.sleep(300)"
    folder = make_hub(box, AGENTS, script(("run_program", {"argv": ["/usr/bin/python3", "-c", sleeper], "timeout_seconds": 8})))
    drop(folder, "ann", "cmd_1.json", command("cmd_1"))
    engine = subprocess.Popen([str(box.binary), "serve", "--hub", str(folder)], env=box.environment(), stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL)
    until = time.monotonic() + 30
    while time.monotonic() < until and not any((group.place / name / "cgroup.procs").read_text().count("\n") >= 3 for name in group.programs()):
        time.sleep(0.05)
    left = group.programs()
    assert left, "the program did not start"
    engine.send_signal(signal.SIGKILL)
    engine.wait()
    box.run("serve", "--until-idle", "--hub", folder, timeout=60)  # the call is repeated, and ends by its time
    tried.repelled("a group that a killed hub left", not set(left) & set(group.programs()), group.programs())
    alive = [path.parent.name for path in pathlib.Path("/proc").glob("[0-9]*/cmdline") if b"time.sleep(300)" in read(path)]
    tried.repelled("a process that a killed hub left", not alive, alive)


def read(path):
    try:
        return path.read_bytes()
    except OSError:
        return b""


def as_user(tried, box, group):
    """Whatever the test makes and starts is the user's, as whom it goes on in a process of its own, inside of the group."""
    (group.place / "test").mkdir()
    found = box.dir / "found.json"
    child = os.fork()
    if child == 0:
        try:
            (group.place / "test/cgroup.procs").write_text(str(os.getpid()))
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            box.tally = {}
            take_too_much(tried, box, group, "a user")
            found.write_text(json.dumps(box.tally))
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    for name, outcome in json.loads(found.read_text())["sandbox"]:
        tried.repelled(name, outcome == "repelled")


def every(box):
    program = box.binary
    os.chmod(box.dir, 0o755)
    with Attacks(box, "sandbox") as tried:
        for user in (None, NOBODY):
            box.binary = program
            shutil.rmtree(box.dir, ignore_errors=True)
            box.dir.mkdir()
            if user is not None:
                os.chown(box.dir, user, user)
            group = Delegated(box, "of_root" if user is None else "of_a_user", user)
            box.binary = group.entry
            try:
                if user is None:
                    take_too_much(tried, box, group, "root")
                    killed_engine(tried, box, group)
                else:
                    as_user(tried, box, group)
            finally:
                group.remove()
