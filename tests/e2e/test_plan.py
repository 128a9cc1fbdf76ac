"""A plan's tasks by hand, and by models: show, append, reset, replace, finish, apply; with and without a server."""

import json
import subprocess

from test_serve import Hub

PLAN = "plan_trip"


def configure(hub, answers, agents="  ann: {prompt: Ann}\n  bob: {prompt: Bob}\n"):
    (hub.dir / "agenttalk.yaml").write_text(
        "version: 1\nprovider: offline\nproviders:\n  offline: {kind: scripted, answers: answers.yaml}\nagents:\n"
        + agents)
    (hub.dir / "answers.yaml").write_text(json.dumps(answers))


def append(task, needs=(), assignee="ann"):
    return {"command_name": "append_task", "args": {
        "task_id": task, "dependent_task_ids": list(needs), "instruction": f"do {task}", "assignee": assignee}}


def apply(hub, commands, *more):
    (hub.dir / "batch.json").write_text(json.dumps(commands))
    return hub.run("plan", "apply", PLAN, hub.dir / "batch.json", "--json", *more)


def events(hub, kind):
    lines = hub.run("log", PLAN, "--json").expect(0).out.splitlines()
    return [event for event in map(json.loads, lines) if event["type"] == kind]


def ids(plan):
    return [task["task_id"] for task in plan["tasks"]]


def finished(plan):
    return [task["task_id"] for task in plan["tasks"] if task["is_finished"]]


def test_tasks_stand_in_topological_order_and_finishing_moves_along(box):
    with Hub(box) as hub:
        configure(hub, [{"answer": {"result": "done"}}])
        plan = apply(hub, [append("1", ["2", "3"]), append("2"), append("3", ["2"], "bob")]).expect(0).json
        assert (ids(plan), plan["revision"], plan["current_task_id"]) == (["2", "3", "1"], 1, "2"), plan
        assert plan["tasks"][2] == {"task_id": "1", "dependent_task_ids": ["2", "3"], "instruction": "do 1",
                                    "assignee": "ann", "is_finished": False, "result": ""}
        plan = hub.json("plan", "finish", PLAN, "--result", "two is done")
        assert (finished(plan), plan["current_task_id"]) == (["2"], "3"), plan
        assert plan["tasks"][0]["result"] == "two is done"
        hub.json("plan", "finish", PLAN)
        plan = hub.json("plan", "finish", PLAN)
        assert (finished(plan), plan["current_task_id"]) == (["2", "3", "1"], None), plan
        assert hub.json("plan", "finish", PLAN) == plan, "nothing is left to finish"
        plan = hub.json("plan", "replace", PLAN, "--task", "3", "--instruction", "another way")
        assert finished(plan) == ["2"], plan
        assert plan["tasks"][1]["instruction"] == "another way" and plan["tasks"][1]["assignee"] == "bob", plan
        hub.json("plan", "finish", PLAN)
        plan = hub.json("plan", "reset", PLAN, "--task", "2")
        assert finished(plan) == [], plan
        assert hub.json("plan", "show", PLAN) == plan


def test_a_plan_made_by_hand_is_paused_until_it_is_resumed(box):
    with Hub(box) as hub:
        configure(hub, [{"answer": {"result": "done"}}])
        hub.run("plan", "append", PLAN, "--task", "a", "--instruction", "Do a.", "--assignee", "ann").expect(0)
        shown = hub.run("plan", "append", PLAN, "--task", "b", "--needs", "a", "--instruction", "Do b.",
                        "--assignee", "bob").expect(0).out
        assert "revision 2" in shown and "current" in shown, shown
        assert hub.json("status", PLAN)["state"] == "paused"
        hub.run("serve", "--until-idle")
        assert finished(hub.json("plan", "show", PLAN)) == []
        hub.run("resume", PLAN).expect(0)
        hub.run("serve", "--until-idle").expect(0)
        assert hub.json("status", PLAN)["state"] == "completed"
        assert finished(hub.json("plan", "show", PLAN)) == ["a", "b"]
        history = hub.dir / "plans" / PLAN / "dag_history"
        about = json.loads((history / "rev_0002.json").read_text())
        assert (about["author"], about["reason"]) == ("human", "append_task"), about


