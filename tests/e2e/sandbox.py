"""A fresh directory and environment for one end-to-end test."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile


class Skip(Exception):
    """Raised by a test that cannot run here; the text says why."""


def bubblewrap_missing():
    """Why programs cannot be run in the sandbox here; nothing when they can."""
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        return "bubblewrap is not installed"
    works = subprocess.run([bwrap, "--ro-bind", "/", "/", "true"], check=False, capture_output=True)
    return None if works.returncode == 0 else "bubblewrap does not work here"


SCRATCH = "/task/work"  # of a program, as it sees it inside the sandbox


def need_bubblewrap():
    if missing := bubblewrap_missing():
        raise Skip(missing)


class Outcome:
    def __init__(self, arguments, process):
        self.arguments = arguments
        self.code = process.returncode
        self.out = process.stdout
        self.err = process.stderr

    @property
    def json(self):
        """What was printed; of a verb that prints line by line as it goes on, the last line."""
        try:
            return json.loads(self.out)
        except json.JSONDecodeError:
            return json.loads(self.out.splitlines()[-1])

    def expect(self, code):
        assert self.code == code, f"exit code {self.code}, expected {code}\n{self}"
        return self

    def __str__(self):
        return f"$ agenttalk {' '.join(self.arguments)}\n-- stdout\n{self.out}-- stderr\n{self.err}"


# A sanitizer's report must not pass for an exit code of the program's own.
SANITIZERS = {"ASAN_OPTIONS": "abort_on_error=1:detect_leaks=0", "UBSAN_OPTIONS": "abort_on_error=1:print_stacktrace=1"}


class Sandbox:
    def __init__(self, binary):
        self.binary = binary
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="agenttalk-e2e-"))
        self.tally = {}  # attacks that were tried, by class

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.dir, ignore_errors=True)

    @property
    def sanitized(self):
        """Figures of such a build say nothing."""
        return b"__asan_init" in pathlib.Path(self.binary).read_bytes()

    def environment(self, more=None):
        """What the program sees of the world: a home of its own, and nothing of the tester's."""
        return {"PATH": os.environ["PATH"], "HOME": str(self.dir), "LANG": "C.UTF-8", **SANITIZERS, **(more or {})}

    def run(self, *arguments, stdin="", env=None, cwd=None, timeout=60):
        arguments = [str(argument) for argument in arguments]
        process = subprocess.run(
            [str(self.binary), *arguments], input=stdin, capture_output=True, text=True, timeout=timeout,
            cwd=cwd or self.dir, env=self.environment(env))
        assert process.returncode >= 0, f"killed by signal {-process.returncode}: agenttalk {' '.join(arguments)}"
        return Outcome(arguments, process)

    def write(self, name, content):
        path = self.dir / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return path
