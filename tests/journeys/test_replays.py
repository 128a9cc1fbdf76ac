"""What was recorded with a model is replayed without one, to the same bytes: a goal with files, an agent's own plan with a
colleague, a gate that was rejected and then approved."""

import json

import test_goal_files
import test_internal_plans
from journey import Journey
from sandbox import need_bubblewrap


def deliverables(hub):
    return {path.relative_to(hub.dir).parts[-1]: path.read_bytes() for path in hub.dir.glob("plans/*/deliverables/*")}


def record_and_replay(box, mind, agents, make, act):
    """`act(hub, *options)` does the whole of it."""
    with Journey(box, mind, agents, name="recorded") as hub:
        make(hub)
        act(hub, "--record", "../tape.jsonl")
        made = deliverables(hub)
        assert made, "nothing was made"
    with Journey(box, mind, agents, name="replayed") as hub:
        make(hub)
        act(hub, "--replay", "../tape.jsonl")
        assert deliverables(hub) == made, (made, deliverables(hub))
        assert hub.model.exchanges == [], "a replay asks nobody"


def test_a_goal_with_files_replays_alike(box):
    need_bubblewrap()

    def act(hub, *options):
        hub.agenttalk(*test_goal_files.run(hub), *options).expect(0)

    record_and_replay(box, test_goal_files.mind, test_goal_files.TEAM, test_goal_files.make, act)


def test_an_agents_own_plan_replays_alike(box):
    agents = {"ann": {"name": "Ann", "prompt": "You are Ann.", "strategy": "freeform"},
              "bob": {"name": "Bob", "prompt": "You are Bob.", "capabilities": ["facts"]}}
    record_and_replay(box, test_internal_plans.mind_in("en", {"open": True, "steps": 0}), agents,
                      lambda hub: hub.write("plan.yaml", json.dumps(test_internal_plans.PLAN)),
                      lambda hub, *options: hub.agenttalk("run", "plan.yaml", *options).expect(0))


def test_a_rejected_gate_replays_alike(box):
    def mind(request):
        return json.dumps({"result": "in rhyme" if "in rhyme, please" in request else "plain"})

    def act(hub, *options):
        hub.agenttalk("run", "plan.yaml", *options, "--json").expect(3)
        hub.agenttalk("answer", hub.json("questions")[0]["id"], "in rhyme, please", "--reject").expect(0)
        hub.agenttalk("run", "plan.yaml", *options, "--json").expect(3)
        hub.agenttalk("answer", hub.json("questions")[0]["id"], "--approve").expect(0)
        hub.agenttalk("run", "plan.yaml", *options, "--json").expect(0)
        assert deliverables(hub) == {"page.md": b"in rhyme"}, deliverables(hub)

    plan = {"plan": "page", "goal": "g", "tasks": [{"id": "write", "agent": "ann", "prompt": "Write.", "outputs": ["page.md"], "gate": "human"}]}
    record_and_replay(box, mind, {"ann": {"name": "Ann", "prompt": "You are Ann."}}, lambda hub: hub.write("plan.yaml", json.dumps(plan)), act)
