"""Another program gives the hub a goal in words over MCP, passes the answer to its question on, says what is to be different,
and reads what was made, while the hub is stopped and killed; on stdio and at /mcp, in both revisions."""

import threading

from journey import wait_for
from mcp_client import LEGACY, MODERN, StdioClient
from test_goals import intent, output, planned, review, route, stage_of
from test_mcp_server import McpJourney

GOAL, QUESTION, TOWN = "A page about our town", "Which town?", "Lindau on the lake"
REMARK = "Name the lighthouse too."


class Mind:
    """Knows what its request says. `held` keeps it from answering, so that the hub is in the middle of something."""

    def __init__(self):
        self.asked = threading.Event()
        self.free = threading.Event()
        self.free.set()

    def hold(self):
        self.free.clear()
        self.asked.clear()

    def __call__(self, request):
        self.asked.set()
        self.free.wait(30)
        stage = stage_of(request)
        if stage == "understanding" and REMARK in request:
            found = intent(REMARK, entities=["write"])
            found["params"]["taskRelation"] = {"type": "same_task_minor_change", "confidence": 0.95, "reasoning": "one task"}
            found["params"]["normalizedIntent"] |= {"action": "modify", "scope": "partial_task"}
            return found
        if stage == "understanding":
            request.need(GOAL)
            if TOWN not in request:
                return output("CLARIFICATION_REQUIRED", {"question": QUESTION}, requiresUserConfirmation=True, confidence=40)
            return intent(f"{GOAL}: {TOWN}")
        if stage == "router" and REMARK in request:
            return output("ROUTE_DECISION", {"route": "minor_replan", "payload": {"reason": "one task", "requiresConfirmation": False}})
        if stage == "router":
            return route()
        if stage == "planner" and REMARK in request:
            request.need(f"Write a page about {TOWN}.")  # the plan as it is
            return planned(("write", f"Write a page about {TOWN} and its lighthouse. Done when it names both.", [], []))
        if stage == "planner":
            return planned(("write", f"Write a page about {TOWN}. Done when it names the town.", [], []))
        if stage == "reviewer":
            return review(True, "it fits")
        if stage == "orchestrator":
            return output("PHASE_TRANSITION", {"from": "closing", "to": "ended", "summary": "all is done"})
        town = request.find(r"Write a page about (Lindau on the lake)", "the town")
        return output("COMPLETE", {"result": f"# {town}" + ("\nIt has a lighthouse." if "lighthouse" in request else "")})


def drive(client, mind, interrupt):
    """`interrupt` ends the hub while a model is being asked and starts it again."""
    ran = client.tool("run_goal", goal=GOAL, plan_id="town", wait_s=30)
    assert (ran["plan_id"], ran["state"]) == ("plan_town", "waiting"), ran
    question = ran["questions"][0]
    assert QUESTION in question["text"] and "user" in ran["next"], ran
    assert client.progress, "a long run is told as it goes"
    mind.hold()
    assert client.tool("answer", id=question["id"], text=TOWN)["status"] == "accepted"
    assert mind.asked.wait(30)
    interrupt()
    done = client.tool("status", plan_id="town", wait_s=60)
    assert done["state"] == "completed", done
    texts = [client.read(one["uri"])["text"] for one in done["outputs"]]
    assert texts == [f"# {TOWN}"], texts
    # The same goal again is the same plan, and costs nothing.
    again = client.tool("run_goal", goal=GOAL, plan_id="town", wait_s=30)
    assert (again["plan_id"], again["state"]) == ("plan_town", "completed"), again

    mind.hold()
    said = client.tool("say", plan_id="town", text=REMARK)
    assert said["status"] == "accepted" and said["plan_id"] == "plan_town" and said["next"], said
    assert mind.asked.wait(30)
    interrupt()

    def changed():
        now = client.tool("status", plan_id="town", wait_s=30)
        return now["state"] == "completed" and any("lighthouse" in client.read(one["uri"])["text"] for one in now["outputs"])

    wait_for(changed, "what was said", 60)
    assert "lighthouse" in client.tool("show", plan_id="town", task="write")["commands"][-1]["result"]
    assert client.refused_tool("say", plan_id="nowhere", text="x").startswith("PLAN_UNKNOWN")
    assert "goal" in client.refused_tool("run_goal", wait_s=1)


def test_a_goal_and_a_remark_on_stdio(box):
    for revision, how in ((MODERN, "kill"), (LEGACY, "stop")):
        mind = Mind()
        with McpJourney(box, mind, name="goal_" + how) as hub:
            hub.start()

            def interrupt(how=how, hub=hub, mind=mind):
                hub.kill() if how == "kill" else mind.free.set() or hub.stop()
                mind.free.set()
                hub.start()

            with StdioClient(hub, revision) as client:
                drive(client, mind, interrupt)
            hub.stop()


def test_a_goal_and_a_remark_over_http(box):
    for revision, how in ((MODERN, "stop"), (LEGACY, "kill")):
        mind = Mind()
        with McpJourney(box, mind, name="http_goal_" + how) as hub:
            hub.serve()

            def interrupt(how=how, hub=hub, mind=mind):
                hub.kill() if how == "kill" else mind.free.set() or hub.stop()
                mind.free.set()
                hub.serve()

            with hub.http(revision) as client:
                drive(client, mind, interrupt)
            hub.stop()
