"""A person looks at the tools of MCP servers and tries one: with and without a served hub, trusted and not."""

import time

from journey import Journey, wait_for
from mindful_model import call
from sandbox import SCRATCH, need_bubblewrap
from test_mcp_tools import PLAIN, ask, calls, marked, plain, say_once, team, trusted, write_plan
from test_output_schemas import check


def tools_of(hub):
    listed = hub.agenttalk("tools", "--json")
    check(listed.out, "tools")
    return {tool["name"]: tool for agent in listed.json for tool in agent["tools"]}, listed


def nothing(request):
    return {"result": "x"}


def test_a_person_lists_and_tries_tools_of_servers(box):
    servers = {"plain": plain(box, "good"), "broken": plain(box, "ends")}
    with Journey(box, nothing, team("mcp__plain__*", "mcp__broken__*", "read_file"), mcp_servers=servers) as hub:
        # Not trusted: nothing is started, and a tool of a server cannot be tried.
        found, listed = tools_of(hub)
        assert set(found) == {"read_file"} and not marked(hub) and listed.code == 0, found
        refused = hub.agenttalk("tool", "call", "mcp__plain__say", '{"text": "hi"}').expect(4)
        assert "agenttalk trust" in refused.err and calls(box) == [], refused.err

        trusted(hub)
        found, listed = tools_of(hub)
        assert set(found) == {"read_file", "mcp__plain__say", "mcp__plain__look"}, found
        assert found["mcp__plain__say"]["origin"] == {"kind": "mcp", "server": "plain"}
        assert found["mcp__plain__say"]["description"] == "Says the text."
        assert not found["mcp__plain__say"]["idempotent"] and found["mcp__plain__look"]["idempotent"]
        assert "MCP server broken is not running" in listed.err and "no configuration" in listed.err, listed.err
        table = hub.agenttalk("tools").out
        assert "MCP server plain" in table and "Says the text." in table and "built in" in table, table
        tried = hub.agenttalk("tool", "call", "mcp__plain__say", '{"text": "hello"}', "--json").expect(0)
        check(tried.out, "tool_call")
        assert tried.json["output"] == "said hello" and calls(box) == ["say"], tried
        wrong = hub.agenttalk("tool", "call", "mcp__plain__say", '{"text": 5}')
        assert wrong.code != 0 and "text" in wrong.err and calls(box) == ["say"], "arguments are checked as for an agent"
        unknown = hub.agenttalk("tool", "call", "mcp__plain__sya", "{}").expect(2)
        assert "mcp__plain__say" in unknown.err, unknown.err
        down = hub.agenttalk("tool", "call", "mcp__broken__say", "{}")
        assert down.code != 0 and "not running" in down.err, down.err
        assert not marked(hub), "what was started for it ends with it"

        # Trust is taken back: what a served hub has seen is still known, and nothing is started.
        hub.start()
        hub.kill()
        hub.agenttalk("trust", "--forget")
        found, _ = tools_of(hub)
        assert "not trusted" in found["mcp__plain__say"]["problem"] and not found["mcp__plain__say"]["usable"], found


def test_a_served_hub_is_asked_and_not_disturbed(box):
    with Journey(box, nothing, team("mcp__plain__*"), mcp_servers={"plain": plain(box, "good")}) as hub:
        trusted(hub)
        for restart in (lambda: None, lambda: hub.restart("stop"), lambda: hub.restart("kill")):
            hub.server or hub.start()
            restart()
            wait_for(lambda: len(marked(hub)) == 1, "the server")
            before = marked(hub)
            found, _ = tools_of(hub)
            assert found["mcp__plain__say"]["usable"], found
            assert marked(hub) == before, "no second server is started to be asked"
            # One that is tried runs beside the hub's own.
            tried = hub.agenttalk("tool", "call", "mcp__plain__look", '{"text": "there"}').expect(0)
            assert tried.out == "said there\n" and marked(hub) == before, (tried, before)
        hub.stop()


