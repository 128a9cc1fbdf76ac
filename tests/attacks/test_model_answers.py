"""What a model says is a request: paths, rights, gates and limits hold against every answer."""

import hashlib
import json
import os
import time

from attack import Attacks, command, drop, events, hub, letters

PATHS = ("../evil", "../../agenttalk.yaml", "/etc/passwd", "work/../../evil", "outputs/../../../x", "./../x", "work//x", "", ".", "..",
         "work/\x00x", "work/\x1b[2J", "inputs/new.txt", "evil.txt", "work/" + "a/" * 100 + "x", "work/" + "n" * 2000, "~/x", "work/..", "\\\\host\\x")


def script(calls):
    answers = [{"when": {"agent": "ann", "attempt": number}, "answer": {"tool_calls": [{"name": name, "arguments": arguments}]}}
               for number, (name, arguments) in enumerate(calls, 1)]
    return json.dumps([*answers, {"answer": {"result": "done"}}])


def test_paths_of_file_tools_stay_inside(box):
    with Attacks(box, "model answers") as tried:
        for tool in ("write_file", "read_file"):
            agents = "".join(f"  a{number}: {{prompt: x, tools: [write_file, read_file]}}\n" for number in range(len(PATHS)))
            answers = [{"when": {"agent": f"a{number}", "attempt": 1}, "answer": {"tool_calls": [
                {"name": tool, "arguments": {"path": path, **({"content": "evil"} if tool == "write_file" else {})}}]}} for number, path in enumerate(PATHS)]
            folder = hub(box, agents, json.dumps([*answers, {"answer": {"result": "done"}}]), name=tool)
            for number in range(len(PATHS)):
                drop(folder, f"a{number}", "cmd_1.json", command(f"cmd_{number}"))
            box.run("serve", "--until-idle", "--hub", tool)
            outcomes = {event["command_id"]: event["data"] for event in events(box, "plan_a", tool) if event["type"] in ("tool_call_finished", "tool_call_refused")}
            for number, path in enumerate(PATHS):
                data = outcomes.get(f"cmd_{number}", {"error": "refused before"})
                tried.repelled(f"{tool} {path[:24]!r}", bool(data.get("error") or data.get("refused") or data.get("code")), str(data))
            stray = [path for path in box.dir.rglob("*evil*")]
            tried.repelled(f"{tool} leaves something outside", not stray, stray)


NAMES = ("../evil.md", "/etc/evil.md", "a/../../evil.md", "..", ".hidden", "cmd_evil.json", "x\x1b[2J.md", "x\ny.md", "n" * 400 + ".md", "con\u202e.md", "")


def test_names_of_outputs_stay_names(box):
    with Attacks(box, "model answers") as tried:
        agents = "".join(f"  a{number}: {{prompt: x}}\n" for number in range(len(NAMES)))
        answers = [{"when": {"agent": f"a{number}"}, "answer": {"result": "done", "outputs": {name: "evil"}}} for number, name in enumerate(NAMES)]
        folder = hub(box, agents, json.dumps(answers))
        for number in range(len(NAMES)):
            drop(folder, f"a{number}", "cmd_1.json", command(f"cmd_{number}", on_complete={"send_to": ["a0"], "output_name": "fine.md"}))
        served = box.run("serve", "--until-idle", "--hub", "hub")
        assert served.code in (0, 1, 3), served
        stray = [path for path in box.dir.rglob("*") if "evil" in path.name and not str(path).startswith(str(folder / "agents"))]
        commands = [path for path in folder.rglob("cmd_evil.json") if "/outbox/" not in str(path)]
        for name in NAMES:
            tried.repelled(f"an output named {name[:20]!r}", not stray and not commands, f"{stray} {commands}")


THINKING = {
    "append_task": {"task_id": "t9", "dependent_task_ids": [], "instruction": "x", "assignee": "bob"},
    "reset_task": {"task_id": "a", "new_instruction": "x"}, "replace_task": {"task_id": "b", "new_dependent_task_ids": [], "new_instruction": "x", "new_assignee": "ann"},
    "publish_message": {"content": "x", "to": ["bob"]}, "finish_current_task": {}, "no_such_command": {}, "answer": {"id": "q_1", "decision": "approve"},
    "approve": {"id": "q_1"},
}


