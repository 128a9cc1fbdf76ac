"""Another program drives the hub over MCP: it starts a plan, hears how far it is, passes a person's decisions on and reads
what was made, while the hub is stopped and killed; on stdio and on HTTP, in both revisions."""

import json
import socket
import threading

from browser import free_port
from journey import Journey, wait_for
from mcp_client import LEGACY, MODERN, HttpClient, Refused, StdioClient
from test_output_schemas import check

PLAN = """
plan: bees
goal: A paragraph about bees
tasks:
  - {id: write, agent: writer, prompt: Write a paragraph about bees., outputs: [article.md], gate: human}
  - {id: print, agent: printer, prompt: Print article.md., inputs: [article.md], outputs: [print.md]}
"""
TEAM = {"writer": {"name": "Writer", "prompt": "You write."}, "printer": {"name": "Printer", "prompt": "You print."}}
WISH = "Name the dance of the bees."


def mind(request):
    if "Print article.md." in request:
        return {"result": request.find(r"(Bees (?:dance|fly)[^\n]*)", "the article")}
    request.need("Write a paragraph about bees.")
    if "Bees fly." not in request:
        return {"result": "# Bees\nBees fly.\n"}
    request.need("> " + WISH)
    return {"result": "# Bees\nBees dance the waggle dance.\n"}


class McpJourney(Journey):
    """A hub, and how a client reaches it."""

    def __init__(self, box, think=mind, **config):
        super().__init__(box, think, TEAM, **config)
        self.port = free_port()

    def serve(self, *arguments):
        return self.start("--http", f"127.0.0.1:{self.port}", *arguments)

    def http(self, revision, role=None):
        made = self.json("mcp", "--token", *([role] if role else []))
        check(json.dumps(made), "mcp_token")
        assert made["url"] == f"http://127.0.0.1:{self.port}/mcp", made
        return HttpClient(made["url"], made["token"], revision)


def drive(client, interrupt):
    """What a person does through their assistant. `interrupt` stops or kills the hub at each turn."""
    client.begin()
    tools = [tool["name"] for tool in client.call("tools/list")["tools"]]
    assert tools[:3] == ["run_goal", "run_plan", "status"], tools
    ran = client.tool("run_plan", plan=PLAN)
    assert (ran["plan_id"], ran["state"]) == ("plan_bees", "waiting"), ran
    assert client.progress and client.progress[-1]["message"].startswith("waiting, "), client.progress
    values = [one["progress"] for one in client.progress]
    assert values == sorted(set(values)), values
    question = ran["questions"][0]
    assert question["choices"] == ["approve", "reject"] and question["task_id"] == "write", question
    assert "show the questions to your user" in ran["next"].lower(), ran["next"]
    # What is to be judged can be read.
    assert client.read(question["files"][0]["uri"])["text"] == "# Bees\nBees fly.\n"
    interrupt()
    assert [one["id"] for one in client.tool("questions", plan_id="bees")["questions"]] == [question["id"]]
    answered = client.tool("answer", id=question["id"], decision="reject", text=WISH)
    assert answered["status"] == "accepted" and answered["plan_id"] == "plan_bees", answered
    again = client.tool("status", plan_id="bees", wait_s=30)
    assert again["state"] == "waiting" and again["questions"][0]["id"] != question["id"], again
    assert "waggle" in again["questions"][0]["text"]
    interrupt()
    assert client.refused_tool("answer", id=question["id"], decision="approve").startswith("ANSWER_LATE"), "answered twice"
    client.tool("answer", id=again["questions"][0]["id"], decision="approve")
    done = client.tool("status", plan_id="bees", wait_s=30)
    assert done["state"] == "completed" and done["tasks_completed"] == 2, done
    prints = {output["name"]: output["uri"] for output in done["outputs"]}
    assert client.read(prints["print.md"])["text"].strip() == "Bees dance the waggle dance."
    shown = client.tool("show", plan_id="bees", task="write")
    assert shown["commands"][-1]["state"] and "waggle" in shown["commands"][-1]["result"], shown
    assert [plan["plan_id"] for plan in client.tool("plans")["plans"]] == ["plan_bees"]
    assert {agent["agent_id"] for agent in client.tool("agents")["agents"]} == {"writer", "printer"}
    assert [one["name"] for one in client.call("resources/list")["resources"]] == sorted(prints)


def test_a_client_on_stdio_drives_a_served_hub(box):
    for revision, how in ((MODERN, "kill"), (LEGACY, "stop")):
        with McpJourney(box, name="served_" + how) as hub:
            hub.start()
            with StdioClient(hub, revision) as client:
                drive(client, lambda how=how, hub=hub: hub.restart(how))
            hub.stop()


