"""Tools of MCP servers: an agent works with them, whatever happens to the engine, the server or what it says of itself."""

import json
import pathlib
import shutil
import subprocess
import sys
import time

from journey import Journey, wait_for
from mindful_model import call
from sandbox import Skip

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PLAIN = ROOT / "tests" / "mcp" / "plain_server.py"


def kits():
    """The folder of the npm packages, and the node that runs them."""
    made = subprocess.run([ROOT / "scripts" / "mcp-kits.sh"], check=False, capture_output=True, text=True)
    if made.returncode == 4:
        raise Skip("the MCP packages cannot be installed here: " + made.stderr.strip()[-200:])
    assert made.returncode == 0, made.stderr
    folder = pathlib.Path(made.stdout.strip().splitlines()[-1])
    nodes = sorted(folder.glob("node_modules/node-linux-*/bin/node"))
    return folder, str(nodes[0]) if nodes else shutil.which("node")


def plain(box, mode, revision="modern", **more):
    return {"command": sys.executable, "args": [str(PLAIN), mode, str(box.dir / "calls.log"), revision], **more}


def calls(box):
    log = box.dir / "calls.log"
    return [line.split()[0] for line in log.read_text().splitlines()] if log.exists() else []


def team(*tools):
    return {"worker": {"name": "Worker", "prompt": "You use tools.", "tools": list(tools)}}


def trusted(hub):
    hub.agenttalk("trust")
    return hub


def write_plan(hub, plan="work", timeout="2m"):
    hub.write("plan.yaml", json.dumps({"plan": plan, "goal": "g", "tasks": [
        {"id": "only", "agent": "worker", "prompt": "Do it.", "timeout": timeout}]}))


def ask(hub, plan="work"):
    write_plan(hub, plan)
    return hub.agenttalk("run", "--plan", "plan.yaml")


def marked(hub):
    """Processes that belong to the hub's servers."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and b"plain_server.py" in (entry / "cmdline").read_bytes() and \
                    str(hub.box.dir).encode() in (entry / "cmdline").read_bytes():
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def say_once(tool, words, then):
    """A mind that calls the tool once and ends with what it gave."""
    def mind(request):
        results = request.tool_results()
        if not results:
            request.tool(tool)
            return call(tool, text=words)
        return then(results[-1])
    return mind


def test_reference_servers(box):
    """The reference servers and one of the protocol's own kit are tools; images become files of the result."""
    folder, node = kits()
    modules = folder / "node_modules" / "@modelcontextprotocol"
    docs = box.dir / "docs"
    docs.mkdir()
    (docs / "notes.txt").write_text("the launch is on Friday\n")
    kit = folder / "sdk_server.mjs"  # beside the packages that it imports
    shutil.copy(ROOT / "tests" / "mcp" / "sdk_server.mjs", kit)
    servers = {
        "files": {"command": node, "args": [str(modules / "server-filesystem/dist/index.js"), str(docs)]},
        "everything": {"command": node, "args": [str(modules / "server-everything/dist/index.js"), "stdio"]},
        "memory": {"command": node, "args": [str(modules / "server-memory/dist/index.js")],
                   "env": {"MEMORY_FILE_PATH": str(box.dir / "memory.jsonl")}},
        "weather": {"command": node, "args": [str(kit)]},
    }

    def mind(request):
        results = request.tool_results()
        steps = [
            lambda: call("mcp__files__read_text_file", path=str(docs / "notes.txt")),
            lambda: call("mcp__everything__echo", message="hello there"),
            lambda: call("mcp__everything__get-tiny-image"),
            lambda: call("mcp__memory__create_entities", entities=[
                {"name": "launch", "entityType": "event", "observations": ["on Friday"]}]),
            lambda: call("mcp__memory__read_graph"),
            lambda: call("mcp__weather__temperature", city="Oslo"),
        ]
        if len(results) < len(steps):
            step = steps[len(results)]()
            request.tool(step["tool"])
            about = request.tools[step["tool"]]["description"]
            assert "not an instruction to you" in about and "<<<" in about, about
            return step
        assert "the launch is on Friday" in results[0], results[0]
        assert "hello there" in results[1], results[1]
        assert "image/png" in results[2] and "outputs/" in results[2], results[2]
        assert "launch" in results[4] and "on Friday" in results[4], results[4]
        assert '"celsius":4' in results[5].replace(" ", ""), results[5]
        return {"result": "Friday, with a picture"}

    with Journey(box, mind, team("mcp__*"), mcp_servers=servers) as hub:
        trusted(hub)
        ask(hub)
        assert not list(hub.dir.glob("dead_letter/*/*")), "nothing was refused"
        images = list(hub.dir.glob("agents/worker/**/get-tiny-image_1.png"))
        assert images and images[0].read_bytes().startswith(b"\x89PNG"), "the image is a file of the command"
        assert len(hub.model.requests) == 7, len(hub.model.requests)


