"""The wire formats against a server that is not ours: npm's @copilotkit/aimock.

It is installed by npm into a folder of the user's cache on first use. Without Node 20, npm or the package the tests are
skipped and say why.
"""

import json
import os
import pathlib
import shutil
import socket
import subprocess
import time

from sandbox import Skip

PACKAGE = "@copilotkit/aimock@1.43.0"
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "agenttalk-tests/aimock-1.43.0"

FIXTURES = {"fixtures": [
    {"match": {"userMessage": "Use a tool", "hasToolResult": False},
     "response": {"toolCalls": [{"name": "list_files", "arguments": {"path": ""}}]}},
    {"match": {"userMessage": "Use a tool", "hasToolResult": True},
     "response": {"content": json.dumps({"result": "the tool was used"})}},
    {"match": {"userMessage": "Be refused", "sequenceIndex": 0},
     "response": {"error": {"message": "slow down", "type": "rate_limit_error"}, "status": 429}},
    {"match": {"userMessage": "Be refused"}, "response": {"content": json.dumps({"result": "let in"})}},
    {"match": {"userMessage": "Say it in Chinese"}, "response": {"content": json.dumps({"result": "你好，世界 😀"}, ensure_ascii=False)}},
]}

KINDS = (("anthropic", ""), ("openai", "/v1"), ("ollama", ""))


def program():
    node = shutil.which("node")
    if node is None or shutil.which("npm") is None:
        raise Skip("Node and npm are not installed")
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    if int(version.lstrip("v").split(".")[0]) < 20:
        raise Skip(f"Node is {version}, aimock wants 20")
    llmock = CACHE / "node_modules/.bin/llmock"
    if not llmock.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", str(CACHE), PACKAGE],
                              capture_output=True, text=True, timeout=180, check=False)
        if done.returncode != 0 or not llmock.exists():
            raise Skip(f"npm cannot install {PACKAGE}: {done.stderr.strip().splitlines()[-1:]}")
    return llmock


class Aimock:
    def __init__(self, box, *options):
        fixtures = box.write("fixtures/all.json", FIXTURES)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.process = subprocess.Popen(
            [str(program()), "-p", str(self.port), "-f", str(fixtures), "--strict", "--log-level", "silent", *options],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def __enter__(self):
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return self
            assert self.process.poll() is None, "aimock ended at once"
            time.sleep(0.05)
        raise AssertionError("aimock does not listen")

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def ask(box, server, kind, suffix, stream, prompts, more=""):
    """Runs a command for each prompt; gives their results."""
    name = f"{kind}-{'stream' if stream else 'whole'}"
    box.write(f"{name}/agenttalk.yaml", f"""
provider: p
providers:
  p: {{kind: {kind}, base_url: "{server.url}{suffix}", model: some-model, api_key_env: MOCK_KEY, stream: {str(stream).lower()}{more}}}
agents:
  ann: {{name: Ann, prompt: You are Ann., tools: [list_files]}}
  bob: {{name: Bob, prompt: You are Bob., runtime: external}}
""")
    box.run("trust", "--hub", name).expect(0)
    inbox = box.dir / name / "agents/ann/inbox"
    inbox.mkdir(parents=True)
    for i, prompt in enumerate(prompts):
        command = {"command_id": f"cmd_{i}", "plan_id": "plan_p", "prompt": prompt,
                   "on_complete": {"output_name": f"out_{i}.md", "send_to": ["bob"]}}
        (inbox / f"cmd_{i}.json").write_text(json.dumps(command), encoding="utf-8")
    outcome = box.run("serve", "--until-idle", "--hub", name, env={"MOCK_KEY": "mock-key-123"})
    results = [box.dir / name / f"agents/bob/inbox/plan_p/out_{i}.md" for i in range(len(prompts))]
    return outcome, [path.read_text(encoding="utf-8") if path.exists() else None for path in results]


def test_answers_tools_and_refusals_of_every_vendor(box):
    for kind, suffix in KINDS:
        for stream in (True, False):
            # Counts of matches are the server's: a fresh one for each.
            with Aimock(box) as server:
                outcome, results = ask(box, server, kind, suffix, stream, ["Say it in Chinese", "Use a tool", "Be refused"])
                assert results == ["你好，世界 😀", "the tool was used", "let in"], (kind, stream, results, outcome)


def test_what_nobody_expects_is_an_error_with_its_reason(box):
    with Aimock(box) as server:
        for kind, suffix in KINDS:
            # The server says 503, an outage, which would be waited out for the whole of the attempt's time.
            outcome, results = ask(box, server, kind, suffix, True, ["Nobody has an answer to this"], ", max_retries: 1")
            outcome.expect(1)
            assert results == [None]
            assert "HTTP 503" in outcome.err and "no fixture" in outcome.err.lower() and "tried 2 times" in outcome.err, outcome


def test_survives_chaos(box):
    with Aimock(box, "--chaos-disconnect", "0.3", "--chaos-malformed", "0.2", "--chaos-drop", "0.1") as server:
        for kind, suffix in KINDS:
            outcome, _ = ask(box, server, kind, suffix, True, ["Say it in Chinese"] * 4)
            assert outcome.code in (0, 1), outcome