def test_a_client_over_http_drives_the_hub_and_survives_its_restarts(box):
    for revision, how in ((MODERN, "stop"), (LEGACY, "kill")):
        with McpJourney(box, name="http_" + how) as hub:
            hub.serve()
            with hub.http(revision) as client:
                def interrupt(how=how, hub=hub):
                    hub.stop() if how == "stop" else hub.kill()
                    hub.serve()
                drive(client, interrupt)
            hub.stop()


def test_a_client_on_stdio_needs_no_server(box):
    """The work is done by `agenttalk run`, which ends with the client."""
    with McpJourney(box, name="alone") as hub:
        with StdioClient(hub, MODERN) as client:
            drive(client, lambda: None)
        assert hub.json("status", "bees")["active"] is False


def test_without_a_server_the_work_ends_with_its_client_and_resumes(box):
    slow = threading.Event()
    asked = threading.Event()

    def think(request):
        asked.set()
        slow.wait(30)
        return {"result": "Bees fly."}

    with McpJourney(box, think, name="leaves") as hub:
        with StdioClient(hub, MODERN) as client:
            client.send(client.request("tools/call", name="run_plan", arguments={"plan": PLAN.replace(", gate: human", "")}))
            assert asked.wait(30)
            slow.set()  # the process that asked is stopped; what the model says now is asked for again
        assert hub.agenttalk("doctor").code == 0
        hub.agenttalk("run", "bees", "--quiet").expect(0)
        assert hub.json("status", "bees")["state"] == "completed"
        # A client that is killed takes its worker with it.
        slow.clear()
        asked.clear()
        with StdioClient(hub, MODERN) as client:
            client.send(client.request("tools/call", name="run_plan", arguments={"plan_id": "bees", "fresh": True}))
            assert asked.wait(30)
            client.process.kill()
            client.process.wait()
        slow.set()
        wait_for(lambda: hub.agenttalk("run", "bees", "--quiet").code == 0, "the hub to be free")


def test_a_run_outlives_the_server_that_is_killed_while_a_client_waits(box):
    slow = threading.Event()
    asked = threading.Event()

    def think(request):
        if "Print article.md." in request:
            asked.set()
            slow.wait(30)
            return {"result": "Printed."}
        return {"result": "Bees fly."}

    with McpJourney(box, think, name="waits") as hub:
        hub.start()
        with StdioClient(hub, MODERN) as client:
            waited = []
            client.begin()
            waiter = threading.Thread(target=lambda: waited.append(client.tool("run_plan", plan=PLAN.replace(", gate: human", ""))))
            waiter.start()
            assert asked.wait(30)
            hub.kill()
            slow.set()
            hub.start()
            waiter.join(60)
            assert waited and waited[0]["state"] == "completed", waited
        hub.stop()


def test_a_waiting_call_is_cancelled_and_the_plan_continues(box):
    slow = threading.Event()

    def think(request):
        slow.wait(30)
        return {"result": "Bees fly."}

    with McpJourney(box, think, name="cancelled") as hub:
        hub.start()
        with StdioClient(hub, LEGACY) as client:
            run = client.request("tools/call", name="run_plan", arguments={"plan": PLAN.replace(", gate: human", "")})
            client.send(run)
            wait_for(lambda: hub.json("plans"), "the plan")
            client.notify("notifications/cancelled", requestId=run["id"])
            client.call("ping")
            slow.set()
            assert client.tool("status", plan_id="bees", wait_s=30)["state"] == "completed"
            assert client.lines.empty(), "the cancelled request was answered"
        hub.stop()


def test_commands_remarks_and_control(box):
    with McpJourney(box, lambda request: {"result": "Done."}, name="commands") as hub:
        hub.start()
        with StdioClient(hub, MODERN) as client:
            sent = client.tool("send_command", to="writer", command={"plan_id": "plan_open", "prompt": "Say done."})
            assert sent["status"] == "accepted" and sent["plan_id"] == "plan_open", sent
            wait_for(lambda: hub.json("status", "open")["state"] != "running", "the command")
            assert client.tool("show", plan_id="open", task=sent["command_id"])["commands"][0]["result"] == "Done."
            assert "prompt" in client.refused_tool("send_command", to="writer", command={"plan_id": "plan_open"})
            assert "AGENT_UNKNOWN" in client.refused_tool("send_command", to="nobody", command={"plan_id": "p", "prompt": "x"})
            client.tool("run_plan", plan=PLAN)
            assert client.tool("control", plan_id="bees", action="cancel", reason="enough")["status"] == "accepted"
            assert client.tool("status", plan_id="bees")["state"] == "cancelled"
            assert "PLAN_UNKNOWN" in client.refused_tool("status", plan_id="nothing")
            assert "AGENT_UNKNOWN" in client.refused_tool("run_plan", plan="plan: p\ntasks:\n  - {id: a, agent: nobody, prompt: x}\n")
        hub.stop()


