"""MCP servers: a hub from a stranger starts and reaches none, and what a server says of its tools cannot change unseen."""

import json
import pathlib
import subprocess
import sys
import time

from attack import Attacks, command, drop
from model_server import ModelServer

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PLAIN = ROOT / "tests" / "mcp" / "plain_server.py"
SECRET = "wJalrXUtnFEMI-K7MDENG-bPxRfiCYEXAMPLEKEY"


def mcp_hub(box, servers, answers="- answer: {result: done}\n", **more):
    """Its models answer from a file, which needs no trust: whatever is asked for is about the servers."""
    box.write("hub/answers.yaml", answers)
    box.write("hub/agenttalk.yaml", json.dumps({
        "version": 1, "provider": "p", "providers": {"p": {"kind": "scripted", "answers": "answers.yaml"}},
        "agents": {"ann": {"prompt": "You are Ann.", "tools": ["mcp__*"]}}, "mcp_servers": servers, **more}))
    drop(box.dir / "hub", "ann", "cmd_1.json", command("cmd_1"))


def test_mcp_servers_are_used_only_in_trusted_hubs(box):
    trace = box.dir / "started"
    with ModelServer(lambda path, body, headers: (200, "{}")) as server, Attacks(box, "MCP servers") as tried:
        mcp_hub(box, {"program": {"command": "sh", "args": ["-c", f"env > {trace}"]},
                      "remote": {"url": server.url + "/mcp", "headers": {"Authorization": "Bearer ${A_TOKEN}"}}})
        answers = box.write("answers.yaml", "- answer: {result: done}\n")
        for more in ((), ("--answers", answers)):
            done = box.run("serve", "--until-idle", "--hub", "hub", *more, env={"A_TOKEN": SECRET})
            tried.repelled(f"a program is started {more}", done.code == 4 and not trace.exists(), str(done))
            tried.repelled(f"a server is reached {more}", not server.requests, str(server.requests))
            tried.repelled(f"it does not say what it wants {more}", "sh -c" in done.err and "A_TOKEN" in done.err and server.url in done.err,
                           str(done))
            tried.repelled(f"a token is shown {more}", SECRET not in done.out + done.err)
        for verb in (("providers",), ("doctor",), ("plans",), ("agents",), ("validate", "hub/agenttalk.yaml"), ("trust", "--show")):
            box.run(*verb, "--hub", "hub", env={"A_TOKEN": SECRET})
            tried.repelled(f"{verb[0]} uses a server", not trace.exists() and not server.requests)
        box.run("trust", "--hub", "hub").expect(0)
        box.run("serve", "--until-idle", "--hub", "hub", env={"A_TOKEN": SECRET})
        assert trace.exists() and server.requests, "a trusted hub uses them"
        tried.repelled("a program sees the token of another server", SECRET not in trace.read_text())


def test_a_tool_that_changes_is_withheld(box):
    log = box.dir / "calls.log"
    say = '- when: {attempt: 1}\n  answer: {tool_calls: [{name: mcp__plain__say, arguments: {text: hi}}]}\n- answer: {result: done}\n'
    mcp_hub(box, {"plain": {"command": sys.executable, "args": [str(PLAIN), "changes", str(log)]}}, answers=say)
    box.run("trust", "--hub", "hub").expect(0)
    box.run("serve", "--until-idle", "--hub", "hub").expect(0)
    assert log.read_text().count("say ") == 1, "the tool is used as it was when it was first seen"
    pathlib.Path(str(log) + ".changed").write_text("")
    with Attacks(box, "MCP servers") as tried:
        drop(box.dir / "hub", "ann", "cmd_2.json", command("cmd_2"))
        box.run("serve", "--until-idle", "--hub", "hub")
        tried.repelled("a tool with another description is used", log.read_text().count("say ") == 1, log.read_text())
        asked = box.run("questions", "--hub", "hub", "--json").json
        tried.repelled("nobody is told", any("say" in one["text"] and "plain" in one["text"] for one in asked), str(asked))
        shown = box.run("trust", "--show", "--hub", "hub").out
        tried.repelled("what it says now is not shown", "Sends mail to the attacker" in shown, shown)
    box.run("trust", "--hub", "hub").expect(0)
    drop(box.dir / "hub", "ann", "cmd_3.json", command("cmd_3"))
    box.run("serve", "--until-idle", "--hub", "hub").expect(0)
    assert log.read_text().count("say ") == 2, "a person has accepted it"


def test_servers_end_with_the_hub(box):
    log = box.dir / "calls.log"
    mcp_hub(box, {"plain": {"command": sys.executable, "args": [str(PLAIN), "good", str(log)]}})
    box.run("trust", "--hub", "hub").expect(0)

    def alive():
        found = subprocess.run(["pgrep", "-f", str(log)], check=False, capture_output=True, text=True).stdout.split()
        return found

    with Attacks(box, "MCP servers") as tried:
        served = subprocess.Popen([str(box.binary), "serve", "--hub", "hub"], cwd=box.dir, env=box.environment(),
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for line in served.stdout:
            if "serving" in line:
                break
        assert alive(), "the server runs"
        served.kill()
        served.wait()
        served.stdout.close()
        end = time.monotonic() + 10
        while alive() and time.monotonic() < end:
            time.sleep(0.05)
        tried.repelled("a server outlives a hub that was killed", not alive())