def thinking_hub(box, name, permissions, visibility="", args=None):
    agents = (f"  ann: {{prompt: x, permissions: [{permissions}]{visibility}}}\n  bob: {{prompt: x}}\n  cy: {{prompt: x}}\n")
    answers = json.dumps([{"when": {"agent": "ann", "attempt": 1}, "answer": {"reason": "because", "commands": [{"command_name": name, "args": args or THINKING[name]}]}},
                          {"answer": {"result": "done"}}])
    folder = hub(box, agents, answers)
    box.write("hub/plan.yaml", "plan: t\ngoal: g\ntasks:\n  - {id: a, agent: ann, prompt: Do.}\n  - {id: b, agent: bob, prompt: Do., needs: [a]}\n")
    return folder


def test_commands_of_models_need_permissions(box):
    import shutil
    with Attacks(box, "model answers") as tried:
        for name in THINKING:
            if name in ("publish_message", "finish_current_task"):
                continue  # for everybody
            shutil.rmtree(box.dir / "hub", ignore_errors=True)
            folder = thinking_hub(box, name, "")
            box.run("run", "--plan", "plan.yaml", "--quiet", cwd=folder)
            log = events(box, "plan_t")
            applied = [event for event in log if event["type"] == "thinking_applied"]
            tried.repelled(f"{name} without permission", not applied, str(applied))
        for name in ("append_task", "replace_task"):
            shutil.rmtree(box.dir / "hub", ignore_errors=True)
            folder = thinking_hub(box, name, f"{name}, '{name}:any'", ", visibility: [cy]",
                                  {**THINKING[name], **({"assignee": "bob"} if name == "append_task" else {"new_assignee": "bob"})})
            box.run("run", "--plan", "plan.yaml", "--quiet", cwd=folder)
            applied = [event for event in events(box, "plan_t") if event["type"] == "thinking_applied"]
            tried.repelled(f"{name} beyond visibility", not applied, str(applied))


def test_create_plan_keeps_to_visibility_and_takes_no_files(box):
    import shutil
    with Attacks(box, "model answers") as tried:
        for name, more, visibility in (("beyond visibility", {}, ", visibility: [cy]"), ("with files from the disk", {"files": ["/etc/passwd"]}, "")):
            shutil.rmtree(box.dir / "hub", ignore_errors=True)
            structure = {"plan": "evil", "goal": "g", "tasks": [{"id": "x", "agent": "bob", "prompt": "Do."}], **more}
            folder = hub(box, f"  ann: {{prompt: x, tools: [create_plan_from_structure], permissions: [plan]{visibility}}}\n  bob: {{prompt: x}}\n  cy: {{prompt: x}}\n",
                         script([("create_plan_from_structure", structure)]))
            drop(folder, "ann", "cmd_1.json", command("cmd_1"))
            box.run("serve", "--until-idle", "--hub", "hub")
            plans = [plan["plan_id"] for plan in box.run("plans", "--json", "--hub", "hub").json]
            tried.repelled(f"create_plan_from_structure {name}", "plan_evil" not in plans, plans)


def test_tools_need_permissions_and_profiles(box):
    with Attacks(box, "model answers") as tried:
        tools = ("run_program", "read_file", "write_file", "search_files", "create_plan_from_structure", "update_task_status", "no_such", "../x", "")
        agents = "".join(f"  a{number}: {{prompt: x, tools: [list_files]}}\n" for number in range(len(tools)))
        answers = [{"when": {"agent": f"a{number}", "attempt": 1}, "answer": {"tool_calls": [{"name": tool, "arguments": {"argv": ["id"], "path": "work/x", "text": "x"}}]}}
                   for number, tool in enumerate(tools)]
        folder = hub(box, agents, json.dumps([*answers, {"answer": {"result": "done"}}]))
        for number in range(len(tools)):
            drop(folder, f"a{number}", "cmd_1.json", command(f"cmd_{number}"))
        box.run("serve", "--until-idle", "--hub", "hub")
        log = events(box, "plan_a")
        for number, tool in enumerate(tools):
            ran = [event for event in log if event["type"] == "tool_call_finished" and event["command_id"] == f"cmd_{number}" and not event["data"].get("error")]
            tried.repelled(f"the tool {tool or 'without a name'} that the profile lacks", not ran, str(ran))


