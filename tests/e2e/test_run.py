"""A plan with a DAG, run by the real binary: to its end, again, changed, killed and continued, with people."""

import hashlib
import json
import os
import signal
import subprocess
import time

HUB = """
version: 1
provider: offline
providers:
  offline: {kind: scripted, answers: answers.yaml}
agents:
  ann: {name: Ann, prompt: You are Ann.}
  bob: {name: Bob, prompt: You are Bob.}
"""

PLAN = """
plan: report
goal: A report
files: [notes/*.md]
tasks:
  - {id: collect, agent: ann, prompt: Collect., inputs: ["*.md"], outputs: [facts.txt]}
  - id: write
    agent: bob
    prompt: Write.
    inputs: [facts.txt]
    outputs: [draft.txt]
    score: {criteria: "0-100", pass: 70, rework: 1}
  - {id: publish, agent: ann, prompt: Publish., inputs: [draft.txt], outputs: [report.txt]}
deliverables: [report.txt]
"""

ANSWERS = """
- when: {task: write, attempt: 1, contains: "Rework"}
  answer: {result: "a long draft", score: 90, score_explanation: "good"}
- when: {task: write}
  answer: {result: "a draft", score: 50, score_explanation: "too short"}
- when: {task: collect}
  answer: {result: "the facts"}
- answer: {result: "the report"}
"""


def make(box, plan=PLAN, answers=ANSWERS, hub=HUB):
    box.write("hub/agenttalk.yaml", hub)
    box.write("hub/answers.yaml", answers)
    box.write("hub/plan.yaml", plan)
    box.write("hub/notes/monday.md", "rain")
    return box.dir / "hub"


def run(box, *arguments, code=0):
    outcome = box.run("run", "--plan", box.dir / "hub/plan.yaml", "--hub", box.dir / "hub", "--json", *arguments)
    return json.loads(outcome.expect(code).out.splitlines()[-1])


def status(box, plan="plan_report"):
    return box.run("status", plan, "--hub", box.dir / "hub", "--json").expect(0).json


def states(box, plan="plan_report"):
    return {task["task_id"]: task["state"] for task in status(box, plan)["tasks"]}


def calls(box, plan="plan_report"):
    lines = box.run("log", plan, "--hub", box.dir / "hub", "--json").expect(0).out.splitlines()
    return [event["command_id"] for event in map(json.loads, lines) if event["type"] == "model_call_intended"]


