"""MCP servers: a hub from a stranger starts and reaches none, and what a server says of its tools cannot change unseen."""

import json
import pathlib
import socket
import subprocess
import sys
import time

from attack import Attacks, command, drop, sandbox_missing
from model_server import ModelServer
from sandbox import SCRATCH

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


def test_looking_at_tools_starts_nothing_untrusted(box):
    trace = box.dir / "started"
    with ModelServer(lambda path, body, headers: (200, "{}")) as server, Attacks(box, "MCP servers") as tried:
        mcp_hub(box, {"program": {"command": "sh", "args": ["-c", f"env > {trace}"]},
                      "remote": {"url": server.url + "/mcp", "headers": {"Authorization": "Bearer ${A_TOKEN}"}}})
        for verb in (("tools",), ("tools", "--json"), ("tools", "ann"), ("tool", "call", "mcp__program__x", "{}"),
                     ("tool", "call", "mcp__remote__x", "{}", "--agent", "ann"), ("tool", "call", "read_file", "{}")):
            done = box.run(*verb, "--hub", "hub", env={"A_TOKEN": SECRET})
            tried.repelled(f"{' '.join(verb[:3])} uses a server", not trace.exists() and not server.requests, str(done))
        box.run("trust", "--hub", "hub").expect(0)
        box.run("tools", "--hub", "hub", env={"A_TOKEN": SECRET})
        assert trace.exists() and server.requests, "those of a trusted hub are asked"
        # Trying one tool does not start the others' servers.
        trace.unlink()
        box.run("tool", "call", "mcp__remote__x", "{}", "--agent", "ann", "--hub", "hub", env={"A_TOKEN": SECRET})
        tried.repelled("a call starts a server that it does not need", not trace.exists())
        # What is changed after the yes needs another one.
        config = box.dir / "hub/agenttalk.yaml"
        config.write_text(config.read_text().replace("env >", "id >"))
        for verb in (("tools",), ("tool", "call", "mcp__program__x", "{}")):
            box.run(*verb, "--hub", "hub", env={"A_TOKEN": SECRET})
            tried.repelled(f"{verb[0]} starts what was changed since", not trace.exists())


def test_a_server_in_the_sandbox_stays_there(box):
    missing = sandbox_missing()
    shared, secret = box.dir / "shared", box.dir / "secret.txt"
    shared.mkdir()
    (shared / "open.txt").write_text("for everybody")
    secret.write_text("for nobody")
    for path in (box.dir, shared, shared / "open.txt", secret):
        path.chmod(0o755 if path.is_dir() else 0o644)
    common = {"command": "/usr/bin/python3"}
    held = {**common, "args": [str(PLAIN), "peek", f"{SCRATCH}/calls.log"], "sandbox": True, "read_paths": [str(PLAIN.parent), str(shared)]}
    free = {**common, "args": [str(PLAIN), "peek", str(box.dir / "calls.log")]}
    with socket.create_server(("127.0.0.1", 0)) as listener, Attacks(box, "MCP servers") as tried:
        address = f"127.0.0.1:{listener.getsockname()[1]}"
        wishes = {f"read {secret}": "a file of the user", f"read {box.dir}/hub/agenttalk.yaml": "the hub", "read /etc/passwd": "the accounts",
                  "read /proc/1/environ": "the first process", f"write {shared}/made.txt": "writing what may be read",
                  f"write {box.dir}/made.txt": "writing outside", "write /usr/made.txt": "writing the system", f"connect {address}": "the network",
                  "variable CANARY_KEY": "a variable", "processes": "other processes"}
        if missing:
            for what in wishes.values():
                tried.skipped(f"a server in the sandbox: {what}", missing)
            return
        mcp_hub(box, {"held": held, "free": free})
        box.run("trust", "--hub", "hub").expect(0)

        def peek(name, wish):
            return box.run("tool", "call", f"mcp__{name}__look", json.dumps({"text": wish}), "--hub", "hub", env={"CANARY_KEY": "canary"}).out

        # Without the sandbox these are had, so that the attempts are real.
        for wish in (f"read {secret}", f"write {shared}/made.txt", f"connect {address}", "processes"):
            assert peek("free", wish).startswith("had"), wish
        (shared / "made.txt").unlink()
        assert peek("held", f"read {shared}/open.txt") == "had for everybody\n" and peek("held", f"write {SCRATCH}/x") == "had it\n"
        for wish, what in wishes.items():
            found = peek("held", wish)
            tried.repelled(f"a server in the sandbox: {what}", found.startswith("refused"), found)
        tried.repelled("a server in the sandbox: a file was made", not (shared / "made.txt").exists() and not (box.dir / "made.txt").exists())
