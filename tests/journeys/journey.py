"""What journeys share: a hub with a mindful model, the program as a person starts, stops and kills it."""

import json
import pathlib
import signal
import socket
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))

from mindful_model import MindfulModel  # noqa: E402
from sandbox import Outcome  # noqa: E402


def wait_for(condition, what, seconds=30):
    """Until something is seen from outside; events come through the socket and files, so a look now and then is enough."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < end, f"{what} did not come within {seconds} s"
        time.sleep(0.02)


class Tapes:
    """How journeys are recorded and replayed (test_replays.py): each hub's model calls are one cassette, and what a journey
    looks at of its model is kept with it. A replay has no server: what it looks at is what was there at the same look."""

    def __init__(self, folder):
        self.folder = folder
        self.hubs = []  # of the recording, in order: {"tape": path, "looks": what was seen, "end": how it ended}
        self.replayed = None  # not None: how many hubs of a replay there are so far

    def next(self):
        if self.replayed is None:
            self.hubs.append({"tape": self.folder / f"{len(self.hubs)}.jsonl", "looks": [], "end": None})
            return self.hubs[-1]
        self.replayed += 1
        return self.hubs[self.replayed - 1]


tapes = None
interruption = None  # (signal, n): the first `run` of a hub whose model is asked for the n-th time is ended by it, and run again


class TapedModel(MindfulModel):
    """Keeps what a journey sees of the model, look by look."""

    def __init__(self, mind, record, looks):
        self.looks = looks
        super().__init__(mind, record)

    @property
    def requests(self):
        found = super().requests
        self.looks.append(found)
        return found


class AbsentModel:
    """A model that cannot be asked: its server has gone, and its port is closed."""

    def __init__(self, looks):
        self.looks = iter(looks)
        self.missing = self.errors = ()
        with socket.create_server(("127.0.0.1", 0)) as gone:
            self.url = f"http://127.0.0.1:{gone.getsockname()[1]}/v1"

    def __exit__(self, *_):
        pass

    config = MindfulModel.config

    @property
    def requests(self):
        return next(self.looks)


class Journey:
    """A person's folder with a hub in it. `box` is the end-to-end tests' Sandbox."""

    def __init__(self, box, mind, agents, name="hub", **config):
        self.box = box
        self.running, self.asked = None, 0
        if interruption:
            mind = self.interrupted_mind(mind)
        self.tape = tapes.next() if tapes else None
        if not tapes:
            self.model = MindfulModel(mind, record=box.dir / "model.jsonl")
        elif tapes.replayed is None:
            self.model = TapedModel(mind, box.dir / "model.jsonl", self.tape["looks"])
        else:
            self.model = AbsentModel(self.tape["looks"])
        self.dir = box.dir / name
        self.dir.mkdir()
        self.server = None
        self.config = {"version": 1, "provider": "mindful", "providers": {"mindful": self.model.config()},
                       "agents": agents, **config}
        self.write("agenttalk.yaml", json.dumps(self.config, indent=1))  # JSON is YAML

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if self.server and self.server.poll() is None:
            self.server.kill()
            self.server.wait()
        self.model.__exit__()
        if kind is None:
            self.expect_nothing_missing()
            if tapes:
                self.compare_with_tape()

    def expect_nothing_missing(self):
        assert not self.model.errors, f"the mind failed: {self.model.errors}"
        assert not self.model.missing, f"the model was not told: {self.model.missing}"

    def compare_with_tape(self):
        """What was made and what became of every task is the same as in the recording."""
        end = {"deliverables": {str(path.relative_to(self.dir)): path.read_bytes() for path in sorted(self.dir.glob("plans/*/deliverables/*"))}}
        for plan in self.json("plans"):
            shown = self.json("status", plan["plan_id"])
            end[plan["plan_id"]] = (shown["state"], [(task["task_id"], task["agent"], task["state"], task["attempts"], task["score"],
                                                      (task["error"] or {}).get("message")) for task in shown["tasks"]],
                                    [(command["command_id"], command["state"]) for command in shown["commands"]])
        if tapes.replayed is None:
            self.tape["end"] = end
        else:
            assert end == self.tape["end"], f"recorded {self.tape['end']}\nreplayed {end}"

    def taped(self, arguments):
        """With the tape, if this verb may ask a model."""
        if not tapes or not arguments or arguments[0] not in ("run", "serve", "say", "fork") or "--answers" in arguments:
            return arguments
        return (*arguments, "--record" if tapes.replayed is None else "--replay", str(self.tape["tape"]))

    def write(self, name, content):
        path = self.dir / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def drop(self, name, content):
        """As a careful program does: by rename."""
        path = self.dir / name
        self.write(name + ".tmp", content if isinstance(content, (bytes, str)) else json.dumps(content))
        (self.dir / (name + ".tmp")).rename(path)
        return path

    def read(self, name):
        return (self.dir / name).read_text(encoding="utf-8")

    def interrupted_mind(self, mind):
        def thinking(request):
            self.asked += 1
            if self.asked == interruption[1] and self.running:
                self.running.send_signal(interruption[0])
            return mind(request)
        return thinking

    def agenttalk(self, *arguments, **options):
        if interruption and arguments[0] == "run" and self.asked < interruption[1] and not self.server:
            self.running = process = self.spawn(*arguments)
            out, err = process.communicate()
            self.running = None
            # A stop waits for the answer that is on its way. Where that ends the plan in failure, nothing is to be resumed: run
            # again it would be the next attempt.
            if process.returncode == 1:
                return Outcome(arguments, subprocess.CompletedProcess(arguments, 1, out, err))
        return self.box.run(*self.taped(arguments), cwd=self.dir, **options)

    def json(self, *arguments, **options):
        return self.agenttalk(*arguments, "--json", **options).json

    def start(self, *arguments, env=None):
        """`serve`, until its line says that it serves."""
        self.server = subprocess.Popen([str(self.box.binary), *self.taped(("serve", *arguments))], cwd=self.dir, env=self.box.environment(env),
                                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        said = []
        for line in self.server.stdout:
            said.append(line)
            if "serving" in line:
                break
        else:
            raise AssertionError("serve ended: " + "".join(said))
        # Nobody reads the rest; the pipe must not fill up.
        import threading
        threading.Thread(target=self.server.stdout.read, daemon=True).start()
        return self.server

    def spawn(self, *arguments):
        """A verb in the background, for instance a `run` that is to be interrupted."""
        return subprocess.Popen([str(self.box.binary), *map(str, self.taped(arguments))], cwd=self.dir, env=self.box.environment(), text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def stop(self):
        """Gracefully."""
        self.server.send_signal(signal.SIGTERM)
        assert self.server.wait(30) == 0, f"serve ended with {self.server.returncode}"

    def kill(self):
        self.server.kill()
        self.server.wait()

    def restart(self, how="stop"):
        self.stop() if how == "stop" else self.kill()
        self.start()
