"""An agent with tools: its model asks for them in its answers, and they act in the task's own folder only."""

import json

from sandbox import need_bubblewrap

HUB = """
version: 1
provider: offline
providers:
  offline: {kind: scripted, answers: answers.yaml}
agents:
  ann: {prompt: You are Ann., tools: [list_files, write_file, read_file, run_program, generate_command], permissions: [run_program]}
  bob: {prompt: You are Bob., tools: [read_file, run_program]}
"""

ANSWERS = """
- when: {agent: ann, attempt: 1}
  answer: {tool_calls: [{name: write_file, arguments: {path: work/a.txt, content: "one\\ntwo\\n"}}]}
- when: {agent: ann, attempt: 2}
  answer: {tool_calls: [{name: run_program, arguments: {argv: [wc, -l, work/a.txt]}},
                        {name: read_file, arguments: {path: ../../../../../agenttalk.yaml}},
                        {name: read_skill, arguments: {name: generate-command}}]}
- when: {agent: ann, attempt: 3, contains: "2 work/a.txt"}
  answer: {result: "two lines"}
- when: {agent: bob, attempt: 1}
  answer: {tool_calls: [{name: run_program, arguments: {argv: [id]}}, {name: fly, arguments: {}}]}
- when: {agent: bob, attempt: 2, contains: "needs the permission"}
  answer: {result: "not allowed"}
"""


def command(number):
    return json.dumps({"command_id": number, "plan_id": "plan_tools", "prompt": "Work with your tools."})


def make_hub(box):
    box.write("hub/agenttalk.yaml", HUB)
    box.write("hub/answers.yaml", ANSWERS)
    box.write("hub/agents/ann/inbox/cmd_1.json", command("cmd_1"))
    box.write("hub/agents/bob/inbox/cmd_2.json", command("cmd_2"))


def test_a_model_works_with_tools(box):
    need_bubblewrap()
    make_hub(box)
    served = box.run("serve", "--until-idle", "--hub", "hub")
    assert served.code == 0, served.err
    log = [json.loads(line) for line in box.run("log", "plan_tools", "--json", "--hub", "hub").out.splitlines()]
    done = {line["command_id"]: line["data"] for line in log if line["type"] == "command_succeeded"}
    assert set(done) == {"cmd_1", "cmd_2"}, log
    assert (box.dir / "hub/agents/ann/workspace/plan_tools/cmd_1" / "work" / "a.txt").read_text() == "one\ntwo\n"
    errors = {line["data"]["call"]: line["data"]["error"]
              for line in log if line["type"] == "tool_call_finished" and line["command_id"] == "cmd_1"}
    # Calls 1 and 3 are the model's.
    assert errors == {2: None, 4: None, 5: "NAME_UNSAFE", 6: None}, errors
