"""A stand-in for a model that knows only what its request says: an OpenAI-compatible server on the loopback interface.

A journey gives it a mind: a function that gets a Request and returns what the model says. A mind may use the request
alone. What it needs and does not find there it reports with `missing(...)`; the answer is then "MISSING: …", the journey
sees it in `model.missing`, and fails. So a journey that passes proves that the prompt carries what a model needs.

Every request and every response is recorded here, by the server, not by the program under test.
"""

import http.server
import json
import pathlib
import re
import sys
import threading


class Missing(Exception):
    """The request lacks something that the answer needs."""


def missing(what):
    raise Missing(what)


class Request:
    """One request as the model sees it."""

    def __init__(self, body):
        self.body = body
        self.messages = body.get("messages", [])
        self.tools = {tool["function"]["name"]: tool["function"] for tool in body.get("tools", [])}

    @staticmethod
    def text_of(message):
        content = message.get("content") or ""
        if isinstance(content, list):
            content = "".join(part.get("text", "") for part in content)
        return content

    def of(self, *roles):
        return "\n".join(self.text_of(message) for message in self.messages if message["role"] in roles)

    @property
    def system(self):
        return self.of("system", "developer")

    @property
    def user(self):
        return self.of("user")

    @property
    def text(self):
        """Everything the model is told, in order; tool results included."""
        return "\n".join(self.text_of(message) for message in self.messages)

    def __contains__(self, text):
        return text in self.text

    def need(self, text):
        """A text that the answer depends on."""
        if text not in self.text:
            missing(text)
        return text

    def find(self, pattern, what=None):
        """The first group of a regular expression that the answer depends on."""
        match = re.search(pattern, self.text, re.MULTILINE)
        if not match:
            missing(what or pattern)
        return match.group(1)

    def tool(self, name):
        """A tool that is offered with a schema that lists its arguments."""
        if name not in self.tools:
            missing(f"the tool {name}")
        if "properties" not in self.tools[name].get("parameters", {}):
            missing(f"the arguments of the tool {name}")
        return self.tools[name]

    def path(self, name):
        """The path of a file for tools, as the request names it: a word that ends in /name, or the name after a folder."""
        found = re.findall(r"[\w./-]*/" + re.escape(name) + r"(?![\w.-])", self.text)
        if not found:
            missing(f"a path of {name}")
        return found[0]

    def tool_results(self):
        """What the tools gave so far, oldest first."""
        return [self.text_of(message) for message in self.messages if message["role"] == "tool"]

    def is_schema_bound(self):
        return "response_format" in self.body


def call(name, /, **arguments):
    """What a mind returns to call one tool; a list of these calls several."""
    return {"tool": name, "arguments": arguments}


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], ConnectionError):  # the program was killed: some journeys are about that
            super().handle_error(request, client_address)


class MindfulModel:
    """`mind(request)` returns a text, an object (sent as JSON), `call(...)` or a list of calls, or (status, text) to fail."""

    def __init__(self, mind, record=None):
        self.mind = mind
        self.exchanges = []  # {"request": body, "response": what was said}
        self.missing = []
        self.errors = []
        self.record = pathlib.Path(record) if record else None
        self.lock = threading.Lock()
        self.http = Server(("127.0.0.1", 0), self._handler())
        self.url = f"http://127.0.0.1:{self.http.server_port}/v1"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.http.shutdown()
        self.http.server_close()

    @property
    def requests(self):
        with self.lock:
            return [Request(exchange["request"]) for exchange in self.exchanges]

    def config(self, **more):
        """A provider entry for agenttalk.yaml."""
        return {"kind": "openai", "base_url": self.url, "model": "mindful", **more}

    def _answer(self, body):
        try:
            said = self.mind(Request(body))
        except Missing as reason:
            said = f"MISSING: {reason}"
            self.missing.append(str(reason))
        except Exception as reason:  # a mistake of the mind: told, so that the journey fails loudly
            said = (500, f"the mind failed: {reason!r}")
            self.errors.append(repr(reason))
        with self.lock:
            self.exchanges.append({"request": body, "response": said})
            if self.record:
                with self.record.open("a", encoding="utf-8") as out:
                    out.write(json.dumps(self.exchanges[-1], ensure_ascii=False) + "\n")
        return said

    def _handler(self):
        model = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                self._reply(200, {"object": "list", "data": [{"id": "mindful", "object": "model"}]})

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                said = model._answer(body)
                try:
                    if isinstance(said, tuple):
                        self._reply(said[0], {"error": {"message": said[1], "type": "stand_in"}})
                    elif body.get("stream"):
                        self._stream(said, body.get("model", "mindful"))
                    else:
                        self._reply(200, whole(said, body.get("model", "mindful")))
                except (BrokenPipeError, ConnectionResetError):
                    pass  # the program was killed in the middle: that is what some journeys are about

            def _reply(self, status, value):
                self._send(status, "application/json", json.dumps(value).encode())

            def _stream(self, said, model):
                data = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks(said, model)) + "data: [DONE]\n\n"
                self._send(200, "text/event-stream", data.encode())

            def _send(self, status, kind, data):
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        return Handler


def calls_of(said):
    calls = said if isinstance(said, list) else [said]
    if not all(isinstance(one, dict) and "tool" in one for one in calls):
        return None
    return [{"index": index, "id": f"call_{index}", "type": "function",
             "function": {"name": one["tool"], "arguments": json.dumps(one["arguments"], ensure_ascii=False)}}
            for index, one in enumerate(calls)]


def message_of(said):
    tools = calls_of(said)
    if tools:
        return {"role": "assistant", "content": None, "tool_calls": tools}, "tool_calls"
    text = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
    return {"role": "assistant", "content": text}, "stop"


USAGE = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}


def whole(said, model="mindful"):
    message, reason = message_of(said)
    return {"id": "m", "object": "chat.completion", "model": model, "usage": USAGE,
            "choices": [{"index": 0, "message": message, "finish_reason": reason}]}


def chunks(said, model="mindful"):
    message, reason = message_of(said)
    frame = {"id": "m", "object": "chat.completion.chunk", "model": model}
    yield {**frame, "choices": [{"index": 0, "delta": message}]}
    yield {**frame, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}
    yield {**frame, "choices": [], "usage": USAGE}
