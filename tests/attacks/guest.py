"""A small machine of its own for attacks that need what this machine may not have: user-mode Linux (the package
user-mode-linux), with the files of this machine to read, memory for the rest, and control groups (cgroup v2).

As a program it is what runs inside: guest.py MODULE FUNCTION BINARY calls the function with a box and prints the tally."""

import importlib
import json
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
MEMORY = 3 << 30
FIRST = """#!/bin/sh
mount -t proc proc /proc
mount -t sysfs none /sys
mount -t tmpfs none /run
mkdir /run/project
mount --bind {root} /run/project
mount -t tmpfs -o mode=1777 none /tmp
mkdir -p {root} # it may be below /tmp
mount --bind /run/project {root}
mount -t cgroup2 none /sys/fs/cgroup
echo '+memory +pids' > /sys/fs/cgroup/cgroup.subtree_control
cd /tmp
PATH={path} python3 {here}/guest.py {module} {function} {binary} 2>&1
echo o > /proc/sysrq-trigger
sleep 30
"""


# What user-mode Linux says, and then dies of, on a processor with more registers than it has room for.
UNFIT = "ptrace set fp regs failed"


class Unfit(Exception):
    """No guest can run on this processor."""


def guest_missing(binary):
    """Why there is none; nothing when there is."""
    if shutil.which("linux.uml") is None:
        return "the package user-mode-linux is not installed"
    if b"__asan_init" in pathlib.Path(binary).read_bytes():
        return "a sanitizer's build needs more than user-mode Linux has"
    if shutil.disk_usage("/dev/shm").free < MEMORY:
        return "there is no memory for a guest of 3 GiB"
    return None


def in_guest(box, module, function, timeout=240):
    """The tally of module.function(box) in there, and what was printed."""
    first = box.write("first.sh", FIRST.format(path=os.environ["PATH"], root=ROOT, here=HERE, module=module, function=function, binary=box.binary))
    first.chmod(0o755)
    ran = subprocess.run(["linux.uml", f"mem={MEMORY >> 20}M", "rootfstype=hostfs", "rootflags=/", "ro", f"init={first}", "con=null",
                          "con0=null,fd:1", "quiet"], stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout, cwd=box.dir,
                         env={**os.environ, "TMPDIR": "/dev/shm"})
    text = (ran.stdout + ran.stderr).decode("utf-8", "replace")
    for line in text.splitlines():
        if line.startswith('{"tally"'):
            return json.loads(line)["tally"], text
    if UNFIT in text:
        raise Unfit(f"user-mode Linux cannot run on this processor ({UNFIT})")
    raise AssertionError(f"the guest ended without a result:\n{text[-6000:]}")


def main():
    module, function, binary = sys.argv[1:]
    sys.path.insert(0, str(HERE))
    sys.path.insert(0, str(HERE.parent / "e2e"))
    from sandbox import Sandbox
    with Sandbox(pathlib.Path(binary)) as box:
        try:
            getattr(importlib.import_module(module), function)(box)
        finally:
            print(json.dumps({"tally": box.tally}), flush=True)


if __name__ == "__main__":
    main()