def test_a_refused_batch_says_everything_and_changes_nothing(box):
    with Hub(box) as hub:
        configure(hub, [])
        before = apply(hub, [append("1"), append("2", ["1"])]).expect(0).json
        cases = [
            ([append("3", ["9"])], "DEPENDENCY_UNKNOWN"),
            ([append("2")], "TASK_ID_DUPLICATE"),
            ([{"command_name": "reset_task", "args": {"task_id": "9"}}], "TASK_UNKNOWN"),
            ([{"command_name": "replace_task", "args": {
                "task_id": "1", "new_dependent_task_ids": ["2"], "new_instruction": "x", "new_assignee": "ann"}}],
             "DAG_CYCLE"),
            ([append("3", assignee="nobody")], "AGENT_UNKNOWN"),
            ([{"command_name": "sudo"}], "COMMAND_UNKNOWN"),
            ([{"command_name": "reset_task", "args": {"task_id": 1}}], "TYPE_MISMATCH"),
            ([{"command_name": "pass"}] * 10000, "TOO_LARGE"),
            ({"no": "list"}, "TYPE_MISMATCH"),
        ]
        for commands, code in cases:
            answer = apply(hub, commands).expect(2).json
            assert answer["error"]["code"] == code and answer["errors"][0]["code"] == code, (commands, answer)
            assert answer["errors"][0]["path"].startswith("/commands"), answer
        both = apply(hub, [append("3"), {"command_name": "sudo"}, append("4", ["9"])]).expect(2).json
        assert [e["code"] for e in both["errors"]] == ["COMMAND_UNKNOWN", "DEPENDENCY_UNKNOWN"], both
        assert hub.json("plan", "show", PLAN) == before
        text = hub.run("plan", "reset", PLAN, "--task", "9").expect(2).err
        assert "nothing was changed" in text and "hint: name one of: 1, 2" in text, text
        hub.run("plan", "reset", "plan_none", "--task", "1", "--json").expect(2)
        hub.run("plan", "show", "plan_none").expect(2)
        refusals = [e["data"]["code"] for e in events(hub, "thinking_refused")]
        assert "DAG_CYCLE" in refusals and "COMMAND_UNKNOWN" in refusals, refusals


def test_whoever_comes_too_late_is_told_and_the_server_answers_the_same(box):
    with Hub(box) as hub:
        configure(hub, [])
        apply(hub, [append("1")]).expect(0)
        hub.start()
        apply(hub, [append("2")], "--revision", "1").expect(0)
        late = apply(hub, [append("3")], "--revision", "1").expect(2).json
        assert late["error"]["code"] == "VERSION_CONFLICT", late
        assert ids(apply(hub, [append("3")], "--revision", "2").expect(0).json) == ["1", "2", "3"]
        hub.stop()


def test_many_at_once_lose_nothing(box):
    with Hub(box) as hub:
        configure(hub, [])
        apply(hub, [append("root")]).expect(0)
        hub.start()
        running = [subprocess.Popen(
            [str(box.binary), "plan", "append", PLAN, "--hub", str(hub.dir), "--task", f"t{i}", "--needs", "root",
             "--instruction", "x", "--assignee", "ann"], stdout=subprocess.DEVNULL) for i in range(12)]
        assert [process.wait() for process in running] == [0] * 12
        plan = hub.json("plan", "show", PLAN)
        assert sorted(ids(plan)) == sorted(["root"] + [f"t{i}" for i in range(12)]) and plan["revision"] == 13, plan
        hub.stop()


def run_plan(hub, tasks, code=0):
    (hub.dir / "plan.yaml").write_text("plan: trip\ntasks:\n" + tasks)
    return hub.run("run", "--plan", hub.dir / "plan.yaml").expect(code)


def test_a_model_changes_the_plan_and_is_refused_what_it_may_not(box):
    with Hub(box) as hub:
        configure(hub, [
            {"when": {"task": "a", "attempt": 1}, "answer": {"commands": [
                {"command_name": "reset_task", "args": {"task_id": "b"}}]}},
            {"when": {"task": "a", "attempt": 2, "contains": "PERMISSION_DENIED"}, "answer": {
                "result": "a", "commands": [append("c", ["a"], "bob")]}},
            {"answer": {"result": "done"}}],
            "  ann: {prompt: Ann, permissions: [append_task, reset_task]}\n  bob: {prompt: Bob}\n")
        run_plan(hub, "  - {id: a, agent: ann, prompt: x}\n  - {id: b, agent: bob, prompt: y}\n")
        plan = hub.json("plan", "show", PLAN)
        assert finished(plan) == ["a", "b", "c"], plan
        assert [e["data"]["code"] for e in events(hub, "thinking_refused")] == ["PERMISSION_DENIED"]
        applied = events(hub, "thinking_applied")
        assert [(e["agent_id"], e["data"]["names"]) for e in applied] == [("ann", ["append_task"])], applied