def test_who_gets_in_and_what_they_may_do(box):
    with McpJourney(box, name="roles") as hub:
        hub.serve()
        viewer = hub.http(MODERN, "view")
        names = {tool["name"] for tool in viewer.call("tools/list")["tools"]}
        assert names == {"status", "show", "questions", "agents", "plans"}, names
        for tool, arguments in (("run_plan", {"plan": PLAN}), ("run_goal", {"goal": "x"}), ("say", {"plan_id": "p", "text": "x"}),
                                ("answer", {"id": "q_1"}), ("send_command", {"command": {}}),
                                ("control", {"plan_id": "p", "action": "cancel"})):
            assert "PERMISSION_DENIED" in viewer.refused_tool(tool, **arguments), tool
        assert hub.json("plans") == []
        # Somebody who may answer, but not run.
        assert hub.http(MODERN).tool("run_plan", plan=PLAN)["state"] == "waiting"
        judge = hub.http(LEGACY, "answer")
        judge.begin()
        assert "PERMISSION_DENIED" in judge.refused_tool("run_plan", plan_id="bees")
        question = judge.tool("questions")["questions"][0]
        assert judge.tool("answer", id=question["id"], decision="approve")["status"] == "accepted"
        # A viewer's token is no better as a cookie.
        good = hub.http(MODERN)
        list_tools = good.request("tools/list")
        for headers, expected in (({"Authorization": ""}, 401), ({"Authorization": "Bearer wrong"}, 401),
                                  ({"Host": "evil.example"}, 421), ({"Origin": "http://evil.example"}, 403),
                                  ({"Sec-Fetch-Site": "cross-site"}, 403), ({"Content-Type": "text/plain"}, 415)):
            status, _, _ = good.post(list_tools, {**good.headers(list_tools), **headers})
            assert status == expected, (headers, status)
        status, answer, _ = good.post(list_tools, {**good.headers(list_tools), "Authorization": ""})
        assert answer["WWW-Authenticate"] == "Bearer"
        hub.stop()
        # A page for viewers has no tools that change something, whatever the token says.
        hub.serve("--read-only")
        names = {tool["name"] for tool in good.call("tools/list")["tools"]}
        assert "run_plan" not in names and "status" in names, names
        hub.stop()


def test_broken_clients_harm_nobody(box):
    with McpJourney(box, name="broken") as hub:
        hub.serve()
        client = hub.http(MODERN)
        # Each is refused for what it is, and the next one is served.
        base = client.headers({"method": "tools/list"})
        for body, status, code in (("{", 400, -32700), ("[]", 400, -32600), ('{"jsonrpc":"2.0"}', 400, -32600),
                                   (json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}), 400, -32602)):
            got, _, messages = client.post(body, base)
            assert (got, messages[0]["error"]["code"]) == (status, code), (body, got, messages)
        try:
            client.call("nothing/here")
            raise AssertionError("an unknown method was answered")
        except Refused as refused:
            assert (refused.status, refused.error["code"]) == (404, -32601), refused
        for verb in ("GET", "DELETE", "PUT"):
            import http.client
            connection = http.client.HTTPConnection(client.host, timeout=20)
            connection.request(verb, "/mcp", headers=base)
            assert connection.getresponse().status == 405, verb
        # A client that vanishes in the middle of a run, many times over, leaves nothing behind.
        run = client.request("tools/call", name="run_plan", arguments={"plan": PLAN, "wait_s": 30})
        lines = "".join(f"{name}: {value}\r\n" for name, value in client.headers(run).items())
        body = json.dumps(run)
        for _ in range(80):
            with socket.create_connection(("127.0.0.1", hub.port)) as wire:
                wire.sendall(f"POST /mcp HTTP/1.1\r\nHost: {client.host}\r\n{lines}Content-Length: {len(body)}\r\n\r\n{body}".encode())
        done = wait_for(lambda: client.tool("status", plan_id="bees")["state"] == "waiting", "the plan")
        assert done
        hub.stop()


def test_a_hub_that_may_not_run_says_so(box):
    """Without a server: `run` refuses a hub that its user does not trust, and the client hears why."""
    with McpJourney(box, name="untrusted") as hub:
        config = json.loads(hub.read("agenttalk.yaml"))
        config["providers"]["mindful"]["api_key_env"] = "A_KEY_OF_MINE"
        hub.write("agenttalk.yaml", json.dumps(config))
        with StdioClient(hub, MODERN) as client:
            ran = client.tool("run_plan", plan=PLAN, wait_s=30)
            assert ran["next"].startswith("It cannot be worked on: ") and "trust" in ran["next"], ran
            assert not hub.model.requests