def test_progress_of_a_call_is_shown(box):
    mind = say_once("mcp__plain__look", "far", lambda result: {"result": result})
    with Journey(box, mind, team("mcp__plain__*"), mcp_servers={"plain": plain(box, "slow")}) as hub:
        trusted(hub)
        hub.start()
        write_plan(hub)
        running = hub.spawn("run", "--plan", "plan.yaml")
        wait_for(lambda: hub.json("plans"), "the plan")
        watching = hub.spawn("watch", "plan_work")
        wait_for(lambda: "step 0 (0)" in hub.agenttalk("log", "plan_work").out, "progress in the log")
        reports = [line for line in hub.agenttalk("log", "plan_work").out.splitlines() if "step " in line]
        assert len(reports) <= 3, f"one word in a while: {reports}"
        assert "mcp__plain__look" in reports[0], reports
        wait_for(lambda: len([line for line in hub.agenttalk("log", "plan_work").out.splitlines() if "step " in line]) > 1, "the next word")
        hub.agenttalk("cancel", "plan_work")
        wait_for(lambda: hub.json("status", "plan_work")["state"] == "cancelled", "the end")
        assert "only: mcp__plain__look: step " in watching.communicate(timeout=30)[0]
        shown = running.communicate(timeout=30)
        assert "step 0 (0)" in shown[0] + shown[1], f"whoever watches the run sees it: {shown}"
        assert "step 0 (0)" in hub.agenttalk("show", "plan_work", "only").out
        hub.stop()


def test_an_alert_about_a_changed_tool_closes_when_it_is_accepted(box):
    with Journey(box, nothing, team("mcp__plain__*"), mcp_servers={"plain": plain(box, "changes")}, heartbeat={"interval_seconds": 1}) as hub:
        trusted(hub)
        hub.start()
        wait_for(lambda: marked(hub), "the server")
        (box.dir / "calls.log.changed").write_text("")

        def alerts():
            return [one for one in hub.json("questions") if one["kind"] == "alert" and "does not describe itself" in one["text"]]

        wait_for(alerts, "the alert")
        found, _ = tools_of(hub)
        assert "differently" in found["mcp__plain__say"]["problem"], found
        hub.restart("kill")
        time.sleep(0.5)
        assert len(alerts()) == 1, "it is told once, however often the hub starts"
        hub.agenttalk("trust")
        wait_for(lambda: not alerts(), "the alert's end")
        found, _ = tools_of(hub)
        assert found["mcp__plain__say"]["usable"], found

        # Accepted while nothing runs: the next start closes it.
        (box.dir / "calls.log.changed").unlink()
        hub.restart("stop")
        wait_for(alerts, "the alert about the change back")
        hub.stop()
        hub.agenttalk("trust")
        hub.start()
        wait_for(lambda: not alerts(), "the alert's end after a start")
        hub.stop()


def test_a_server_in_the_sandbox_is_held_there(box):
    """An agent's calls reach what the configuration names and nothing else, also after the hub was stopped and killed."""
    need_bubblewrap()
    shared, secret = box.dir / "shared", box.dir / "secret.txt"
    shared.mkdir()
    (shared / "open.txt").write_text("for everybody")
    secret.write_text("for nobody")
    for path in (box.dir, shared, shared / "open.txt", secret):
        path.chmod(0o755 if path.is_dir() else 0o644)
    server = {"command": "/usr/bin/python3", "args": [str(PLAIN), "peek", f"{SCRATCH}/calls.log"], "sandbox": True,
              "read_paths": [str(PLAIN.parent), str(shared)]}

    def mind(request):
        results = request.tool_results()
        wishes = [f"read {shared}/open.txt", f"read {secret}", "connect " + hub.model.url.split("/")[2]]
        if len(results) < len(wishes):
            request.tool("mcp__held__look")
            return call("mcp__held__look", text=wishes[len(results)])
        return {"result": " | ".join(results)}

    with Journey(box, mind, team("mcp__held__*"), name="held", mcp_servers={"held": server}) as hub:
        trusted(hub)
        hub.start()
        for number, how in enumerate(("stop", "kill")):
            hub.restart(how)
            ask(hub, plan=f"work{number}").expect(0)
            said = hub.json("show", f"plan_work{number}", "only")["commands"][-1]["result"]
            assert said.startswith("had for everybody | refused") and said.count("refused: ") == 2 and "for nobody" not in said, said
        hub.stop()
