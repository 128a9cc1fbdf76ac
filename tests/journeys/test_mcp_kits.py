"""Other people's MCP programs against this server: the official conformance suite and the official inspector."""

import base64
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import threading

from mcp_client import LEGACY, MODERN
from sandbox import Skip
from test_mcp_server import PLAN, McpJourney, mind

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXCEPTIONS = ROOT / "tests/mcp/server_exceptions.json"


class Kits:
    """npm's programs in the versions of tests/mcp/package-lock.json, with the node that they want."""

    def __init__(self):
        made = subprocess.run([str(ROOT / "scripts/mcp-kits.sh")], capture_output=True, text=True)
        if made.returncode == 4:
            raise Skip("the MCP kits cannot be installed here: " + made.stderr.strip()[-300:])
        assert made.returncode == 0, made.stderr
        self.bin = pathlib.Path(made.stdout.strip()) / "node_modules/.bin"
        nodes = sorted((self.bin.parent).glob("node-linux-*/bin"))
        if not nodes:
            raise Skip("there is no node for this machine among the MCP kits")
        self.path = f"{nodes[0]}:{os.environ['PATH']}"

    def run(self, program, *arguments, cwd, env=None, timeout=300):
        return subprocess.run([str(self.bin / program), *map(str, arguments)], cwd=cwd, capture_output=True, text=True,
                              timeout=timeout, env={**os.environ, **(env or {}), "PATH": self.path})


class Door:
    """Lets programs in that cannot send a token: a proxy that adds it, one request a connection, and speaks of itself as the
    page's own address. `stand_ins` says which of the hub's tools and resources are meant by names of the suite's own; answers
    pass as they are."""

    def __init__(self, port, token, stand_ins=None):
        self.target, self.token, self.stand_ins = port, token, stand_ins or {"tools": {}, "resources": {}}
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.close()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        head = b""
        while b"\r\n\r\n" not in head:
            more = client.recv(65536)
            if not more:
                return client.close()
            head += more
        first, rest = head.split(b"\r\n", 1)
        mine, its = f"127.0.0.1:{self.port}".encode(), f"127.0.0.1:{self.target}".encode()
        server = socket.create_connection(("127.0.0.1", self.target))
        fields, body = rest.split(b"\r\n\r\n", 1)
        length = re.search(rb"(?im)^content-length: *(\d+)", fields)
        while length and len(body) < int(length[1]):
            body += client.recv(65536)
        fields, body = self.translate(fields.replace(mine, its).replace(b"keep-alive", b"close"), body)
        server.sendall(first + b"\r\nAuthorization: Bearer " + self.token.encode() + b"\r\n" + fields + b"\r\n\r\n" + body)
        threading.Thread(target=self.pump, args=(client, server), daemon=True).start()
        self.pump(server, client)
        client.close()

    def translate(self, fields, body):
        try:
            message = json.loads(body)
            method, params = message["method"], message["params"]
        except (ValueError, KeyError, TypeError):
            return fields, body
        if method == "tools/call" and params.get("name") in self.stand_ins["tools"]:
            wanted = params["name"]
            params |= self.stand_ins["tools"][wanted]
            meant = params["name"]
        elif method == "resources/read" and params.get("uri") in self.stand_ins["resources"]:
            wanted = params["uri"]
            meant = params["uri"] = self.stand_ins["resources"][wanted]
        else:
            return fields, body
        body = json.dumps(message).encode()
        fields = re.sub(rb"(?im)^(content-length: *)\d+", rb"\g<1>%d" % len(body), fields)
        return re.sub(rb"(?im)^(mcp-name: *)" + re.escape(wanted.encode()), rb"\g<1>" + meant.encode(), fields), body

    @staticmethod
    def pump(source, target):
        try:
            while data := source.recv(65536):
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass


CHAIN = "plan: chain\ngoal: Numbers\ntasks:\n" + "".join(
    f"  - {{id: t{number}, agent: writer, prompt: Write {number}., outputs: [{number}.md]{f', needs: [t{number - 1}]' if number > 121 else ''}}}\n"
    for number in range(121, 126))


def chain_mind(request):
    return {"result": "# " + request.find(r"Write (12\d)\.")} if "Write 12" in request else mind(request)


