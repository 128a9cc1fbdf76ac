"""An OpenAI-compatible server that can fail, break off and go away, and that notes when each call came and went."""

import http.server
import json
import socket
import struct
import threading
import time

EVENTS = [{"id": "c", "model": "flaky", "choices": [{"index": 0, "delta": {"content": None}}]},
          {"id": "c", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
          {"id": "c", "choices": [], "usage": {"prompt_tokens": 1000, "completion_tokens": 100}}]


class Listener(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256  # the default of 5 loses connections when many come at once


class FlakyServer:
    """`fate(number)` says what becomes of call `number` (from 0): "ok", "drop" (reset), or a status with headers."""

    def __init__(self, fate=lambda number: "ok", result="fine", seconds=0.0, models=("flaky",), usage=None):
        self.fate, self.result, self.seconds, self.models = fate, result, seconds, models
        self.usage = usage  # what a call is said to take; None: as in EVENTS
        self.lock = threading.Lock()
        self.calls = []  # {"came", "went", "fate", "body", "headers"}
        self.open = set()
        self.port = 0
        self.http = None
        self.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.http:
            self.go_away()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/v1"

    def count(self, *fates):
        with self.lock:
            return sum(call["fate"] in fates for call in self.calls)

    def start(self):
        self.http = Listener(("127.0.0.1", self.port), self._handler())
        self.port = self.http.server_port
        threading.Thread(target=self.http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def go_away(self):
        """As a process that ends: nobody listens, and what was under way breaks."""
        self.http.shutdown()
        self.http.server_close()
        self.http = None
        with self.lock:
            for connection in list(self.open):
                reset(connection)

    def _handler(self):
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def setup(self):
                super().setup()
                with server.lock:
                    server.open.add(self.connection)

            def finish(self):
                with server.lock:
                    server.open.discard(self.connection)
                try:
                    super().finish()
                except OSError:
                    pass

            def do_GET(self):
                self.reply(200, {"data": [{"id": name} for name in server.models]})

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                if not body.get("messages"):
                    return self.reply(400, {"error": {"message": "messages is required"}})
                call = {"came": time.monotonic(), "went": None, "body": body, "headers": dict(self.headers)}
                with server.lock:
                    call["fate"] = server.fate(len(server.calls))
                    server.calls.append(call)
                if server.seconds:
                    time.sleep(server.seconds)
                call["went"] = time.monotonic()
                if call["fate"] == "drop":
                    reset(self.connection)
                    self.close_connection = True
                elif call["fate"] == "ok":
                    text = json.dumps({"result": server.result}) if isinstance(server.result, str) else server.result(body)
                    events = [dict(EVENTS[0], choices=[{"index": 0, "delta": {"content": text}}]), *EVENTS[1:]]
                    if server.usage:
                        events[-1] = dict(events[-1], usage=server.usage)
                    data = "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n"
                    self.send(200, "text/event-stream", data.encode())
                else:
                    status, headers = call["fate"] if isinstance(call["fate"], tuple) else (int(call["fate"]), {})
                    self.reply(status, {"error": {"message": "not now", "type": "test"}}, headers)

            def reply(self, status, value, headers=None):
                self.send(status, "application/json", json.dumps(value).encode(), headers)

            def send(self, status, kind, data, headers=None):
                try:
                    self.send_response(status)
                    for name, value in (headers or {}).items():
                        self.send_header(name, value)
                    self.send_header("Content-Type", kind)
                    self.send_header("Content-Length", str(len(data)))
                    self.end_headers()
                    self.wfile.write(data)
                except OSError:
                    self.close_connection = True

        return Handler


def reset(connection):
    try:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
    try:
        connection.close()
    except OSError:
        pass
