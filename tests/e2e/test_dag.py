"""What passes between the tasks of a DAG: outputs by score, their versions, results of other plans, commands of a planner."""

import json

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


PLANNED = """
plan: report
tasks:
  - {id: lead, agent: ann, prompt: Lead., outputs: [lead.txt]}
  - {id: work, agent: bob, prompt: Work., inputs: [lead.txt], outputs: [report.txt]}
"""


def planned(box, command, permissions="[send_command]"):
    """A hub in which the task `lead` answers with a command for the task `work`."""
    hub = make(box, PLANNED)
    config = hub / "agenttalk.yaml"
    config.write_text(config.read_text().replace("prompt: You are Ann.", f"prompt: You are Ann., permissions: {permissions}"))
    name = command["command_id"] + ".json"
    (hub / "answers.yaml").write_text(json.dumps([
        {"when": {"task": "lead"}, "answer": {"result": "led", "outputs": {name: command}}},
        {"when": {"contains": "exactly so"}, "answer": {"result": "as the planner said"}},
        {"answer": {"result": "as the DAG said"}}]))
    return hub


def command_for_work(box, **changes):
    (box.dir / "sha").mkdir()
    box.write("sha/agenttalk.yaml", "version: 1\nagents:\n  ann: {prompt: A}\n  bob: {prompt: B}\n")
    box.write("sha/answers.yaml", "- answer: {result: x}\n")
    plan = box.write("sha/plan.yaml", PLANNED)
    box.run("run", "--plan", plan, "--hub", box.dir / "sha", "--answers", box.dir / "sha/answers.yaml").expect(0)
    sha256 = box.run("status", "plan_report", "--hub", box.dir / "sha", "--json").json["dag_sha256"]
    return {"command_id": "cmd_work_001", "plan_id": "plan_report", "task_id": "work", "command_seq": 1,
            "prompt": "Do it exactly so.", "required_inputs": ["lead.txt"], "dag_ref": {"sha256": sha256}, **changes}


def test_a_planners_command_is_routed_to_its_tasks_agent(box):
    hub = planned(box, command_for_work(box))
    run(box)
    done = {one["command_id"]: (one["state"], one["agent"]) for one in status(box)["commands"]}
    assert done == {"cmd_lead_001": ("succeeded", "ann"), "cmd_work_001": ("succeeded", "bob")}, done
    assert (hub / "plans/plan_report/deliverables/report.txt").read_text() == "as the planner said"
    assert json.loads((hub / "agents/ann/outbox/plan_report/cmd_work_001.json").read_text())["task_id"] == "work"


def test_a_planners_command_that_does_not_fit_is_a_dead_letter(box):
    wrong = [({"dag_ref": {"sha256": "0" * 64}}, "[send_command]", "COMMAND_DAG_MISMATCH"),
             ({"command_seq": 2}, "[send_command]", "COMMAND_SEQ_MISMATCH"),
             ({"command_id": "cmd_work_1"}, "[send_command]", "COMMAND_ID_FORMAT"),
             ({"command_id": "cmd_other_001"}, "[send_command]", "COMMAND_TASK_MISMATCH"),
             ({"plan_id": "plan_other"}, "[send_command]", "PLAN_UNKNOWN")]
    right = command_for_work(box)
    for changes, permissions, code in wrong:
        hub = planned(box, {**right, **changes}, permissions)
        run(box, "--fresh")
        letters = box.run("dead", "list", "--hub", hub, "--json").expect(0).json
        assert letters[-1]["code"] == code, (code, letters)
        assert (hub / "plans/plan_report/deliverables/report.txt").read_text() == "as the DAG said", code


def test_a_model_that_may_send_no_commands_is_told_so(box):
    """The contract that its request told is the one its answer is read against."""
    hub = planned(box, command_for_work(box), "[]")
    answers = json.loads((hub / "answers.yaml").read_text())
    again = {"when": {"task": "lead", "attempt": 2, "contains": "PERMISSION_DENIED"}, "answer": {"result": "led"}}
    (hub / "answers.yaml").write_text(json.dumps([again, *answers]))
    run(box, "--fresh")
    done = {one["command_id"]: (one["state"], one["agent"]) for one in status(box)["commands"]}
    assert done == {"cmd_lead_001": ("succeeded", "ann"), "cmd_work_001": ("succeeded", "bob")}, done
    assert (hub / "plans/plan_report/deliverables/report.txt").read_text() == "as the DAG said"


def test_a_failed_tasks_letter_tried_again_goes_on_with_the_plan(box):
    hub = make(box, PLANNED, "- when: {task: work}\n  error: {status: 400}\n- answer: {result: x}\n")
    run(box, code=1)
    letter = box.run("dead", "list", "--hub", hub, "--json").expect(0).json[0]
    (hub / "answers.yaml").write_text("- answer: {result: mended}\n")
    again = box.run("dead", "retry", letter["id"], "--hub", hub, "--json").expect(0).json
    assert again["command_id"] == "cmd_work_002", again
    box.run("serve", "--until-idle", "--hub", hub).expect(0)
    assert status(box)["state"] == "completed"
    assert {one["command_id"] for one in status(box)["commands"]} == {"cmd_lead_001", "cmd_work_001", "cmd_work_002"}
    assert (hub / "plans/plan_report/deliverables/report.txt").read_text() == "mended"
