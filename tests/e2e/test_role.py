"""An agent that goes about a task in steps: strategies, plans, procedures, tools, and requests to others."""

import json

from test_serve import Hub, wait_for

HUB = """
version: 1
provider: offline
providers:
  offline: {kind: scripted, answers: answers.yaml}
agents:
  ann: {prompt: You are Ann., strategy: freeform, tools: [write_file, read_file], permissions: [publish_message]}
  bob: {prompt: You are Bob.}
  cat: {prompt: You are Cat.}
  dan: {prompt: You are Dan., strategy: auto, capabilities: [review]}
  eve: {prompt: You are Eve., runtime: external}
"""

# A complex task: four steps, two requests (one answered, one declined, with an alternative), a tool.
PLAN = """
- when: {agent: ann, stage: internal_plan, command: cmd_1}
  answer:
    steps:
      - {id: note, type: use_tool, name: write_file, params: {path: work/note.txt, content: "a note"}, on_error: retry}
      - {id: facts, type: request_collaboration, to: bob, params: {subtask: "Collect the facts.", context: "see ${note.result}"}}
      - {id: check, type: request_collaboration, to: cat, params: {subtask: "Check the facts.", context: {facts: "${facts.result}"}}, on_error: alone}
      - {id: done, type: execute_action, name: update_task_status, params: {status: completed, summary: "Report: ${facts.result}; ${check.result}"}}
      - {id: alone, type: execute_action, name: ask_model, params: {prompt: "Check ${facts.result} yourself."}}
- when: {agent: bob, contains: "Collect the facts."}
  answer: {result: "three facts"}
- when: {agent: cat, contains: "three facts"}
  answer: {rejected: "no time"}
- when: {agent: ann, stage: command, contains: "facts.result"}
  answer: {result: "checked alone"}
"""


def command(number, prompt="Write the report."):
    return json.dumps({"command_id": number, "plan_id": "plan_role", "prompt": prompt})


def make_hub(box, answers):
    box.write("hub/agenttalk.yaml", HUB)
    box.write("hub/answers.yaml", answers)


def log_of(box):
    return [json.loads(line) for line in box.run("log", "plan_role", "--json", "--hub", "hub").out.splitlines()]


def test_a_plan_with_two_requests_and_an_alternative(box):
    make_hub(box, PLAN)
    box.write("hub/agents/ann/inbox/cmd_1.json", command("cmd_1"))
    served = box.run("serve", "--until-idle", "--hub", "hub")
    assert served.code == 0, served.err
    log = log_of(box)
    reported = [line["data"] for line in log if line["type"] == "status_reported"]
    assert [r["summary"] for r in reported] == ["Report: three facts; checked alone"], log
    statuses = [line["data"]["status"] for line in log if line["type"] == "collaboration_answered"]
    assert statuses == ["completed", "rejected"], log
    assert [line["data"]["strategy"] for line in log if line["type"] == "strategy_chosen"] == ["freeform"]
    # Everything that passed is a file.
    inbox = {path.name for path in (box.dir / "hub/agents/bob/inbox/plan_role").iterdir()}
    assert any(name.startswith("request_collab_") for name in inbox), inbox
    answers = {path.name for path in (box.dir / "hub/agents/ann/inbox/plan_role").iterdir()}
    assert sum(name.startswith("response_collab_") for name in answers) == 2, answers
    assert (box.dir / "hub/agents/ann/workspace/plan_role/cmd_1" / "work" / "note.txt").read_text() == "a note"


def test_a_plan_that_may_not_run_is_sent_back_with_every_fault(box):
    make_hub(box, """
- when: {agent: ann, stage: internal_plan, attempt: 1}
  answer: {steps: [{id: a, type: use_tool, name: run_program, params: {argv: [id]}}, {id: b, type: request_collaboration, to: zoe, params: {subtask: x}}]}
- when: {agent: ann, stage: internal_plan, attempt: 2, contains: "ROUTING_NO_TARGET at /steps/1/to"}
  answer: {steps: [{id: a, type: execute_action, name: ask_model, params: {prompt: "Go."}}]}
- when: {agent: ann, stage: command}
  answer: {result: gone}
""")
    box.write("hub/agents/ann/inbox/cmd_1.json", command("cmd_1"))
    assert box.run("serve", "--until-idle", "--hub", "hub").code == 0
    assert [line["type"] for line in log_of(box)].count("answer_refused") == 1


def test_auto_follows_a_procedure_or_asks_the_model(box):
    make_hub(box, """
- when: {agent: dan, stage: strategy}
  answer: {strategy: simple, reason: one answer suffices}
- when: {agent: dan, stage: command}
  answer: {result: ok}
""")
    box.write("hub/agents/dan/inbox/cmd_1.json", command("cmd_1", "Please review the document."))
    box.write("hub/agents/dan/inbox/cmd_2.json", command("cmd_2", "Do it. " * 60))
    box.write("hub/agents/dan/inbox/cmd_3.json", command("cmd_3", "Say hello."))
    assert box.run("serve", "--until-idle", "--hub", "hub").code == 0
    chosen = {}
    for line in log_of(box):
        if line["type"] == "strategy_chosen":
            chosen.setdefault(line["command_id"], []).append((line["data"]["strategy"], line["data"]["reason"]))
    assert chosen == {
        "cmd_1": [("template", "the procedure review-document matches")],
        "cmd_2": [("auto", "the rules do not decide"), ("simple", "the model: one answer suffices")],
        "cmd_3": [("simple", "a short task with one result")]}, chosen


