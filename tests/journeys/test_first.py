"""The shortest journey there is: a plan, a model that reads its request, a deliverable."""

import json

from journey import Journey

PLAN = """
plan: bees
goal: A paragraph about bees
files: [notes.md]
tasks:
  - id: write
    agent: writer
    prompt: Write a paragraph from notes.md.
    inputs: [notes.md]
    outputs: [bees.md]
"""


def mind(request):
    request.need("Write a paragraph from notes.md.")
    request.need("bees.md")
    fact = request.find(r"FACT: (.*)", "the text of notes.md")
    return json.dumps({"result": f"# Bees\n\n{fact}\n"})


def test_a_plan_with_a_file_becomes_a_deliverable(box):
    with Journey(box, mind, {"writer": {"name": "Writer", "prompt": "You write."}}) as hub:
        hub.write("notes.md", "FACT: bees dance.\n")
        hub.write("plan.yaml", PLAN)
        ended = hub.agenttalk("run", "--plan", "plan.yaml", "--json").expect(0).json
        assert ended["state"] == "completed", ended
        assert hub.read("plans/plan_bees/deliverables/bees.md") == "# Bees\n\nbees dance.\n"
