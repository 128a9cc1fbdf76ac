"""What people read: no number with an exponent, no raw JSON, no internal event name, in the output of any verb."""

import json
import re

CONFIG = """\
version: 1
provider: offline
providers:
  offline: {kind: scripted, answers: answers.yaml, prices: {input: 0.0000001, output: 0.0000002}}
agents:
  ann: {prompt: You write., capabilities: [writing]}
  bob: {prompt: You review., capabilities: [review]}
"""
ANSWERS = """\
- {when: {task: broken}, error: {status: 400}}
- {when: {task: score}, answer: {result: x, score: 0.00001, score_explanation: hardly anything}}
- answer: {result: "a result", score: 90}
"""
PLAN = """\
plan: rich
goal: Everything that can be seen
tasks:
  - {id: write, agent: ann, prompt: Write., outputs: [text.md]}
  - {id: score, agent: bob, prompt: Score., inputs: [text.md], outputs: [review.md], score: {criteria: any}}
  - {id: publish, agent: ann, prompt: Publish., inputs: [review.md], outputs: [page.md], gate: human}
deliverables: [page.md]
"""
BROKEN = "plan: broken\ntasks:\n  - {id: broken, agent: ann, prompt: Fail., outputs: [x.md]}\n"

EXPONENT = re.compile(r"(?<![\w.#-])\d+(?:\.\d+)?[eE][+-]?\d+(?![\w-])")
RAW_JSON = re.compile(r'\{"|"[a-z_]+":|\[\{|\bnull\b')


def outputs(box, hub):
    """Every verb that shows or changes something, as a person calls it."""
    question = next(q["id"] for q in box.run("questions", "--json", cwd=hub).json if q["plan_id"] == "plan_rich")
    letter = box.run("dead", "list", "--json", cwd=hub).json[0]["id"]
    calls = [["plans"], ["status", "rich"], ["status", "broken"], ["watch", "rich", "--once"], ["log", "rich"], ["trace", "rich"],
             ["trace", "broken"], ["log", "broken"], ["agents"], ["providers"], ["questions"], ["dead", "list"],
             ["dead", "show", letter], ["plan", "show", "rich"], ["doctor"], ["validate", "plan.yaml", "agenttalk.yaml"],
             ["replay", "rich"], ["pause", "rich"], ["resume", "rich"], ["answer", question, "--approve"], ["run", "rich"],
             ["fork", "rich", "--from", "publish", "--yes"], ["diff", "rich", "plan_rich-fork1"], ["export", "rich"],
             ["dead", "retry", letter], ["run", "broken"], ["repair"], ["cancel", "broken"], ["send", "page.md", "--to", "ann"],
             ["init", "new"], ["serve", "--until-idle"], ["status", "rich"], ["trace", "plan_rich-fork1"], ["--help"]]
    for call in calls:
        yield call, box.run(*call, cwd=hub)


def test_no_verb_speaks_the_language_of_the_machine(box):
    box.write("hub/agenttalk.yaml", CONFIG)
    box.write("hub/answers.yaml", ANSWERS)
    box.write("hub/plan.yaml", PLAN)
    box.write("hub/broken.yaml", BROKEN)
    box.write("hub/page.md", "A page.")
    hub = box.dir / "hub"
    first = box.run("run", "plan.yaml", cwd=hub).expect(3)
    second = box.run("run", "broken.yaml", cwd=hub).expect(1)
    names = {json.loads(line)["type"] for plan in ("rich", "broken")
             for line in box.run("log", plan, "--json", cwd=hub).out.splitlines()}
    assert len(names) > 10
    wrong = []
    for call, outcome in [(["run", "plan.yaml"], first), (["run", "broken.yaml"], second), *outputs(box, hub)]:
        text = outcome.out + outcome.err
        if call[:2] == ["dead", "show"]:  # shows how the refused file begins
            text = "\n".join(line for line in text.splitlines() if not line.startswith("  {"))
        assert outcome.code in (0, 1, 2, 3), outcome
        for kind, found in (("exponent", EXPONENT.findall(text)), ("JSON", RAW_JSON.findall(text)),
                            ("event name", [name for name in names if re.search(rf"\b{name}\b", text)])):
            if found:
                wrong.append(f"agenttalk {' '.join(call)}: {kind} {found[:3]}\n{text[:1500]}")
    assert not wrong, "\n\n".join(wrong)
