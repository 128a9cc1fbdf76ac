"""What passes between the tasks of a DAG: outputs by score, their versions, results of other plans."""

from test_run import calls, make, run, status

SCORED = """
plan: report
tasks:
  - id: judge
    agent: ann
    prompt: Judge.
    score: {criteria: "0-100"}
    outputs:
      - {name: praise.txt, when: {min_score: 70}}
      - {name: blame.txt, when: {max_score: 69.9}}
  - {id: publish, agent: bob, prompt: Publish., inputs: [praise.txt], outputs: [report.txt]}
  - {id: mend, agent: bob, prompt: Mend., inputs: [blame.txt], outputs: [mended.txt]}
"""


def test_an_output_that_the_score_does_not_want_is_not_demanded(box):
    make(box, SCORED, """
- when: {task: judge}
  answer: {result: fine, score: 80, outputs: {praise.txt: well done}}
- answer: {result: x}
""")
    run(box)
    assert len(calls(box)) == 2, "no repair round, and the other branch is not taken"
    judge = next(task for task in status(box)["tasks"] if task["task_id"] == "judge")
    assert judge["reason"] == "blame.txt is not delivered: it is for a score of 0 to 69.9, and the score is 80", judge
    assert not (box.dir / "hub/agents/bob/inbox/plan_report/blame.txt").exists()


def test_an_output_that_the_score_wants_is_demanded(box):
    make(box, SCORED, """
- when: {task: judge, attempt: 1}
  answer: {result: fine, score: 80}
- when: {task: judge, contains: "the output praise.txt is missing"}
  answer: {result: fine, score: 80, outputs: {praise.txt: well done, blame.txt: none}}
- answer: {result: x}
""")
    run(box)
    assert calls(box).count("cmd_judge_001") == 2
    assert not (box.dir / "hub/agents/bob/inbox/plan_report/blame.txt").exists(), "given, but not wanted"


VERSIONED = """
plan: report
tasks:
  - id: write
    agent: ann
    prompt: Write.
    score: {criteria: "0-100", rework: 1}
    outputs: [{name: draft.txt, to: bob, deliverable: true, versioning: {mode: semver_tagged}}]
  - {id: check, agent: bob, prompt: Check., inputs: [draft.txt], outputs: [report.txt]}
"""


def test_every_version_of_a_tagged_output_is_kept(box):
    hub = make(box, VERSIONED, """
- when: {task: check, command: cmd_check_001}
  answer: {rework: {task_id: write, reason: no date}}
- when: {task: write, command: cmd_write_001}
  answer: {result: draft one, score: 80}
- when: {task: write}
  answer: {result: draft two, score: 80}
- answer: {result: the report}
""")
    run(box)
    wanted = {"draft.txt": "draft two", "draft.v1.0.0.txt": "draft one", "draft.v1.1.0.txt": "draft two",
              "report.txt": "the report"}
    folder = hub / "plans/plan_report/deliverables"
    assert {path.name: path.read_text() for path in folder.iterdir()} == wanted
    inbox = hub / "agents/bob/inbox/plan_report"
    for name in ("draft.txt", "draft.v1.0.0.txt", "draft.v1.1.0.txt"):
        assert (inbox / name).read_text() == wanted[name], name


def test_a_task_of_another_plan_is_not_asked_again_where_reuse_is_of_the_hub(box):
    hub = make(box)
    config = hub / "agenttalk.yaml"
    config.write_text(config.read_text() + "reuse: hub\n")
    run(box)
    assert len(calls(box)) == 4
    plan = hub / "plan.yaml"
    plan.write_text(plan.read_text().replace("plan: report", "plan: again"))
    line = run(box)
    assert (line["plan_id"], line["state"]) == ("plan_again", "completed")
    assert calls(box, "plan_again") == [], "each run is a process of its own: the results were on disk"
    assert all(task["reused"] for task in status(box, "plan_again")["tasks"])
    assert (hub / "plans/plan_again/deliverables/report.txt").read_text() == "the report"
    plan.write_text(plan.read_text().replace("plan: again", "plan: third").replace("Publish.", "Publish it."))
    run(box)
    assert calls(box, "plan_third") == ["cmd_publish_001"], "only what is not the same"
    plan.write_text(plan.read_text().replace("plan: third", "plan: fourth"))
    run(box, "--fresh")
    assert len(calls(box, "plan_fourth")) == 4