def test_hostile_models_are_refused_and_the_run_goes_on(box):
    with Hub(box) as hub:
        hostile = [
            [{"command_name": "pass"}] * 10000,
            [{"command_name": "publish_message", "args": {"content": "x", "send_to": "../../etc/passwd"}}],
            [{"command_name": "publish_message", "args": {"content": "x", "send_to": "cleo"}}],
            [{"command_name": "format_disk", "args": {}}],
            [{"command_name": "append_task", "args": {"task_id": 7}}],
            "append_task",
        ]
        configure(hub, [{"when": {"task": "a", "attempt": i + 1}, "answer": {"result": "x", "commands": commands}}
                        for i, commands in enumerate(hostile)] + [{"answer": {"result": "done"}}],
                  "  ann: {prompt: Ann, visibility: [bob], repair_attempts: 20}\n  bob: {prompt: B}\n  cleo: {prompt: C}\n")
        run_plan(hub, "  - {id: a, agent: ann, prompt: x}\n  - {id: b, agent: bob, prompt: y}\n")
        refused = events(hub, "thinking_refused")
        assert len(refused) == len(hostile), refused
        assert hub.json("status", PLAN)["state"] == "completed"
        log = (hub.dir / "agents/ann/logs/error.jsonl").read_text()
        assert log.count("thinking_refused") == len(hostile)


def test_a_question_to_a_person_goes_back_to_the_model_with_its_answer(box):
    with Hub(box) as hub:
        configure(hub, [
            {"when": {"task": "a", "contains": "Paint it blue"}, "answer": {"result": "blue it is", "commands": [
                {"command_name": "reply_to_human", "args": {"content": "thank you"}},
                {"command_name": "finish_current_task", "args": {}}]}},
            {"when": {"task": "a"}, "answer": {"commands": [
                {"command_name": "ask_human", "args": {"question": "Which colour?"}}]}},
            {"answer": {"result": "done"}}],
            "  ann: {prompt: Ann, permissions: [ask_human]}\n  bob: {prompt: Bob}\n")
        run_plan(hub, "  - {id: a, agent: ann, prompt: x}\n  - {id: b, agent: ann, prompt: y}\n", code=3)
        question = hub.json("questions")[0]
        assert (question["text"], question["kind"], question["from"]) == (
            "Which colour?\nText: ann is told your answer and continues.", "ask", "ann"), question
        assert question["choices"] == [] and set(question["leads_to"]) == {"text"}, "it is answered in words"
        assert finished(hub.json("plan", "show", PLAN)) == ["b"], "the agent goes on with other work"
        hub.run("answer", question["id"], "Paint it blue\x1b[0m").expect(0)
        hub.run("serve", "--until-idle").expect(0)
        plan = hub.json("plan", "show", PLAN)
        assert plan["tasks"][0]["result"] == "blue it is", plan
        kinds = [e["data"]["entry"]["kind"] for e in events(hub, "memory_written")]
        assert kinds == ["question", "done", "answer"], kinds
        assert events(hub, "memory_cleared"), "a finished task is forgotten"
        replies = list((hub.dir / "human/inbox" / PLAN).glob("msg_*.json"))
        assert [json.loads(path.read_text())["content"] for path in replies] == ["thank you"], replies


def test_agents_read_messages_with_their_next_task(box):
    with Hub(box) as hub:
        configure(hub, [
            {"when": {"task": "a"}, "answer": {"result": "a", "commands": [
                {"command_name": "publish_message", "args": {"content": "mind the gap", "send_to": "bob"}}]}},
            {"when": {"task": "b", "contains": "mind the gap"}, "answer": {"result": "minded"}},
            {"answer": {"result": "not told"}}])
        run_plan(hub, "  - {id: a, agent: ann, prompt: x}\n  - {id: b, agent: bob, prompt: y, needs: [a]}\n")
        assert hub.json("plan", "show", PLAN)["tasks"][1]["result"] == "minded"


def test_a_prompt_lists_what_the_agent_may_do_and_the_plan(box):
    with Hub(box) as hub:
        configure(hub, [{"echo": True}],
                  "  ann: {prompt: Ann, permissions: [\"reset_task:any\"]}\n  bob: {prompt: Bob}\n")
        run_plan(hub, "  - {id: a, agent: ann, prompt: x}\n  - {id: b, agent: bob, prompt: y}\n")
        tasks = hub.json("plan", "show", PLAN)["tasks"]
        assert "1. reset_task(task_id: str):\\nReset a task" in json.dumps(tasks[0]["result"]), tasks[0]
        assert "The plan is at revision 1" in tasks[0]["result"] and "append_task" not in tasks[0]["result"]
        assert "reset_task" not in tasks[1]["result"]
