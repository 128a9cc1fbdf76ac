"""The control socket: nobody else's, and nobody holds it up."""

import contextlib
import json
import os
import resource
import signal
import socket
import subprocess
import time

from attack import Attacks, hub
from test_serve import wait_for


class Served:
    def __init__(self, box, limit=None):
        hub(box)
        before = (lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))) if limit else None
        self.server = subprocess.Popen([str(box.binary), "serve", "--hub", "hub"], cwd=box.dir, stderr=subprocess.DEVNULL, preexec_fn=before,
                                       env={"PATH": os.environ["PATH"], "HOME": str(box.dir), "LANG": "C.UTF-8"})
        self.path = box.dir / "hub/.agenttalk/agenttalk.sock"
        wait_for(self.path.exists, "the socket")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.kill()
        self.server.wait()

    def connect(self):
        """Waits when the queue of connections is full: with a timeout set, Python would report that as an error."""
        deadline = time.monotonic() + 20
        while True:
            one = socket.socket(socket.AF_UNIX)
            one.settimeout(20)
            try:
                one.connect(str(self.path))
                return one
            except BlockingIOError:
                one.close()
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.01)

    def ask(self, text):
        with self.connect() as one:
            answer = b""
            try:
                with contextlib.suppress(BrokenPipeError):  # who is refused before it has spoken can still read why
                    one.sendall(text if isinstance(text, bytes) else text.encode())
                while piece := one.recv(65536):
                    answer += piece
            except (TimeoutError, ConnectionError):
                pass
            return answer.decode("utf-8", "replace")

    def post(self, method, body):
        data = body if isinstance(body, bytes) else body.encode()
        return self.ask(f"POST {method} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: {len(data)}\r\n\r\n".encode() + data)

    def alive(self):
        return "200 OK" in self.post("/v1/plans", "{}")

    def cpu(self):
        fields = open(f"/proc/{self.server.pid}/stat").read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_requests_that_are_none(box):
    with Served(box) as served, Attacks(box, "socket") as tried:
        for name, text in {
                "no HTTP": b"\x00\xff" * 100, "an endless line": b"GET /" + b"a" * 100000, "many headers": b"POST /v1/plans HTTP/1.1\r\n" + b"A: b\r\n" * 5000 + b"\r\n",
                "a wrong length": b"POST /v1/plans HTTP/1.1\r\nContent-Length: -5\r\n\r\n", "an endless length": b"POST /v1/plans HTTP/1.1\r\nContent-Length: 99999999999999\r\n\r\nx",
                "two lengths": b"POST /v1/plans HTTP/1.1\r\nContent-Length: 2\r\nContent-Length: 20\r\n\r\n{}",
                "a broken chunk": b"POST /v1/plans HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n"}.items():
            answer = served.ask(text) if name != "an endless length" else served.ask(text)
            tried.repelled(name, "200 OK" not in answer and served.alive(), answer[:200])
        for name, method, body in (("a path as method", "/v1/../../etc/passwd", "{}"), ("no method", "/v1/", "{}"), ("another root", "/", "{}"),
                                   ("an unknown method", "/v1/shell", "{}"), ("broken JSON", "/v1/status", "{"), ("a list", "/v1/status", "[]"),
                                   ("a bomb", "/v1/status", "[" * 100000), ("not UTF-8", "/v1/status", b'{"plan_id": "\xff"}'),
                                   ("a path as plan", "/v1/status", '{"plan_id": "../../x"}'), ("a number as plan", "/v1/status", '{"plan_id": 5}'),
                                   ("an approval of nothing", "/v1/answer", '{"id": "q_999", "decision": "approve"}'),
                                   ("a letter of nothing", "/v1/dead_retry", '{"id": "dl_999"}')):
            answer = served.post(method, body)
            tried.repelled(name, "200 OK" not in answer.split("\r\n")[0] and "root:" not in answer and served.alive(), answer[:200])
        answer = served.ask(b"GET /v1/plans HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        tried.repelled("a browser's GET", "200 OK" not in answer, answer[:200])


def test_connections_are_limited(box):
    with Served(box) as served, Attacks(box, "socket") as tried:
        held = []
        try:
            for _ in range(400):
                held.append(served.connect())
            answer = served.post("/v1/plans", "{}")
            tried.repelled("400 idle connections", "503" in answer or "200" in answer, answer[:200])
            descriptors = len(os.listdir(f"/proc/{served.server.pid}/fd"))
            tried.repelled("400 idle connections take descriptors", descriptors < 330, descriptors)
        finally:
            for one in held:
                one.close()
        wait_for(served.alive, "the hub answers again")


def test_descriptors_run_out(box):
    """Accepting fails then, and waits instead of spinning."""
    with Served(box, limit=64) as served, Attacks(box, "socket") as tried:
        held = []
        try:
            for _ in range(60):
                one = socket.socket(socket.AF_UNIX)
                one.setblocking(False)
                try:
                    one.connect(str(served.path))
                except BlockingIOError:
                    pass
                held.append(one)
            time.sleep(0.5)
            before = served.cpu()
            time.sleep(2)
            used = served.cpu() - before
            tried.repelled("a spin at EMFILE", used < 0.5, f"{used} s of CPU in 2 s")
        finally:
            for one in held:
                one.close()
        wait_for(served.alive, "the hub answers again")
        tried.repelled("the hub is dead after EMFILE", served.server.poll() is None)


def test_a_slow_request_is_ended(box):
    """A request that is begun and not finished holds its connection for half a minute at most."""
    with Served(box) as served, Attacks(box, "socket") as tried:
        with served.connect() as one:
            one.settimeout(60)
            one.sendall(b"POST /v1/plans HTTP/1.1\r\nHost:")
            begin = time.monotonic()
            try:
                ended = one.recv(100) == b""
            except (TimeoutError, ConnectionError) as error:
                ended = not isinstance(error, TimeoutError)
            took = time.monotonic() - begin
            tried.repelled("a request that never ends", ended and took < 45, f"{took:.0f} s")
        tried.repelled("the hub waits for it", served.alive())


def test_the_socket_is_the_owners(box):
    from attack import as_nobody, other_user
    import stat
    with Served(box) as served, Attacks(box, "socket") as tried:
        tried.repelled("the socket's mode", stat.S_IMODE(os.stat(served.path).st_mode) & 0o077 == 0)
        missing = other_user()
        if missing:
            tried.skipped("another user connects", missing)
            return
        box.dir.chmod(0o755)
        (box.dir / "hub").chmod(0o755)
        done = as_nobody("/usr/bin/python3" if os.path.exists("/usr/bin/python3") else "python3", "-c",
                         f"import socket; socket.socket(socket.AF_UNIX).connect({str(served.path)!r})")
        tried.repelled("another user connects", done.returncode != 0, done.stderr)