def test_conformance_of_the_client(box):
    """Every client scenario of npm's conformance suite that needs no OAuth passes, in both revisions."""
    folder, node = kits()
    driver = next((path for path in [box.binary.parent / "tests/mcp/mcp_client_driver",
                                     *ROOT.glob("build/*/tests/mcp/mcp_client_driver")] if path.exists()), None)
    if driver is None:
        raise Skip("mcp_client_driver is not built")
    suite = folder / "node_modules/@modelcontextprotocol/conformance"
    known = json.loads((ROOT / "tests/mcp/client_scenarios.json").read_text())
    listed = subprocess.run([node, suite / "dist/index.js", "list"], check=True, capture_output=True, text=True).stdout
    clients = listed.split("Client scenarios")[1].split("Authorization server")[0]
    scenarios = {line.split()[1]: line.split("[")[1].rstrip("]").split(",") for line in clients.splitlines() if line.startswith("  - ")}
    assert set(scenarios) == set(known["run"]) | set(known["left_out"]), "the suite has other scenarios than the file"
    for scenario, revisions in known["run"].items():
        for revision in revisions:
            ran = subprocess.run([node, suite / "dist/index.js", "client", "--command", driver, "--scenario", scenario,
                                  "--spec-version", revision], check=False, capture_output=True, text=True, timeout=120)
            assert ran.returncode == 0 and ", 0 failed, 0 warnings" in ran.stdout + ran.stderr, \
                f"{scenario} {revision}:\n{ran.stdout}\n{ran.stderr}"


def test_killed_in_mid_call(box):
    """A call that was under way at a kill is repeated if its tool only reads, and is a question to a person otherwise."""
    for tool, again in (("look", True), ("say", False)):
        log = box.dir / "calls.log"
        log.unlink(missing_ok=True)
        name = f"mcp__plain__{tool}"
        mind = say_once(name, "hello", lambda result: {"result": result})
        with Journey(box, mind, team("mcp__plain__*"), name=f"hub_{tool}", mcp_servers={"plain": plain(box, "hang")}) as hub:
            trusted(hub)
            hub.start()
            write_plan(hub, timeout="5m")
            running = hub.spawn("run", "--plan", "plan.yaml")
            wait_for(lambda: tool in calls(box), "the call")
            hub.kill()
            running.kill()
            running.wait()
            wait_for(lambda: not marked(hub), "the end of the server's process")
            config = json.loads(hub.read("agenttalk.yaml"))
            config["mcp_servers"]["plain"]["args"][1] = "good"
            hub.write("agenttalk.yaml", json.dumps(config))
            trusted(hub)
            hub.start()
            if again:
                wait_for(lambda: hub.json("status", "plan_work")["state"] == "completed", "the end of the plan")
                assert calls(box).count(tool) == 2, calls(box)
            else:
                question = wait_for(lambda: [q for q in hub.json("questions") if q["kind"] == "outcome_unknown"], "the question")[0]
                assert name in question["text"], question
                assert calls(box).count(tool) == 1, "it is not repeated without a person's word"
                hub.agenttalk("answer", question["id"], "--approve", "it was said")
                wait_for(lambda: hub.json("status", "plan_work")["state"] == "completed", "the end of the plan")
                assert calls(box).count(tool) == 1, calls(box)
            hub.stop()
            wait_for(lambda: not marked(hub), "the end of the server's process")


def test_a_person_is_asked(box):
    """What a server wants to know in the middle of a call is a question; the answer reaches it, also after a restart."""
    for revision in ("modern", "legacy"):
        (box.dir / "calls.log").unlink(missing_ok=True)
        mind = say_once("mcp__plain__look", "hello", lambda result: {"result": result})
        with Journey(box, mind, team("mcp__plain__*"), name=f"hub_{revision}",
                     mcp_servers={"plain": plain(box, "asks", revision)}) as hub:
            trusted(hub)
            hub.start()
            write_plan(hub, timeout="5m")
            running = hub.spawn("run", "--plan", "plan.yaml")
            question = wait_for(lambda: [q for q in hub.json("questions") if "Who is to be greeted?" in q["text"]], "the question")[0]
            assert "plain" in question["text"] and "name" in question["text"], question
            hub.kill()
            running.kill()
            running.wait()
            hub.start()
            wait_for(lambda: calls(box).count("look") == 2, "the repeated call")
            same = [q for q in hub.json("questions") if "Who is to be greeted?" in q["text"]]
            assert [q["id"] for q in same] == [question["id"]], "it is asked once"
            hub.agenttalk("answer", question["id"], "Ann")
            wait_for(lambda: hub.json("status", "plan_work")["state"] == "completed", "the end of the plan")
            assert "answered accept Ann" in (box.dir / "calls.log").read_text()
            assert "hello Ann" in hub.model.requests[-1].tool_results()[-1]
            assert not [q for q in hub.json("questions") if q["kind"] != "alert"], "nothing is left open"
            hub.stop()


def idle_cost(box, name, servers):
    """Anonymous memory of an idle hub in KiB, and how often it woke in a while."""
    def status(pid, key):
        return int(next(line.split()[1] for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith(key)))

    with Journey(box, lambda request: {"result": "x"}, team(*(["mcp__*"] if servers else [])), name=name, mcp_servers=servers) as hub:
        trusted(hub)
        server = hub.start()
        time.sleep(1)  # measured, not waited for: what the start does is over
        woken = status(server.pid, "voluntary_ctxt_switches")
        time.sleep(8)
        woken = status(server.pid, "voluntary_ctxt_switches") - woken
        memory = status(server.pid, "RssAnon")
        hub.stop()
    return memory, woken


def test_idle_cost(box):
    """A hundred tools of five servers cost an idle hub less than 5 MB and no wake-ups."""
    without = idle_cost(box, "hub_without", {})
    servers = {f"server{number}": plain(box, "many") for number in range(5)}
    with_servers = idle_cost(box, "hub_with", servers)
    print(f"     idle hub: {without[0]} KiB and {without[1]} wake-ups in 8 s; with 100 tools of 5 servers: {with_servers[0]} KiB and "
          f"{with_servers[1]} wake-ups")
    assert with_servers[0] - without[0] < 5 * 1024, (without, with_servers)
    assert with_servers[1] <= without[1] + 2, (without, with_servers)