def test_an_external_agent_answers_a_request(box):
    with Hub(box) as hub:
        make_hub(box, """
- when: {agent: ann, stage: internal_plan}
  answer: {steps: [{id: a, type: request_collaboration, to: eve, params: {subtask: "Measure it."}}]}
""")
        hub.drop("ann", "cmd_1.json", command("cmd_1"))
        hub.start()
        inbox = box.dir / "hub/agents/eve/inbox/plan_role"
        wait_for(lambda: list(inbox.glob("cmd_collab_*.json")), "the command")
        status = json.loads(box.run("status", "plan_role", "--json", "--hub", "hub").out)
        asker = next(c for c in status["commands"] if c["command_id"] == "cmd_1")
        assert (asker["state"], asker["waiting_for"]) == ("waiting_collaboration", ["eve"]), asker
        assert asker["role"]["status"] == "waiting_for_collaboration", asker
        request_id = json.loads(next(inbox.glob("request_collab_*.json")).read_text())["request_id"]
        outbox = box.dir / "hub/agents/eve/outbox/plan_role"
        outbox.mkdir(parents=True, exist_ok=True)
        (outbox / "x.tmp").write_text(json.dumps({"request_id": request_id, "status": "completed", "result": "42 cm"}))
        (outbox / "x.tmp").rename(outbox / f"response_{request_id}.json")
        wait_for(lambda: any(line["type"] == "status_reported" for line in log_of(box)), "the end")
        hub.stop()
    assert [line["data"]["summary"] for line in log_of(box) if line["type"] == "status_reported"] == ["42 cm"]


def test_procedures_are_validated(box):
    box.write("good.yaml", "name: x\ndescription: d\nmatch: {keywords: [x]}\n"
              "steps: [{id: a, type: use_tool, name: read_file, params: {path: p}}]\n")
    box.write("bad.yaml", "name: x\ndescription: d\nmatch: {}\n"
              "steps: [{id: a, type: use_tool, name: read_file, params: {path: \"${b.result}\"}}]\n")
    report = json.loads(box.run("validate", "good.yaml", "bad.yaml", "--json").out)
    assert [(r["kind"], r["ok"]) for r in report] == [("sop", True), ("sop", False)], report
    assert {e["path"] for e in report[1]["errors"]} == {"/match", "/steps/0/params"}, report


PLAN_TOOLS = """
- when: {agent: ann, task: begin, attempt: 1}
  answer: {tool_calls: [{name: get_plan_status, arguments: {}}, {name: get_tasks_for_role, arguments: {agent: bob}},
                        {name: get_task, arguments: {task_id: nowhere}},
                        {name: create_plan_from_structure, arguments: {plan: second, goal: More., tasks: [{id: one, agent: cat, prompt: "Do one."}]}},
                        {name: create_plan_from_structure, arguments: {plan: ring, tasks: [{id: a, agent: cat, prompt: A, needs: [b]}, {id: b, agent: cat, prompt: B, needs: [a]}]}},
                        {name: update_task_status, arguments: {task_id: end, status: completed}}]}
- when: {agent: ann, task: begin, attempt: 2, contains: "only the status of your own running task"}
  answer: {tool_calls: [{name: update_task_status, arguments: {status: completed, summary: "begun by the tool"}}]}
- when: {agent: bob, task: end, attempt: 1}
  answer: {tool_calls: [{name: get_task, arguments: {task_id: begin}}]}
- when: {agent: bob, task: end, attempt: 2, contains: "PERMISSION_DENIED"}
  answer: {result: "wrong"}
- when: {agent: bob, task: end, attempt: 2, contains: "begun by the tool"}
  answer: {result: "seen"}
- when: {agent: cat}
  answer: {result: "one is done"}
"""


def test_the_plan_tool_reads_and_changes_the_plan(box):
    make_hub(box, PLAN_TOOLS)
    config = (box.dir / "hub/agenttalk.yaml").read_text()
    tools = ("tools: [get_task, get_plan_status, get_tasks_for_role, get_ready_tasks, get_plan_structure, "
             "create_plan_from_structure, update_task_status], permissions: [plan]")
    config = config.replace("ann: {prompt: You are Ann., strategy: freeform, tools: [write_file, read_file], "
                            "permissions: [publish_message]}", "ann: {prompt: You are Ann., " + tools + "}")
    box.write("hub/agenttalk.yaml", config.replace("bob: {prompt: You are Bob.}", "bob: {prompt: You are Bob., " + tools + "}"))
    box.write("plan.yaml", "plan: first\ntasks:\n  - {id: begin, agent: ann, prompt: Begin.}\n"
              "  - {id: end, agent: bob, prompt: End., needs: [begin]}\n")
    ran = box.run("run", "--plan", "plan.yaml", "--hub", "hub", "--json")
    assert ran.code == 0, (ran.out, ran.err)
    log = [json.loads(line) for line in box.run("log", "plan_first", "--json", "--hub", "hub").out.splitlines()]
    begun = next(line["command_id"] for line in log if line["type"] == "command_received")
    errors = {line["data"]["call"]: line["data"]["error"]
              for line in log if line["type"] == "tool_call_finished" and line["command_id"] == begun}
    assert errors == {2: None, 3: None, 4: "TASK_UNKNOWN", 5: None, 6: "DAG_CYCLE", 7: "PERMISSION_DENIED"}, errors
    results = [line["data"]["summary"] for line in log if line["type"] == "status_reported"]
    assert results == ["begun by the tool"], results
    box.run("serve", "--until-idle", "--hub", "hub")
    second = json.loads(box.run("status", "plan_second", "--json", "--hub", "hub").out)
    assert second["state"] == "completed", second
