"""Requests of goals that differ from the one of test_requests: files that are given again, steps that an agent plans itself, a
colleague's help, a remark while the goal is worked on. What the model must know is listed, and the requests are kept in goldens/:
read them from top to bottom when a prompt changes."""

import json

import test_goal_files
import test_internal_plans
from journey import Journey
from sandbox import need_bubblewrap
from test_requests import compare_with_golden


def one(requests, *words):
    """The only request with these words, or the last of them."""
    found = [request for request in requests if all(text in request for text in words)]
    assert found, f"no request with {words}"
    return found[-1]


def expect(request, *words):
    missing = [text for text in words if text not in request.text]
    assert not missing, f"the request does not say {missing}:\n{request.text}"


def test_files_that_are_given_again(box):
    need_bubblewrap()
    with Journey(box, test_goal_files.mind, test_goal_files.TEAM) as hub:
        test_goal_files.make(hub)
        hub.agenttalk(*test_goal_files.run(hub)).expect(0)
        executor = one(hub.model.requests, "You are the executor", '"id": "figures"', "What you have done so far:\n(none)")
        expect(executor, "If outputs/figures.md is there, it is the output")
        compare_with_golden("en", "files_executor", executor)
        hub.write("data/voices.txt", test_goal_files.VOICES + "Too slow, says Dan.\n")
        hub.write("data/more.csv", "month,amount\n")
        hub.agenttalk(*test_goal_files.run(hub)).expect(0)
        planner = one(hub.model.requests, "You are the planner", "says Dan")
        expect(planner, "the person gave voices.txt again, with other content", "the person gave a new file: more.csv",
               "The total is in figures.md.")
        compare_with_golden("en", "files_planner_again", planner)


def test_steps_that_an_agent_plans_itself(box):
    agents = {"ann": {"name": "Ann", "prompt": "You are Ann.", "strategy": "freeform", "capabilities": ["notes"],
                      "tools": ["read_file", "write_file"]}}
    with Journey(box, test_internal_plans.goal_mind, agents) as hub:
        hub.agenttalk("run", test_internal_plans.GOAL, "--yes", "--json")
        planning = one(hub.model.requests, "Do not do the task yet")
        expect(planning, '"goal": "Clear the old notes"', "Original goal: Clear the old notes", '"usedBy"',
               "Write notes.md anew. Done when it is empty.", "write_output")
        compare_with_golden("en", "steps_planned", planning)
        compare_with_golden("en", "steps_done", one(hub.model.requests, "STEP: write", "What you have done so far:\n(none)"))


def test_help_of_a_colleague_in_chinese(box):
    gate = {"open": True, "steps": 0}
    agents = {"ann": {"name": "Ann", "prompt": "You are Ann.", "strategy": "freeform"},
              "bob": {"name": "Bob", "prompt": "You are Bob.", "capabilities": ["facts"]}}
    with Journey(box, test_internal_plans.mind_in("zh", gate), agents, language="zh") as hub:
        hub.write("plan.yaml", json.dumps(test_internal_plans.PLAN))
        hub.agenttalk("run", "plan.yaml", "--json").expect(0)
        asked = one(hub.model.requests, "You are Bob")
        expect(asked, "FACTS: how deep is it?", "ann")
        compare_with_golden("zh", "colleague_asked", asked)
        told = one(hub.model.requests, "STEP: write it up")
        expect(told, "12 fathoms", test_internal_plans.CRITERIA)
        compare_with_golden("zh", "colleague_told", told)