def failures_of(folder):
    """The checks that did not pass, of every scenario that ran."""
    found = {}
    for path in sorted(folder.glob("**/checks.json")):
        scenario = re.sub(r"^server-|-\d{4}-\d\d-\d\dT.*$", "", path.parent.name)
        checks = json.loads(path.read_text(encoding="utf-8"))
        failed = {check["id"]: check.get("errorMessage") for check in checks if check["status"] in ("FAILURE", "WARNING")}
        found[scenario] = failed
    return found


def test_the_server_passes_the_conformance_suite_but_for_a_list_with_reasons(box):
    kits = Kits()
    known = json.loads(EXCEPTIONS.read_text(encoding="utf-8"))
    with McpJourney(box, chain_mind, name="conformance") as hub:
        hub.serve()
        # There is something to list, to read and to run.
        with hub.http(MODERN) as client:
            question = client.tool("run_plan", plan=PLAN + "files: [bee.png]\n", files=[
                {"name": "bee.png", "content_base64": base64.b64encode(b"\x89PNG\r\n\x1a\n\x00\xff").decode()}])["questions"][0]
            client.tool("answer", id=question["id"], decision="approve")
            assert client.tool("status", plan_id="bees", wait_s=30)["state"] == "completed"
            assert client.tool("run_plan", plan=CHAIN, wait_s=30)["state"] == "completed"
            for uri in known["stand_ins"]["resources"].values():
                client.read(uri)
        token = hub.json("mcp", "--token")["token"]
        with Door(hub.port, token, known["stand_ins"]) as door:
            for revision in (MODERN, LEGACY):
                out = hub.dir / f"results-{revision}"
                shutil.rmtree(out, ignore_errors=True)
                ran = kits.run("conformance", "server", "--url", f"http://127.0.0.1:{door.port}/mcp", "--requirements", revision,
                               "-o", out, cwd=hub.dir)
                failed = failures_of(out)
                assert len(failed) > 25, f"only {len(failed)} scenarios ran:\n{ran.stdout[-3000:]}\n{ran.stderr[-2000:]}"
                failed = {f"{scenario}/{check}": why for scenario, checks in failed.items() for check, why in checks.items()}
                expected = {name for checks in known[revision].values() for name in checks}
                unexpected = {name: why for name, why in failed.items() if name not in expected}
                assert not unexpected, f"{revision}: {json.dumps(unexpected, indent=1)}"
                assert not expected - set(failed), f"{revision}: these pass, remove them from {EXCEPTIONS.name}: {expected - set(failed)}"
                assert set(known[revision]) <= set(known["reasons"]), "a reason is not explained"
        hub.stop()


def test_the_inspector_lists_and_calls_our_tools(box):
    kits = Kits()
    with McpJourney(box, name="inspected") as hub:
        hub.serve()
        made = hub.json("mcp", "--token")
        home = {"HOME": str(hub.dir)}
        for era in ("modern", "legacy"):
            over_http = [made["url"], "--transport", "http", "--header", f"Authorization: Bearer {made['token']}",
                         "--protocol-era", era]
            listed = kits.run("mcp-inspector", "--cli", *over_http, "--method", "tools/list", cwd=hub.dir, env=home)
            assert listed.returncode == 0, (listed.stdout, listed.stderr)
            tools = {tool["name"] for tool in json.loads(listed.stdout)["tools"]}
            assert {"run_goal", "run_plan", "answer", "send_command"} <= tools, tools
            called = kits.run("mcp-inspector", "--cli", *over_http, "--method", "tools/call", "--tool-name", "agents", cwd=hub.dir,
                              env=home)
            assert called.returncode == 0 and "printer" in called.stdout, (called.stdout, called.stderr)
        on_stdio = kits.run("mcp-inspector", "--cli", hub.box.binary, "mcp", "--hub", hub.dir, "--method", "tools/call", "--tool-name",
                            "plans", "--tool-arg", "limit=3", cwd=hub.dir, env={**hub.box.environment(), **home})
        assert on_stdio.returncode == 0 and '"more"' in on_stdio.stdout.replace("\\", ""), (on_stdio.stdout, on_stdio.stderr)
        hub.stop()
