"""A program that plays an agent: it has its own folder, and no right that its owner did not give."""

import json
import os

from attack import Attacks, command, drop, events, hub, letters
from test_inbox import PLAN, command_for_b

TEAM = ("  ann: {prompt: You are Ann.}\n  bob: {prompt: You are Bob., tools: [run_program], permissions: [run_program]}\n"
        "  ext: {runtime: external}\n")


def agents_of(box):
    return {agent["agent_id"] if "agent_id" in agent else agent["id"]: agent for agent in box.run("agents", "--json", "--hub", "hub").expect(0).json}


GRABS = {
    "permissions": ["send_command", "run_program", "plan", "append_task", "reset_task:any"], "tools": ["run_program", "read_file"],
    "visibility": ["ann", "bob"], "provider": "other", "model": "gpt-5", "runtime": "builtin", "max_parallel": 1000, "repair_attempts": 100,
}


def test_a_profile_grants_no_rights(box):
    """agents/ext/agent_profile.json, which the program can write, adds words."""
    with Attacks(box, "external agents") as tried:
        for key, value in GRABS.items():
            folder = hub(box, TEAM.replace("{runtime: external}", "{runtime: external, visibility: [ann]}"))
            box.write("hub/agents/ext/agent_profile.json", {"agent_id": "ext", "name": "Words", key: value})
            served = box.run("serve", "--until-idle", "--hub", "hub")
            served.expect(0)
            if key == "visibility":
                log = json.dumps(events(box, "plan_none"))
                shown = box.run("log", "--json", "--hub", "hub").out
                tried.repelled("a profile widens visibility", '"visibility":["ann","bob"]' not in shown.replace(" ", ""), shown[-500:])
            else:
                tried.repelled(f"a profile grants {key}", f"ext: {key}" in served.err and "does not count" in served.err, str(served))


def test_a_profile_cannot_hold_up_or_stop_a_start(box):
    hub(box, TEAM)
    place = box.dir / "hub/agents/ext/agent_profile.json"
    place.parent.mkdir(parents=True)

    def fifo():
        os.mkfifo(place)
    with Attacks(box, "external agents") as tried:
        for name, make in (("a FIFO", fifo), ("broken JSON", lambda: place.write_text("{")), ("a link to /dev/zero", lambda: os.symlink("/dev/zero", place)),
                           ("a link to a secret", lambda: os.symlink("/etc/shadow", place)), ("a folder", place.mkdir),
                           ("another's name", lambda: place.write_text('{"agent_id": "bob"}')), ("unknown keys", lambda: place.write_text('{"agent_id": "ext", "x": 1}')),
                           ("visible to nobody", lambda: place.write_text('{"agent_id": "ext", "visibility": ["nobody"]}')),
                           ("too large", lambda: place.write_text(" " * (2 << 20))), ("deep JSON", lambda: place.write_text("[" * 100000)),
                           ("not UTF-8", lambda: place.write_bytes(b'{"name": "\xff"}'))):
            make()
            for verb in (("serve", "--until-idle"), ("agents",), ("doctor",)):
                done = box.run(*verb, "--hub", "hub", timeout=30)
                tried.repelled(f"a profile that is {name}, {verb[0]}", done.code == 0 and "root:" not in done.out + done.err, str(done))
            place.rmdir() if place.is_dir() and not place.is_symlink() else place.unlink()


def leave(folder, name, content, plan="plan_d"):
    outbox = folder / "agents/ext/outbox" / plan
    outbox.mkdir(parents=True, exist_ok=True)
    (outbox / name).write_text(content if isinstance(content, str) else json.dumps(content))
    return outbox / name


def test_an_outbox_commands_nobody_without_the_permission(box):
    with Attacks(box, "external agents") as tried:
        for team, may in ((TEAM, False), (TEAM.replace("runtime: external", "runtime: external, permissions: [send_command]"), True),
                          (TEAM.replace("runtime: external", "runtime: external, permissions: [send_command], visibility: [ann]"), False)):
            import shutil
            shutil.rmtree(box.dir / "hub", ignore_errors=True)
            folder = hub(box, team, '- answer: {result: "done"}\n')
            box.write("hub/plan.yaml", PLAN)
            box.run("run", "--plan", "plan.yaml", cwd=folder).expect(3)
            sent = {**command_for_b(folder), "command_id": "cmd_b_002", "command_seq": 2}
            leave(folder, "cmd_b_002.json", sent)
            box.run("serve", "--until-idle", "--hub", "hub")
            taken = any(event["type"] == "command_received" and event["command_id"] == "cmd_b_002" for event in events(box, "plan_d"))
            if may:
                assert taken, letters(box)
            else:
                tried.repelled("an outbox commands bob" + (" beyond its visibility" if "send_command" in team else ""), not taken, letters(box))


def test_results_and_outputs_are_its_own(box):
    folder = hub(box, TEAM, '- answer: {result: "done"}\n')
    box.write("hub/plan.yaml", PLAN)
    box.run("run", "--plan", "plan.yaml", cwd=folder).expect(3)
    before = box.run("status", "plan_d", "--json", "--hub", "hub").json
    with Attacks(box, "external agents") as tried:
        attempts = {"a result for another's command": ("result_cmd_a_001.json", {"result": "forged"}), "a result of a path": ("result_..json", {"result": "x"}),
                    "a response nobody asked for": ("response_x.json", {"response": "x"}), "a named output": ("evil.md", "x"),
                    "an answer to a question": ("answer_q_1.json", {"id": "q_1", "decision": "approve"}),
                    "a command without a task": ("cmd_free.json", command("cmd_free", plan="plan_d"))}
        for name, (file, content) in attempts.items():
            leave(folder, file, content)
        for target in ("/etc/passwd", "/dev/zero"):
            os.symlink(target, folder / "agents/ext/outbox/plan_d" / f"result_{os.path.basename(target)}.json")
        os.mkfifo(folder / "agents/ext/outbox/plan_d/result_fifo.json")
        served = box.run("serve", "--until-idle", "--hub", "hub")
        after = box.run("status", "plan_d", "--json", "--hub", "hub").json
        same = [task["state"] for task in before["tasks"]] == [task["state"] for task in after["tasks"]]
        for name in attempts:
            tried.repelled(name, same and "forged" not in json.dumps(events(box, "plan_d")), served.err)
        for name in ("a link to a file as a result", "a link to a device as a result", "a FIFO as a result"):
            tried.repelled(name, served.code in (0, 1, 3), served.err)
