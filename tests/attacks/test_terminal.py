"""Terminal escapes from models, files and configuration reach no reader, in text or in JSON."""

import json
import os
import pty
import select
import subprocess

from attack import SEEN, STEERING, Attacks, command, drop, hub

ALL = "".join(STEERING.values())


def steering_in(text):
    """The names of the characters that came through raw."""
    return [name for name, character in STEERING.items() if character in text] or (["another"] if SEEN.search(text) else [])


def check(tried, where, text):
    """One attack for each character that was sent there."""
    raw = steering_in(text)
    for name in STEERING:
        tried.repelled(f"{name} in {where}", name not in raw and "another" not in raw, repr(text[:300]))


def hostile_hub(box):
    spoof = f"fine{ALL}\x1b[2J\x1b[1;1Happroved"
    answers = json.dumps([
        {"when": {"agent": "ann", "command": "cmd_scored"},
         "answer": {"result": spoof, "score": 40, "score_explanation": spoof, "summary": spoof}},
        {"when": {"agent": "ann", "command": "cmd_bad"}, "answer": {"result": spoof, "rework": {"task_id": spoof, "reason": spoof}}},
        {"when": {"agent": "ann", "command": "cmd_ask", "attempt": 1},
         "answer": {"reason": spoof, "commands": [{"command_name": "ask_human", "args": {"question": spoof}}]}},
        {"when": {"agent": "ann", "command": "cmd_tool"},
         "answer": {"tool_calls": [{"name": "fly" + ALL, "arguments": {}}]}},
        {"answer": {"result": "done", "outputs": {}}}])
    folder = hub(box, answers=answers, agents="  ann: {prompt: You are Ann., permissions: [ask_human]}\n")
    drop(folder, "ann", "cmd_scored.json", command("cmd_scored", score_required=True, score_criteria="x", required_inputs=[]))
    drop(folder, "ann", "cmd_bad.json", command("cmd_bad"))
    drop(folder, "ann", "cmd_ask.json", command("cmd_ask"))
    drop(folder, "ann", "cmd_tool.json", command("cmd_tool"))
    drop(folder, "ann", "cmd_evil.json", command("cmd_x" + ALL))
    drop(folder, "ann", "cmd_keys.json", {**command("cmd_keys"), "surprise" + ALL: 1, "priority": ALL})
    return folder


def test_verbs_show_what_would_steer(box):
    hostile_hub(box)
    with Attacks(box, "terminal") as tried:
        served = box.run("serve", "--until-idle", "--hub", "hub")
        check(tried, "serve", served.out + served.err)
        for verb in (("status", "plan_a"), ("questions",), ("dead", "list"), ("log", "plan_a"), ("trace", "plan_a"),
                     ("replay", "plan_a"), ("plans",), ("agents",)):
            shown = box.run(*verb, "--hub", "hub")
            check(tried, " ".join(verb), shown.out + shown.err)
            shown = box.run(*verb, "--hub", "hub", "--json")
            assert verb[0] != "questions" or "approved" in shown.out, shown
            check(tried, " ".join(verb) + " --json", shown.out + shown.err)
            for line in filter(None, shown.out.split("\n")):
                json.loads(line)
        for letter in box.run("dead", "list", "--json", "--hub", "hub").json:
            shown = box.run("dead", "show", letter["id"], "--hub", "hub")
            check(tried, "dead show", shown.out + shown.err)


def test_configuration_and_files_are_shown_safely(box):
    with Attacks(box, "terminal") as tried:
        box.write("bad/agenttalk.yaml", json.dumps({"version": 1, "surprise" + ALL: 1}))
        for verb in (("validate", "bad/agenttalk.yaml"), ("serve", "--hub", "bad"), ("doctor", "--hub", "bad")):
            shown = box.run(*verb)
            check(tried, f"{verb[0]} of a configuration", shown.out + shown.err)
        box.write("odd.json", json.dumps({"command_id": "x" + ALL, "more" + ALL: ALL}))
        shown = box.run("validate", "odd.json")
        check(tried, "validate of a command", shown.out + shown.err)
        shown = box.run("no\u202everb\x1b[2J")
        check(tried, "an unknown verb", shown.out + shown.err)


def on_terminal(box, *arguments):
    """What a verb writes to a terminal, without what it draws with itself."""
    main, side = pty.openpty()
    process = subprocess.Popen([str(box.binary), *arguments], stdin=side, stdout=side, stderr=side, cwd=box.dir, close_fds=True,
                               env={"PATH": os.environ["PATH"], "HOME": str(box.dir), "LANG": "C.UTF-8", "TERM": "xterm"})
    os.close(side)
    said = b""
    while True:
        ready, _, _ = select.select([main], [], [], 30)
        try:
            piece = os.read(main, 65536) if ready else b""
        except OSError:
            break
        if not piece:
            break
        said += piece
    process.wait(30)
    os.close(main)
    return said.decode("utf-8", "replace")


def test_on_a_terminal_only_its_own_sequences_arrive(box):
    """Colours are used there; what a text forges of them is shown."""
    import re
    hostile_hub(box)
    box.run("serve", "--until-idle", "--hub", "hub")
    own = re.compile(r"\x1b\[(?:0|1|2|31|32|33)m|\x1b\[\d*[AKJ]|\x1b[78]|\r")
    with Attacks(box, "terminal") as tried:
        for verb in (("status", "plan_a"), ("questions",), ("dead", "list"), ("trace", "plan_a")):
            said = on_terminal(box, *verb, "--hub", "hub")
            raw = steering_in(own.sub("", said))
            tried.repelled(f"{verb[0]} on a terminal", not raw, repr(said[:300]))
            tried.repelled(f"{verb[0]} on a terminal: screen cleared", "\x1b[2J" not in said and "\x1b[1;1H" not in said)


def test_a_text_cannot_begin_a_line_of_its_own(box):
    """A newline in a name or a reason looks like a line that the program wrote."""
    spoofed = "plan_a  ann: cmd_bad  succeeded"
    folder = hub(box, agents="  ann: {prompt: x, tools: [list_files], repair_attempts: 0}\n",
                 answers=json.dumps([{"answer": {"tool_calls": [{"name": "fly\n" + spoofed, "arguments": {}}]}}]))
    drop(folder, "ann", "cmd_bad.json", command("cmd_bad"))
    drop(folder, "ann", "cmd_worse.json", command("cmd_x\n" + spoofed))
    with Attacks(box, "terminal") as tried:
        for verb in (("serve", "--until-idle"), ("status", "plan_a"), ("dead", "list"), ("trace", "plan_a"), ("log", "plan_a")):
            shown = box.run(*verb, "--hub", "hub")
            lines = (shown.out + shown.err).splitlines()
            tried.repelled(f"a line of {verb[0]}", not any(line.strip("│├└─ ").startswith(spoofed) for line in lines), lines)
