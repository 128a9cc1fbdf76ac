"""For benchmarks: a hub on scripted answers, and a server on it."""

import ctypes
import json
import os
import pathlib
import signal
import struct
import subprocess

LIBC = ctypes.CDLL(None, use_errno=True)
IN_CLOSE_NOWRITE, IN_MOVED_FROM, IN_MOVED_TO = 0x10, 0x40, 0x80


class ServedHub:
    def __init__(self, directory, agents, binary=None):
        self.dir = pathlib.Path(directory)
        self.dir.mkdir(parents=True)
        self.binary = binary or os.environ["AGENTTALK"]
        team = "".join(f"  {agent}: {{}}\n" for agent in agents)
        (self.dir / "agenttalk.yaml").write_text(
            "version: 1\nprovider: offline\nproviders:\n  offline: {kind: scripted, answers: answers.yaml}\n"
            f"agents:\n{team}")
        (self.dir / "answers.yaml").write_text('- answer: {result: "done"}\n')
        for agent in agents:
            (self.dir / "agents" / agent / "inbox").mkdir(parents=True)

    @classmethod
    def of(cls, directory, binary=None):
        """A server on a hub that is there already."""
        served = cls.__new__(cls)
        served.dir = pathlib.Path(directory)
        served.binary = binary or os.environ["AGENTTALK"]
        return served

    def __enter__(self):
        self.server = subprocess.Popen([self.binary, "serve", "--quiet", "--hub", str(self.dir)],
                                       stderr=subprocess.PIPE, text=True)
        line = self.server.stderr.readline()
        assert "serving" in line, line
        return self

    def __exit__(self, *_):
        self.server.send_signal(signal.SIGTERM)
        self.server.communicate(timeout=1800)  # the files of very many tasks

    def verb(self, *arguments):
        done = subprocess.run([self.binary, *arguments, "--json", "--hub", str(self.dir)], check=True, text=True,
                              stdout=subprocess.PIPE)
        return json.loads(done.stdout)

    def peak_mib(self):
        lines = pathlib.Path(f"/proc/{self.server.pid}/status").read_text().splitlines()
        return int(next(line.split()[1] for line in lines if line.startswith("VmHWM"))) // 1024


class Watch:
    """What the kernel tells of one folder."""

    def __init__(self, folder, mask):
        self.fd = LIBC.inotify_init1(os.O_CLOEXEC)
        assert self.fd >= 0 and LIBC.inotify_add_watch(self.fd, str(folder).encode(), mask) >= 0
        self.waiting = []

    def next(self):
        """(mask, name) of the next event."""
        while not self.waiting:
            data, at = os.read(self.fd, 65536), 0
            while at < len(data):
                _, mask, _, length = struct.unpack_from("iIII", data, at)
                self.waiting.append((mask, data[at + 16:at + 16 + length].rstrip(b"\0").decode()))
                at += 16 + length
        return self.waiting.pop(0)

    def until(self, mask, name):
        while True:
            event = self.next()
            if event[0] & mask and event[1] == name:
                return