def tree(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_a_plan_runs_to_its_end_and_leaves_its_files(box):
    hub = make(box)
    line = run(box)
    assert line["plan_id"] == "plan_report" and line["state"] == "completed", line
    assert (line["tasks_total"], line["tasks_completed"]) == (3, 3)
    assert line["deliverables"] == [str(hub / "plans/plan_report/deliverables/report.txt")]
    assert (hub / "plans/plan_report/deliverables/report.txt").read_text() == "the report"
    dag = (hub / "plans/plan_report/task_dag.json").read_bytes()
    assert json.dumps(json.loads(dag), sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode() == dag
    state = status(box)
    assert state["dag_sha256"] == hashlib.sha256(dag).hexdigest() and state["revision"] == 1
    assert state.pop("active") is False and state.pop("updated_at")  # of the present, not of the plan
    assert json.loads((hub / "plans/plan_report/plan_status.json").read_text()) == state
    history = hub / "plans/plan_report/dag_history"
    assert (history / "rev_0001.task_dag.json").read_bytes() == dag
    assert json.loads((history / "rev_0001.json").read_text())["author"]
    command = json.loads((hub / "agents/bob/inbox/.processed/plan_report/cmd_write_001.json").read_text())
    assert command["dag_ref"]["sha256"] == state["dag_sha256"] and command["command_seq"] == 1
    assert (hub / "agents/bob/inbox/plan_report/facts.txt").read_text() == "the facts"
    deliveries = [json.loads(text) for text in (hub / "plans/plan_report/deliveries.jsonl").read_text().splitlines()]
    assert {"facts.txt", "draft.txt", "monday.md"} == {one["name"] for one in deliveries}


def test_work_below_its_score_goes_back_with_the_explanation(box):
    make(box)
    run(box)
    write = next(task for task in status(box)["tasks"] if task["task_id"] == "write")
    assert write["attempts"] == 2 and write["score"] == 90
    assert calls(box) == ["cmd_collect_001", "cmd_write_001", "cmd_write_002", "cmd_publish_001"]


def test_a_finished_plan_is_only_reported(box):
    make(box)
    run(box)
    before = calls(box)
    assert run(box)["state"] == "completed"
    assert calls(box) == before


def test_a_changed_file_runs_what_it_touches(box):
    make(box)
    run(box)
    before = len(calls(box))
    box.write("hub/notes/monday.md", "sun")
    run(box)
    # The facts come out the same, so what follows from them is known.
    assert calls(box)[before:] == ["cmd_collect_002"]
    tasks = {task["task_id"]: task for task in status(box)["tasks"]}
    assert tasks["publish"]["reused"] and not tasks["collect"]["reused"]
    assert status(box)["revision"] == 2
    assert (box.dir / "hub/plans/plan_report/dag_history/rev_0002.json").exists()


def test_fresh_runs_everything_again(box):
    make(box)
    run(box)
    before = len(calls(box))
    run(box, "--fresh")
    assert len(calls(box)) == 2 * before


def test_changing_one_input_of_fifty_tasks_calls_the_model_only_downstream(box):
    tasks = ["plan: fifty", "files: [notes/*.md]", "tasks:"]
    for i in range(10):
        tasks.append(f"  - {{id: a{i}, agent: ann, prompt: A{i}., inputs: [n{i}.md], outputs: [a{i}.txt]}}")
        for k in range(1, 5):
            source = f"a{i}.txt" if k == 1 else f"b{i}x{k - 1}.txt"
            tasks.append(f"  - {{id: b{i}x{k}, agent: bob, prompt: B., inputs: [{source}], outputs: [b{i}x{k}.txt]}}")
    make(box, "\n".join(tasks) + "\n", '- echo: true\n')
    for i in range(10):
        box.write(f"hub/notes/n{i}.md", f"note {i}")
    assert run(box)["tasks_completed"] == 50
    before = calls(box, "plan_fifty")
    assert len(before) == 50
    box.write("hub/notes/n3.md", "another note")
    assert run(box)["tasks_completed"] == 50
    new = calls(box, "plan_fifty")[50:]
    assert sorted(new) == ["cmd_a3_002"] + [f"cmd_b3x{k}_002" for k in range(1, 5)]
    reused = [task["task_id"] for task in status(box, "plan_fifty")["tasks"] if task["reused"]]
    assert len(reused) == 45


def test_a_gate_waits_for_a_person(box):
    make(box, PLAN.replace("outputs: [report.txt]}", "outputs: [report.txt], gate: human}"))
    line = run(box, code=3)
    assert line["state"] == "waiting"
    assert states(box)["publish"] == "BLOCKED_WAITING_HUMAN"
    assert not (box.dir / "hub/plans/plan_report/deliverables").exists()
    question = box.run("questions", "--hub", box.dir / "hub", "--json").expect(0).json[0]
    assert question["kind"] == "approve" and question["task_id"] == "publish"
    box.run("answer", question["id"], "--approve", "--hub", box.dir / "hub").expect(0)
    assert run(box)["state"] == "completed"
    assert (box.dir / "hub/plans/plan_report/deliverables/report.txt").exists()


def test_yes_approves_gates(box):
    make(box, PLAN.replace("outputs: [report.txt]}", "outputs: [report.txt], gate: human}"))
    assert run(box, "--yes")["state"] == "completed"


def test_a_failed_task_fails_the_plan_and_runs_again(box):
    make(box, answers='- when: {task: write}\n  error: {status: 400}\n' + ANSWERS)
    line = run(box, code=1)
    assert line["state"] == "failed" and line["tasks_completed"] == 1
    assert states(box) == {"collect": "COMPLETED", "write": "FAILED", "publish": "SKIPPED"}
    error = next(task for task in status(box)["tasks"] if task["task_id"] == "publish")["error"]
    assert error == {"code": "DEPENDENCY_FAILED", "message": "write is FAILED"}
    box.write("hub/answers.yaml", ANSWERS)
    assert run(box)["state"] == "completed"
    assert calls(box).count("cmd_collect_001") == 1


def test_everything_wrong_with_a_plan_is_told_at_once(box):
    make(box, """
plan: bad
tasks:
  - {id: a, agent: ann, prompt: A., needs: [c]}
  - {id: b, agent: ann, prompt: B., needs: [a]}
  - {id: c, agent: ann, prompt: C., needs: [b]}
  - {id: d, agent: nobody, prompt: D., needs: [zzz]}
  - {id: d, agent: ann, prompt: D.}
""")
    report = run(box, code=2)
    codes = {error["code"]: error for error in report["errors"]}
    assert {"DAG_CYCLE", "AGENT_UNKNOWN", "DEPENDENCY_UNKNOWN", "TASK_ID_DUPLICATE"} <= set(codes)
    message = codes["DAG_CYCLE"]["message"]
    assert all(name in message for name in "abc") and "→" in message, message
    assert all(error.get("line", 0) > 0 for error in report["errors"])
    assert not (box.dir / "hub/plans").exists()


def test_no_plan_and_no_provider_are_told_apart(box):
    hub = make(box)
    box.run("run", "--hub", hub).expect(2)
    box.run("run", "--plan", box.dir / "none.yaml", "--hub", hub).expect(2)
    box.write("hub/agenttalk.yaml", HUB.replace("provider: offline\n", ""))
    box.run("run", "--plan", hub / "plan.yaml", "--hub", hub).expect(4)



def test_killed_and_continued_it_leaves_the_same_files(box):
    plan = ["plan: chain", "tasks:", "  - {id: t0, agent: ann, prompt: T., outputs: [o0.txt]}"]
    for i in range(1, 20):
        agent = "ann" if i % 2 == 0 else "bob"
        plan.append(f"  - {{id: t{i}, agent: {agent}, prompt: T{i}., inputs: [o{i - 1}.txt], outputs: [o{i}.txt]}}")
    answers = "- delay: 20ms\n  answer: {result: \"done\"}\n"
    make(box, "\n".join(plan) + "\n", answers)
    run(box)
    undisturbed = tree(box.dir / "hub/plans/plan_chain/deliverables")
    first = calls(box, "plan_chain")
    os.rename(box.dir / "hub", box.dir / "undisturbed")

    make(box, "\n".join(plan) + "\n", answers)
    for pause in (0.15, 0.25, 0.35):
        process = subprocess.Popen(
            [str(box.binary), "run", "--plan", str(box.dir / "hub/plan.yaml"), "--hub", str(box.dir / "hub")],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=box.environment())
        time.sleep(pause)
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert run(box)["state"] == "completed"
    assert tree(box.dir / "hub/plans/plan_chain/deliverables") == undisturbed
    assert sorted(calls(box, "plan_chain")) == sorted(first), "no task was begun twice"
    for agent in ("ann", "bob"):
        mine = tree(box.dir / f"hub/agents/{agent}/inbox")
        assert mine == tree(box.dir / f"undisturbed/agents/{agent}/inbox")


def test_a_server_runs_the_plan_for_others(box):
    hub = make(box)
    server = subprocess.Popen([str(box.binary), "serve", "--hub", str(hub)], stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True,
                              env=box.environment())
    try:
        assert "serving" in server.stderr.readline()
        assert run(box)["state"] == "completed"
        out = box.run("watch", "plan_report", "--hub", hub).expect(0).out
        assert "publish: COMPLETED" in out and "3 of 3 tasks completed" in out
    finally:
        server.kill()
        server.wait()


def test_a_command_for_a_task_is_checked_against_the_dag(box):
    hub = make(box, PLAN.replace("inputs: [draft.txt]", "inputs: [draft.txt, go.txt]"))
    run(box, code=3)
    command = {"command_id": "cmd_publish_002", "plan_id": "plan_report", "task_id": "publish", "command_seq": 2,
               "prompt": "Publish it well.", "dag_ref": {"sha256": status(box)["dag_sha256"]}}

    def send(**changes):
        path = box.write("cmd.json", {**command, **changes})
        return box.run("send", path, "--to", "bob", "--hub", hub, "--json")

    assert send(dag_ref={"sha256": "0" * 64}).expect(2).json["error"]["code"] == "COMMAND_DAG_MISMATCH"
    wrong = send(task_id="nope", command_id="cmd_nope_002").expect(2).json["error"]["code"]
    assert wrong == "TASK_UNKNOWN"
    assert send(command_seq=3).expect(2).json["error"]["code"] == "COMMAND_SEQ_MISMATCH"
    send().expect(0)
    # It asks for nothing, and still waits for what its task needs.
    assert run(box, code=3)["state"] == "waiting"
    box.run("send", box.write("go.txt", "go"), "--to", "ann", "--plan", "plan_report", "--hub", hub).expect(0)
    assert run(box)["state"] == "completed"
    done = {one["command_id"]: (one["state"], one["agent"]) for one in status(box)["commands"]}
    assert done["cmd_publish_001"] == ("superseded", "ann")
    assert done["cmd_publish_002"] == ("succeeded", "ann"), "it went to the task's agent, not to whom it was sent"


def test_the_report_template_runs_offline(box):
    box.run("init", "hub", "--template", "report").expect(0)
    line = box.run("run", "--plan", box.dir / "hub/plan.yaml", "--hub", box.dir / "hub", "--json").expect(0)
    last = json.loads(line.out.splitlines()[-1])
    assert last["state"] == "completed" and last["tasks_completed"] == 4
    assert "The week in one page" in (box.dir / "hub/plans/plan_weekly-report/deliverables/report.md").read_text()


def test_many_plans_that_end_at_once_all_show_their_end(box):
    hub = make(box)
    for number in range(400):  # more than are kept in memory after their end
        command = {"command_id": "cmd_1", "plan_id": f"plan_{number}", "prompt": "Do it."}
        box.write(f"hub/agents/ann/inbox/cmd_{number}.json", json.dumps(command))
    box.run("serve", "--until-idle", "--hub", hub).expect(0)
    for number in range(400):
        shown = json.loads((hub / f"plans/plan_{number}/plan_status.json").read_text())
        assert shown["state"] == "completed", (number, shown)
