"""What journeys share: a hub with a mindful model, the program as a person starts, stops and kills it."""

import json
import pathlib
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))

from mindful_model import MindfulModel  # noqa: E402


def wait_for(condition, what, seconds=30):
    """Until something is seen from outside; events come through the socket and files, so a look now and then is enough."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < end, f"{what} did not come within {seconds} s"
        time.sleep(0.02)


class Journey:
    """A person's folder with a hub in it. `box` is the end-to-end tests' Sandbox."""

    def __init__(self, box, mind, agents, name="hub", **config):
        self.box = box
        self.model = MindfulModel(mind, record=box.dir / "model.jsonl")
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

    def expect_nothing_missing(self):
        assert not self.model.errors, f"the mind failed: {self.model.errors}"
        assert not self.model.missing, f"the model was not told: {self.model.missing}"

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

    def agenttalk(self, *arguments, **options):
        return self.box.run(*arguments, cwd=self.dir, **options)

    def json(self, *arguments, **options):
        return self.agenttalk(*arguments, "--json", **options).json

    def start(self, *arguments, env=None):
        """`serve`, until its line says that it serves."""
        self.server = subprocess.Popen([str(self.box.binary), "serve", *arguments], cwd=self.dir, env=self.box.environment(env),
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
        return subprocess.Popen([str(self.box.binary), *map(str, arguments)], cwd=self.dir, env=self.box.environment(), text=True,
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
