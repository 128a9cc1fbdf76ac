"""A small MCP client for tests, written from the facts on the wire: stdio and Streamable HTTP, both revisions."""

import http.client
import json
import queue
import subprocess
import threading

MODERN, LEGACY = "2026-07-28", "2025-11-25"


class Refused(Exception):
    """An error of the protocol (not of a tool)."""

    def __init__(self, status, error):
        super().__init__(f"{status}: {error}")
        self.status, self.error = status, error


class Client:
    """Requests by either revision; `ask` is the transport's."""

    def __init__(self, revision):
        self.revision = revision
        self.next_id = 0
        self.progress = []

    def request(self, method, **params):
        self.next_id += 1
        if self.revision == MODERN:
            params.setdefault("_meta", {}).update({
                "io.modelcontextprotocol/protocolVersion": MODERN,
                "io.modelcontextprotocol/clientInfo": {"name": "journey", "version": "1"},
                "io.modelcontextprotocol/clientCapabilities": {}})
        message = {"jsonrpc": "2.0", "id": self.next_id, "method": method}
        if params:
            message["params"] = params
        return message

    def begin(self):
        if self.revision == MODERN:
            return self.call("server/discover")
        hello = self.call("initialize", protocolVersion=LEGACY, capabilities={}, clientInfo={"name": "journey", "version": "1"})
        self.notify("notifications/initialized")
        return hello

    def call(self, method, **params):
        return self.ask(self.request(method, **params))

    def tool(self, tool, **arguments):
        """The structured content of a tool's answer; an AssertionError with its text if it failed."""
        result = self.call("tools/call", name=tool, arguments=arguments, _meta={"progressToken": f"p{self.next_id}"})
        assert not result.get("isError"), result["content"][0]["text"]
        assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
        return result["structuredContent"]

    def refused_tool(self, tool, **arguments):
        result = self.call("tools/call", name=tool, arguments=arguments)
        assert result.get("isError"), result
        return result["content"][0]["text"]

    def read(self, uri):
        return self.call("resources/read", uri=uri)["contents"][0]

    def note(self, message):
        if message.get("method") == "notifications/progress":
            self.progress.append(message["params"])


class StdioClient(Client):
    def __init__(self, hub, revision, *arguments):
        super().__init__(revision)
        self.process = subprocess.Popen([str(hub.box.binary), "mcp", *arguments], cwd=hub.dir, env=hub.box.environment(), text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.lines = queue.Queue()
        threading.Thread(target=self.listen, daemon=True).start()

    def __enter__(self):
        self.begin()
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.stdin.close()
            assert self.process.wait(30) == 0, self.process.stderr.read()

    def listen(self):
        for line in self.process.stdout:
            self.lines.put(json.loads(line))
        self.lines.put(None)

    def send(self, message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def notify(self, method, **params):
        self.send({"jsonrpc": "2.0", "method": method, **({"params": params} if params else {})})

    def ask(self, message, seconds=60):
        self.send(message)
        while True:
            heard = self.lines.get(timeout=seconds)
            assert heard is not None, f"the server ended: {self.process.stderr.read()}"
            if heard.get("id") != message["id"]:
                self.note(heard)
                continue
            if "error" in heard:
                raise Refused(None, heard["error"])
            return heard["result"]


class HttpClient(Client):
    def __init__(self, url, token, revision):
        super().__init__(revision)
        self.host = url.removeprefix("http://").split("/")[0]
        self.token = token
        self.session = None

    def __enter__(self):
        self.begin()
        return self

    def __exit__(self, *_):
        pass

    def headers(self, message):
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
                   "Authorization": f"Bearer {self.token}"}
        if self.session:
            headers["Mcp-Session-Id"] = self.session
        if self.revision == MODERN:
            headers |= {"MCP-Protocol-Version": MODERN, "Mcp-Method": message["method"]}
            name = message.get("params", {}).get("name") or message.get("params", {}).get("uri")
            if name and message["method"] in ("tools/call", "resources/read"):
                headers["Mcp-Name"] = name
        elif message["method"] != "initialize":
            headers["MCP-Protocol-Version"] = LEGACY
        return headers

    def post(self, message, headers=None):
        """(status, answer's headers, messages)"""
        connection = http.client.HTTPConnection(self.host, timeout=60)
        body = message if isinstance(message, (str, bytes)) else json.dumps(message)
        connection.request("POST", "/mcp", body=body, headers=self.headers(message) if headers is None else headers)
        answer = connection.getresponse()
        text = answer.read().decode()
        if answer.headers.get("Content-Type") == "text/event-stream":
            messages = [json.loads(line.removeprefix("data: ")) for line in text.splitlines() if line.startswith("data: ")]
        else:
            messages = [json.loads(text)] if text else []
        return answer.status, answer.headers, messages

    def notify(self, method, **params):
        status, _, _ = self.post({"jsonrpc": "2.0", "method": method, **({"params": params} if params else {})})
        assert status == 202, status

    def ask(self, message):
        status, headers, messages = self.post(message)
        self.session = headers.get("Mcp-Session-Id") or self.session
        for heard in messages[:-1]:
            self.note(heard)
        answer = messages[-1]
        if "result" not in answer:
            raise Refused(status, answer["error"])
        assert answer["id"] == message["id"]
        return answer["result"]
