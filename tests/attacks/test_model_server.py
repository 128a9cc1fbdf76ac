"""A model's server that means harm: what it sends is data, and keys go nowhere else."""

import gzip
import http.server
import json
import threading
import time

from attack import SEEN, Attacks, command, drop, events, hub

KEY = "sk-canary-0123456789abcdefghijkl"


class Hostile:
    """Answers every request with these bytes."""

    def __init__(self, reply):
        self.requests = []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_POST(self):
                outer.requests.append((self.path, dict(self.headers)))
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                try:
                    reply(self)
                except (BrokenPipeError, ConnectionError):
                    pass

            do_GET = do_POST

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.http.server_port}"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.http.shutdown()
        self.http.server_close()


def send(status, body, **headers):
    def reply(handler):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        handler.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(len(data)), **headers}.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(data)
    return reply


def says(text, usage=None, **more):
    body = {"id": "c", "model": "m", "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}], **more}
    if usage is not None:
        body["usage"] = usage
    return send(200, body)


def ask(box, server, name="hub", limits="", prices="", timeout=60):
    box.write(f"{name}/agenttalk.yaml", f"version: 1\nprovider: p\nproviders:\n"
              f"  p: {{kind: openai, base_url: \"{server.url}/v1\", model: m, stream: false, max_retries: 0, api_key_env: CANARY_KEY{prices}}}\n"
              f"agents:\n  ann: {{prompt: You are Ann., repair_attempts: 0}}\n{limits}")
    drop(box.dir / name, "ann", "cmd_1.json", command("cmd_1"))
    return box.run("serve", "--until-idle", "--trust", "--hub", name, env={"CANARY_KEY": KEY}, timeout=timeout)


def endless(handler):
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.end_headers()
    for _ in range(200):
        handler.wfile.write(b" " * (1 << 20))


def test_answers_that_mean_harm(box):
    steering = "\x1b[2J\x9b31m\u202eevil\x07"
    bomb = gzip.compress(b" " * (64 << 20))
    cases = {"an endless answer": endless, "a gzip bomb": send(200, bomb, Content_Encoding="gzip"), "no JSON": send(200, b"<html>"),
             "nothing": send(200, b""), "deep JSON": send(200, b"[" * 100000), "a huge text": says("x" * (8 << 20)),
             "no choices": send(200, {"choices": []}), "choices that are none": send(200, {"choices": 5}), "a null": send(200, b"null"),
             "a status of its own": send(599, {"error": steering}), "an error that steers": send(400, {"error": {"message": steering}}),
             "an error with the key": send(401, {"error": {"message": f"bad key {KEY}"}}), "a model that steers": says('{"result": "x"}', model=steering),
             "long headers": send(200, {}, X_Long="a" * 60000), "a wrong length": send(200, b"{}", Content_Length="100000")}
    with Attacks(box, "model server") as tried:
        for number, (name, reply) in enumerate(cases.items()):
            with Hostile(reply) as server:
                begin = time.monotonic()
                limits = "limits: {max_answer_bytes: 1048576}\n"
                done = ask(box, server, f"hub{number}", limits, prices=", timeout: 15s", timeout=120)
                took = time.monotonic() - begin
                told = done.out + done.err
                log = box.run("log", "plan_a", "--json", "--hub", f"hub{number}").out + box.run("status", "plan_a", "--hub", f"hub{number}").out
                safe = done.code in (0, 1) and took < 60 and not SEEN.search(told.replace("\r", "")) and not SEEN.search(log) and KEY not in told + log
                tried.repelled(name, safe, f"{took:.0f} s {done} {log[-300:]!r}")


def test_a_key_goes_nowhere_else(box):
    with Hostile(says('{"result": "stolen"}')) as thief, Attacks(box, "model server") as tried:
        for number, status in enumerate((301, 302, 303, 307, 308)):
            with Hostile(send(status, {}, Location=f"{thief.url}/v1/chat/completions")) as server:
                ask(box, server, f"r{number}")
                tried.repelled(f"a redirect with {status} takes the key along", not any(KEY in str(headers) for _, headers in thief.requests), thief.requests)
                tried.repelled(f"a redirect with {status} is followed", not thief.requests, thief.requests)
                thief.requests.clear()
        leaks = [path for path in box.dir.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]
        tried.repelled("the key is written somewhere", not leaks, leaks)


def test_usage_that_is_wrong_is_counted_all_the_same(box):
    prices = ", prices: {input: 1000, output: 1000}"
    with Attacks(box, "model server") as tried:
        for number, (name, usage) in enumerate((("none", None), ("negative", {"prompt_tokens": -1000000, "completion_tokens": -5}), ("text", {"prompt_tokens": "x"}),
                                                ("zero", {"prompt_tokens": 0, "completion_tokens": 0}), ("beyond all", {"prompt_tokens": 1e300, "completion_tokens": 1}))):
            with Hostile(says('{"result": "fine"}', usage)) as server:
                ask(box, server, f"u{number}", prices=prices)
                status = box.run("status", "plan_a", "--json", "--hub", f"u{number}").json
                cost = status.get("cost_usd", 0)
                tokens = status.get("tokens", {})
                tried.repelled(f"a usage that is {name}", cost > 0, f"{cost} {tokens}")
