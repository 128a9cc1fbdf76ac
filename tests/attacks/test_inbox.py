"""Whoever may write into one inbox: what they put there gives work to that agent, and nothing else."""

import json
import os
import socket

from attack import Attacks, command, drop, events, hub, letters

TEAM = ("  ann: {prompt: You are Ann.}\n  bob: {prompt: You are Bob., tools: [run_program], permissions: [run_program]}\n"
        "  chief: {prompt: You lead., permissions: [send_command]}\n  narrow: {prompt: x, permissions: [send_command], visibility: [ann]}\n")
PLAN = """plan: d
goal: g
tasks:
  - {id: a, agent: ann, prompt: Do a., gate: human}
  - {id: b, agent: bob, prompt: Do b., needs: [a]}
"""


def dag_hub(box):
    """A plan whose task b waits for another that waits for a person, so that commands may still come for it."""
    folder = hub(box, TEAM, '- answer: {result: "done"}\n')
    box.write("hub/plan.yaml", PLAN)
    box.run("run", "--plan", "plan.yaml", cwd=folder).expect(3)
    return folder, command_for_b(folder)


def command_for_b(folder):
    """As somebody makes it who has seen a's: it names the same DAG."""
    given = json.loads(next((folder / "agents/ann").rglob("cmd_a_001.json")).read_text())
    for name in ("idempotency_key", "payload_hash"):
        given.pop(name, None)
    return {**given, "task_id": "b", "prompt": "Run a program."}


def test_a_box_commands_only_its_owner(box):
    folder, given = dag_hub(box)
    with Attacks(box, "inbox files") as tried:
        number = 1
        for owner, may in (("ann", False), ("narrow", False), ("chief", True), ("bob", True)):
            for place in ("", "plan_d"):
                number += 1
                sent = {**given, "command_id": f"cmd_b_{number:03d}", "command_seq": number}
                drop(folder, owner, f"cmd_b_{number:03d}.json", sent, plan=place)
                box.run("serve", "--until-idle", "--hub", "hub")
                taken = any(event["type"] == "command_received" and event["command_id"] == sent["command_id"] for event in events(box, "plan_d"))
                codes = [letter["code"] for letter in letters(box) if sent["command_id"] in letter["file"]]
                if may:
                    assert taken, f"{owner} may: {letters(box)}"
                else:
                    tried.repelled(f"{owner}'s inbox{'/' + place if place else ''} commands bob", not taken and codes and codes[0] in
                                   ("PERMISSION_DENIED", "NOT_VISIBLE"), f"{taken} {codes}")


def test_special_files_are_refused(box):
    folder = hub(box)
    private = box.write("private.json", json.dumps(command("cmd_private")))
    inbox = folder / "agents/ann/inbox"
    inbox.mkdir(parents=True)
    os.symlink(private, inbox / "cmd_link.json")
    os.symlink("/dev/zero", inbox / "cmd_zero.json")
    os.symlink("/etc/passwd", inbox / "notes.md")
    os.symlink(inbox, inbox / "cmd_loop.json")
    os.symlink("/nonexistent", inbox / "cmd_dangling.json")
    os.mkfifo(inbox / "cmd_fifo.json")
    os.link(private, inbox / "cmd_hard.json")
    (inbox / "cmd_folder.json").mkdir()
    listener = socket.socket(socket.AF_UNIX)
    here = os.getcwd()
    os.chdir(inbox)
    listener.bind("cmd_socket.json")
    os.chdir(here)
    os.symlink(box.dir, inbox / "plan_link")
    with Attacks(box, "inbox files") as tried:
        served = box.run("serve", "--until-idle", "--hub", "hub", timeout=60)
        assert served.code in (0, 1, 3), served
        log = json.dumps(events(box, "plan_a"))
        for name in ("cmd_link", "cmd_zero", "cmd_loop", "cmd_dangling", "cmd_fifo", "cmd_hard", "cmd_folder", "cmd_socket"):
            tried.repelled(f"{name[4:]} as a command", "cmd_private" not in log and f'"{name}"' not in log, served.err)
        tried.repelled("a link as an input", "root:x:0" not in "".join(
            path.read_text(errors="replace") for path in (folder / "agents").rglob("*") if path.is_file() and not path.is_symlink()))
        tried.repelled("a link as a plan's folder", not (box.dir / ".processed").exists())
    listener.close()


BAD = {
    "a bomb of brackets": "[" * 100000, "deep objects": '{"a":' * 5000 + "1" + "}" * 5000, "a huge number": '{"command_id": 1e999999}',
    "not UTF-8": b'{"command_id": "\xff\xfe"}', "twice the same key": '{"command_id": "cmd_1", "command_id": "cmd_2"}', "nothing": "", "a list": "[]",
    "a text": '"x"', "null": "null", "a NUL": '{"command_id": "cmd_\\u0000x", "plan_id": "plan_a", "prompt": "x"}',
    "a path as id": json.dumps(command("../../../etc/cron.d/x")), "an absolute id": json.dumps(command("/etc/passwd")),
    "a path as plan": json.dumps(command("cmd_1", plan="../../x")), "a dot as plan": json.dumps(command("cmd_1", plan="..")),
    "a reserved plan": json.dumps(command("cmd_1", plan=".agenttalk")), "a long id": json.dumps(command("c" * 5000)),
    "a surrogate": '{"command_id": "cmd_\\ud800", "plan_id": "plan_a", "prompt": "x"}',
    "a path as input": json.dumps(command("cmd_1", required_inputs=["../../../../etc/passwd"])),
    "an absolute input": json.dumps(command("cmd_1", required_inputs=["/etc/passwd"])),
    "a path as output": json.dumps(command("cmd_1", on_complete={"send_to": ["ann"], "output_name": "../../evil"})),
    "an unknown receiver": json.dumps(command("cmd_1", on_complete={"send_to": ["../bob"]})),
    "a negative time": json.dumps(command("cmd_1", timeout=-5)), "an endless time": json.dumps(command("cmd_1", timeout=1e300)),
    "too large": json.dumps(command("cmd_1", prompt="x" * (2 << 20))),
}


def test_malformed_commands_do_nothing(box):
    with Attacks(box, "inbox files") as tried:
        folder = hub(box, "".join(f"  a{number}: {{prompt: x}}\n" for number in range(len(BAD))) + "  ann: {prompt: x}\n")
        for number, content in enumerate(BAD.values()):
            drop(folder, f"a{number}", f"cmd_{number}.json", content)
        served = box.run("serve", "--until-idle", "--hub", "hub")
        assert served.code in (0, 1, 3), served
        refused = letters(box)
        outside = [path for path in box.dir.iterdir() if path.name not in ("hub", ".local")]
        for number, name in enumerate(BAD):
            letter = [one for one in refused if one["file"] == f"cmd_{number}.json"]
            tried.repelled(f"a command with {name}", not outside and letter, f"{outside} {letter}")


def test_names_that_lead_elsewhere_are_not_used(box):
    folder = hub(box)
    names = ["-rf", "--help.json", "cmd_\x1b[2J.json", "cmd_\n.json", "cmd_\u202egpj.json", "a" * 250, "cmd_'$(touch pwned)'.json", "cmd_;id;.json", "con.json"]
    for name in names:
        drop(folder, "ann", name, command("cmd_x") if name.endswith("json") else "text")
    served = box.run("serve", "--until-idle", "--hub", "hub")
    with Attacks(box, "inbox files") as tried:
        for name in names:
            tried.repelled(f"the name {name[:20]!r}", served.code in (0, 1, 3) and not list(box.dir.rglob("pwned")) and "\x1b" not in served.err, served.err)
