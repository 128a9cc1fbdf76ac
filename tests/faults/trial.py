"""One run of the scenario with faults, and the judgement of what it left."""

import contextlib
import ctypes
import dataclasses
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time

import faults
import oracle
import scenario

# Generous: only a process that hangs needs so long, even on a busy machine.
LONGEST_RUN = 60
# A server whose disk fails for good may wait for better times; then it is told to stop.
PATIENCE = 2
# Steps in which the program serves the hub until its work is done.
SERVINGS = ("serve", "run")


class Plain:
    """A folder of a file system that stays."""

    can_be_cut = False

    def __init__(self, base):
        self.path = pathlib.Path(base)
        self.path.mkdir(parents=True, exist_ok=True)

    def clear(self):
        shutil.rmtree(self.path / "hub", ignore_errors=True)

    def restore_power(self):
        pass

    def close(self):
        shutil.rmtree(self.path, ignore_errors=True)


class Volume:
    """An ext4 file system in a file, which can lose its power."""

    can_be_cut = True

    def __init__(self, base):
        self.base = pathlib.Path(base)
        self.path = self.base / "volume"
        self.image = self.base / "image"
        self.path.mkdir(parents=True, exist_ok=True)
        with open(self.image, "wb") as file:
            file.truncate(48 << 20)
        self.run("mkfs.ext4", "-q", "-F", self.image)
        self.mount()

    @staticmethod
    def run(*arguments):
        done = subprocess.run([str(a) for a in arguments], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise OSError(f"{arguments[0]}: {done.stderr.strip()}")

    def mount(self):
        self.run("mount", "-o", "loop,commit=300", self.image, self.path)

    def clear(self):
        shutil.rmtree(self.path / "hub", ignore_errors=True)
        descriptor = os.open(self.path, os.O_RDONLY)
        ctypes.CDLL(None).syncfs(descriptor)
        os.close(descriptor)

    def restore_power(self):
        self.run("umount", self.path)
        self.mount()

    def close(self):
        with contextlib.suppress(OSError):
            self.run("umount", self.path)
        shutil.rmtree(self.base, ignore_errors=True)


@dataclasses.dataclass
class Tools:
    binary: pathlib.Path
    shim: pathlib.Path
    plant: str = ""


@dataclasses.dataclass
class Report:
    tampered: int = 0  # phases whose fault happened
    calls: list = dataclasses.field(default_factory=list)
    first: list = dataclasses.field(default_factory=list)


class Trial:
    """The scenario is done in phases: each has a fault, and ends when a process does not do its work. The last phase
    has none, and must come to the end."""

    def __init__(self, tools, place, outside, script):
        self.tools = tools
        self.place = place
        self.outside = pathlib.Path(outside)
        self.script = script
        self.hub = place.path / "hub"
        self.report = Report()

    def prepare(self):
        shutil.rmtree(self.outside, ignore_errors=True)
        self.outside.mkdir(parents=True)
        for name, text in self.script.texts.items():
            (self.outside / name).write_text(text, encoding="utf-8")
        self.place.clear()
        scenario.make_hub(self.hub, self.script)
        self.oracle = oracle.Oracle(self.outside / "witness")
        self.left = list(self.script.steps)
        self.plans = []

    def run(self, phases, expected=None):
        """Raises Violation. Without `expected` returns what an undisturbed run leads to."""
        try:
            return self.run_phases(phases, expected)
        except oracle.Violation as violation:
            hit = [faults.read_record(self.outside / f"record{number}")[2] for number in range(len(phases))]
            raise oracle.Violation(f"{violation} [{', '.join(filter(None, hit))}]") from None

    def run_phases(self, phases, expected):
        self.prepare()
        wanted = expected["plans"] if expected else None
        for number, fault in enumerate(phases):
            self.run_phase(number, fault, wanted)
            if not self.left:
                break
        if self.left:
            self.run_phase(len(phases), faults.NO_FAULT, wanted)
        events = self.read_log()
        if expected is None:
            self.oracle.check_log(events)
            return {**oracle.expected_outcome(events, self.hub, self.script), "plans": self.plans}
        self.oracle.check_end(events, self.hub, expected)
        return None

    def run_phase(self, number, fault, plans):
        record = self.outside / f"record{number}"
        whole = True
        while self.left and whole:
            step = self.left[0]
            if step.kind == "drop":
                scenario.drop(self.hub, step)
            elif step.kind == "play":
                scenario.play(self.hub, step)
            else:
                whole = self.run_process(step, fault, record)
            if whole:
                self.left.pop(0)
                self.check_open(step)
                if plans is None and self.script.batches:
                    self.plans.append(self.read_plan())
        calls, tampered, first = faults.read_record(record)
        self.report.calls.append(calls)
        self.report.first.append(first)
        self.report.tampered += tampered > 0
        if fault.name in faults.CUTS and tampered:
            self.place.restore_power()
        self.oracle.check_log(self.read_log())
        if plans and self.script.batches:
            self.check_plan(plans)

    def check_open(self, step):
        """What an external agent has to do is in its inbox exactly once, from the end of a serving until it answers."""
        played = [one for one in self.script.steps if one.kind == "play"]
        if not played or step.kind not in SERVINGS:
            return
        found = scenario.open_commands(self.hub, played[0].agent)
        due = played[0] in self.left
        if due and not found:
            raise oracle.Violation("an external agent has an open command and nothing to pick up")
        if len(found) > due:
            raise oracle.Violation(f"an external agent finds {found} in its inbox, {'one command is' if due else 'none is'} open")

    def check_plan(self, plans):
        """A batch that was acknowledged is there; the one that was under way is there as a whole or not at all."""
        done = len(self.script.steps) - len(self.left)
        before = plans[done - 1] if done else None
        after = plans[done] if self.left else before
        found = self.read_plan()
        if found not in (before, after):
            step = self.left[0].what or self.left[0].kind if self.left else "the end"
            raise oracle.Violation(f"the plan is neither as before nor as after {step}: {found}")
        # It was recorded and could not be acknowledged: whoever sent it sees that in the plan.
        kind = self.left[0].kind if self.left else ""
        if (kind == "apply" and found == after) or (kind == "resume" and not self.is_paused()):
            self.left.pop(0)

    def is_paused(self):
        return json.loads(self.look("status", scenario.PLAN, "--json").stdout)["state"] == "paused"

    def read_plan(self):
        """What its tasks are, whatever has become of them; nothing: there is no plan."""
        self.copy_hub()
        done = self.look("plan", "show", scenario.PLAN, "--json")
        if done.returncode == 0:
            return [[task[key] for key in ("task_id", "dependent_task_ids", "instruction", "assignee")]
                    for task in json.loads(done.stdout)["tasks"]]
        with contextlib.suppress(ValueError, KeyError):
            if json.loads(done.stdout)["error"]["code"] in ("PLAN_UNKNOWN", "JOURNAL_VERSION", "PERMISSION_DENIED"):
                return None
        raise oracle.Violation(f"the plan cannot be read: {done.stdout}{done.stderr}")

    def run_process(self, step, fault, record):
        """True: it did its work."""
        # An I/O error in the very first start can keep the hub's mark from being written; a person is then asked once.
        arguments = ["serve", "--until-idle", "--trust"]
        file = str(self.outside / f"{step.what}.json")
        if step.kind == "send":
            arguments = ["send", file, "--to", step.agent]
        elif step.kind == "apply":
            arguments = ["plan", "apply", scenario.PLAN, file]
        elif step.kind == "resume":
            arguments = ["resume", scenario.PLAN]
        elif step.kind == "run":
            arguments = ["run", str(self.outside / scenario.PLAN_FILE), "--trust"]
        until = self.stop_when(step)
        code, err = self.execute(arguments, fault, record, until)
        # A run that was stopped while its plan waits says that it is not over; a serving that was stopped has done its work.
        if code == 3 and step.kind == "run" and self.stopped:
            code = 0
        disturbed = faults.read_record(record)[1] > 0
        if code == 0 and step.kind == "send":
            self.oracle.acknowledged.add(step.what)
        # A process can come to its end in the moment in which the power goes; what follows needs power.
        if code == 0:
            return not (disturbed and fault.name in faults.CUTS)
        if not disturbed or code not in self.sane_codes(step, fault, err):
            raise oracle.Violation(f"{' '.join(arguments)} ended with {code}: {err[-1500:]}")
        return False

    @staticmethod
    def sane_codes(step, fault, err):
        """How a process may end that a fault has hit."""
        if fault.name not in faults.ERRORS:
            return {-signal.SIGKILL}
        # A folder that cannot be read is told of; what may lie in it is awaited.
        blind = step.kind in SERVINGS and ("Input/output error" in err or "No space" in err)
        # A run that waits for a better disk until it is told to stop says that its plan is not over.
        return {3, 4} if blind or (step.kind == "run" and fault.lasts) else {4}

    def stop_when(self, step):
        """A serving does not end while an agent's command is open: it is stopped once it serves and the command is there."""
        played = [one for one in self.left if one.kind == "play"]
        if step.kind not in SERVINGS or not played:
            return None

        def ready():
            with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as probe:
                probe.settimeout(PATIENCE)
                probe.connect(str(self.hub / ".agenttalk" / "agenttalk.sock"))
                probe.sendall(b"POST /v1/plans HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}")
                return probe.recv(4) == b"HTTP" and bool(scenario.open_commands(self.hub, played[0].agent))
            return False

        return ready

    def execute(self, arguments, fault, record, until=None):
        env = {"PATH": os.environ["PATH"], "HOME": str(self.outside), "LANG": "C.UTF-8",
               "AGENTTALK_WITNESS": str(self.oracle.witness), "AGENTTALK_PLANT": self.tools.plant,
               **faults.environment(self.tools.shim, self.hub, record, fault)}
        process = subprocess.Popen(
            [str(self.tools.binary), *arguments, "--hub", str(self.hub)], env=env, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace", close_fds=False)
        try:
            if not self.wait_out(process, fault, record, until):
                if not fault.lasts:
                    raise oracle.Violation(f"{' '.join(arguments)} does not come to an end")
                process.terminate()
                if not self.wait(process, LONGEST_RUN):
                    raise oracle.Violation(f"{' '.join(arguments)} does not stop when told to")
                # Told to stop before it listened for that: ended by the signal itself, and that is as good.
                return 4 if process.returncode in (0, -signal.SIGTERM) else process.returncode, self.err
            return process.returncode, self.err
        finally:
            if process.poll() is None:
                process.kill()
                process.communicate()

    def wait_out(self, process, fault, record, until):
        """False: it has had its time, which is short only once a lasting fault has begun."""
        begun = time.monotonic()
        self.stopped = False
        while until and time.monotonic() < begun + PATIENCE:
            if self.wait(process, 0.02):
                return True
            if until():
                process.terminate()
                self.stopped = True
                until = None
        for number in range(LONGEST_RUN // PATIENCE):
            if self.wait(process, PATIENCE):
                return True
            if until and until():
                process.terminate()
                self.stopped = True
                until = None
            if until and number > 3 and faults.read_record(record)[1] == 0:
                raise oracle.Violation("an external agent has an open command and nothing to pick up")
            if fault.lasts and faults.read_record(record)[1] > 0:
                return False
        return False

    def wait(self, process, seconds):
        try:
            _, self.err = process.communicate(timeout=seconds)
            return True
        except subprocess.TimeoutExpired:
            self.err = ""
            return False

    def copy_hub(self):
        """To look at, so that reading changes nothing."""
        copy = self.outside / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        copy.mkdir()
        shutil.copy(self.hub / "agenttalk.yaml", copy)
        if (self.hub / ".agenttalk").exists():
            shutil.copytree(self.hub / ".agenttalk", copy / ".agenttalk",
                            ignore=shutil.ignore_patterns("*.sock", "*-shm"))

    def look(self, *arguments):
        return subprocess.run([str(self.tools.binary), *arguments, "--hub", str(self.outside / "copy")],
                              capture_output=True, text=True, check=False, timeout=LONGEST_RUN, close_fds=False)

    def read_log(self):
        self.copy_hub()
        done = self.look("log", scenario.PLAN, "--json")
        if done.returncode == 0:
            return [json.loads(line) for line in done.stdout.splitlines()]
        with contextlib.suppress(ValueError, KeyError):
            code = json.loads(done.stdout)["error"]["code"]
            # Nothing has happened yet, or not even the making of the journal has come to its end.
            unmade = code in ("JOURNAL_VERSION", "PERMISSION_DENIED") and self.oracle.promised_nothing()
            if code == "PLAN_UNKNOWN" or unmade:
                return []
        raise oracle.Violation(f"the journal cannot be read: {done.stdout}{done.stderr}")
