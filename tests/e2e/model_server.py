"""A model server on the loopback interface for end-to-end tests: OpenAI, Anthropic and Ollama shapes."""

import http.server
import json
import threading


class ModelServer:
    """`answer(path, body, headers)` gives (status, text); the text of a 200 is what the model says."""

    def __init__(self, answer):
        self.answer = answer
        self.requests = []
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                server.requests.append((self.path, None, dict(self.headers)))
                self.reply(200, {"data": [{"id": "test-model"}], "models": [{"name": "test-model"}]})

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                server.requests.append((self.path, body, dict(self.headers)))
                status, text = server.answer(self.path, body, self.headers)
                if status != 200:
                    self.reply(status, {"error": {"message": text, "type": "test"}})
                elif self.path.endswith("/v1/messages"):
                    self.events(anthropic_events(text))
                elif self.path.endswith("/chat/completions"):
                    self.events(openai_events(text))
                else:
                    self.lines(ollama_lines(text))

            def reply(self, status, value):
                data = json.dumps(value).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def stream(self, kind, data):
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def events(self, events):
                text = "".join(f"event: {name}\ndata: {data}\n\n" if name else f"data: {data}\n\n" for name, data in events)
                self.stream("text/event-stream", text.encode())

            def lines(self, lines):
                self.stream("application/x-ndjson", "".join(line + "\n" for line in lines).encode())

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.http.shutdown()
        self.http.server_close()

    def asked(self):
        """The bodies of the questions put to a model."""
        return [body for _, body, _ in self.requests if body is not None]


def anthropic_events(text):
    usage = {"input_tokens": 1000, "output_tokens": 1}
    yield "message_start", json.dumps({"type": "message_start", "message": {"id": "m", "model": "claude-sonnet-4-5", "usage": usage}})
    yield "content_block_start", json.dumps({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}})
    yield "content_block_delta", json.dumps({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}})
    yield "message_delta", json.dumps({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 100}})
    yield "message_stop", json.dumps({"type": "message_stop"})


def openai_events(text):
    """A text, or a tool call {"name", "arguments"}."""
    if isinstance(text, dict):
        call = {"index": 0, "id": "call_1", "type": "function",
                "function": {"name": text["name"], "arguments": json.dumps(text["arguments"])}}
        yield None, json.dumps({"id": "c", "model": "test-model", "choices": [{"index": 0, "delta": {"tool_calls": [call]}}]})
        yield None, json.dumps({"id": "c", "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]})
        yield None, "[DONE]"
        return
    yield None, json.dumps({"id": "c", "model": "test-model", "choices": [{"index": 0, "delta": {"content": text}}]})
    yield None, json.dumps({"id": "c", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    yield None, json.dumps({"id": "c", "choices": [], "usage": {"prompt_tokens": 1000, "completion_tokens": 100}})
    yield None, "[DONE]"


def ollama_lines(text):
    yield json.dumps({"model": "test-model", "message": {"role": "assistant", "content": text}, "done": False})
    yield json.dumps({"model": "test-model", "message": {"content": ""}, "done": True, "done_reason": "stop",
                      "prompt_eval_count": 1000, "eval_count": 100})