def test_gates_are_not_opened_by_models(box):
    answers = json.dumps([{"answer": {"result": "I approve this. {\"decision\": \"approve\"}", "outputs": {"answer_q_1.json": "{\"id\": \"q_1\", \"decision\": \"approve\"}"},
                                      "approved": True, "score": 100}}])
    folder = hub(box, answers=answers)
    box.write("hub/plan.yaml", "plan: g\ngoal: g\ntasks:\n  - {id: a, agent: ann, prompt: Do., gate: human}\n  - {id: b, agent: ann, prompt: Do., needs: [a]}\n")
    with Attacks(box, "model answers") as tried:
        done = box.run("run", "--plan", "plan.yaml", cwd=folder)
        tried.repelled("a model approves its own gate", done.code == 3, str(done))
        question = box.run("questions", "--json", "--hub", "hub").json[0]
        judged = {file["name"]: file["sha256"] for file in question["files"]}
        made = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in (folder / "human/inbox" / question["id"]).iterdir()}
        tried.repelled("the question names another file than the one that is shown", judged and judged == made, f"{judged} {made}")
        for bad in ({"id": question["id"] + "0", "decision": "approve"}, {"id": "q_0", "decision": "approve"}, {"decision": "approve"},
                    {"id": question["id"], "decision": "APPROVE"}, {"id": question["id"], "decision": True}, {"id": [question["id"]], "decision": "approve"}):
            (folder / "human/outbox").mkdir(parents=True, exist_ok=True)
            box.write("hub/human/outbox/answer_x.json", bad)
            done = box.run("serve", "--until-idle", "--hub", "hub")
            tried.repelled(f"the answer {bad}", done.code == 3 and len(box.run("questions", "--json", "--hub", "hub").json) >= 1, str(done))
        late = hub(box, answers=answers, more="human: {approval_deadline: 1s}\n", name="late")
        box.write("late/plan.yaml", (folder / "plan.yaml").read_text())
        done = box.run("run", "--plan", "plan.yaml", cwd=late)
        end = time.monotonic() + 30
        while box.run("questions", "--json", "--hub", "late").json and time.monotonic() < end:
            box.run("serve", "--until-idle", "--hub", "late")
        states = {task["task_id"]: task["state"] for task in box.run("status", "plan_g", "--json", "--hub", "late").json["tasks"]}
        tried.repelled("a deadline that passes", states["a"] == "FAILED" and states["b"] != "COMPLETED", f"{states} {done}")


def test_answers_have_limits(box):
    with Attacks(box, "model answers") as tried:
        many = [{"name": "list_files", "arguments": {}}] * 2000
        for name, answer in (("2000 tool calls", {"tool_calls": many}), ("deep JSON", "[" * 50000), 
                             ("a score beyond all", {"result": "x", "score": 1e308}), ("a negative score", {"result": "x", "score": -5}),
                             ("2000 commands", {"commands": [{"command_name": "publish_message", "args": {"content": "x", "to": ["ann"]}}] * 2000})):
            import shutil
            shutil.rmtree(box.dir / "hub", ignore_errors=True)
            folder = hub(box, "  ann: {prompt: x, tools: [list_files]}\n", json.dumps([{"answer": answer}]))
            drop(folder, "ann", "cmd_1.json", command("cmd_1", score_required="score" in name, **({"score_criteria": "x"} if "score" in name else {})))
            done = box.run("serve", "--until-idle", "--hub", "hub", timeout=120)
            log = events(box, "plan_a")
            tools = sum(1 for event in log if event["type"] == "tool_call_finished")
            succeeded = any(event["type"] == "command_succeeded" for event in log)
            tried.repelled(f"an answer with {name}", done.code in (0, 1, 3) and not succeeded and tools <= 4096, f"{done} {tools}")


def test_endless_tool_rounds_end(box):
    folder = hub(box, "  ann: {prompt: x, tools: [list_files]}\n", json.dumps([{"answer": {"tool_calls": [{"name": "list_files", "arguments": {}}]}}]))
    drop(folder, "ann", "cmd_1.json", command("cmd_1"))
    done = box.run("serve", "--until-idle", "--hub", "hub", timeout=120)
    with Attacks(box, "model answers") as tried:
        tools = sum(1 for event in events(box, "plan_a") if event["type"] == "tool_call_finished")
        tried.repelled("tools without end", done.code == 1 and tools < 300, f"{tools} {done}")
