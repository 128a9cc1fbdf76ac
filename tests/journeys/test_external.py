"""Journeys of agents that another program plays, and of files that are dropped before anything is decided about them."""

import json
import pathlib
import re
import shutil
import signal
import subprocess

from journey import Journey, wait_for

AGENTS = {"writer": {"name": "Writer", "prompt": "You write.", "runtime": "external"},
          "editor": {"name": "Editor", "prompt": "You edit."}}
PLAN = """
plan: book
files: [notes.md]
tasks:
  - {id: write, agent: writer, prompt: Write two pages., inputs: [notes.md], outputs: [a.md, b.md], RETRY timeout: 600}
  - {id: edit, agent: editor, prompt: Join the pages., inputs: [a.md, b.md], outputs: [book.md]}
"""
INBOX = "agents/writer/inbox/plan_book"
OUTBOX = "agents/writer/outbox/plan_book"
EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples" / "external-agent"


def mind(request):
    pages = [request.find(rf"PAGE {name}: (.*)", f"the page {name}") for name in "AB"]
    return json.dumps({"result": " ".join(pages)})


def book(box, retry="", **config):
    hub = Journey(box, mind, AGENTS, **config)
    hub.write("notes.md", "Notes.\n")
    hub.write("plan.yaml", PLAN.replace("RETRY", retry))
    return hub


def open_commands(hub, inbox=INBOX):
    """As an agent looks for them."""
    return sorted(path.name for path in hub.dir.glob(f"{inbox}/cmd_*.json"))


def wait_for_command(hub):
    wait_for(lambda: open_commands(hub), "the command")
    assert open_commands(hub) == ["cmd_write_001.json"], open_commands(hub)


def answer(hub, result, name="cmd_write_001"):
    hub.drop(f"{OUTBOX}/result_{name}.json", result)


def answer_well(hub):
    hub.drop(f"{OUTBOX}/a.md", "PAGE A: once")
    hub.drop(f"{OUTBOX}/b.md", "PAGE B: upon a time")
    answer(hub, {"result": "two pages"})


def expect_book(hub):
    assert hub.read("plans/plan_book/deliverables/book.md") == "once upon a time"
    assert open_commands(hub) == [], open_commands(hub)


def events(hub, name):
    lines = hub.agenttalk("log", "plan_book", "--json").expect(0).out.splitlines()
    return [event["data"] for event in map(json.loads, lines) if event["type"] == name]


def expect_untouched(hub):
    """Nothing of the engine's own was taken in, and nothing refused."""
    told = hub.agenttalk("log", "plan_book", "--json").expect(0).out
    assert "command_repeated" not in told, told
    assert not list(hub.dir.glob("dead_letter/**/*.json")), list(hub.dir.glob("dead_letter/**/*"))


def interrupt(process, how):
    process.send_signal(signal.SIGTERM if how == "stop" else signal.SIGKILL)
    process.wait(30)


def test_a_command_is_in_the_inbox_once_whatever_happens_to_serve(box):
    with book(box) as hub:
        hub.start()
        runner = hub.spawn("run", "--plan", "plan.yaml", "--quiet")
        wait_for_command(hub)
        interrupt(runner, "kill")
        for how in ("stop", "kill", "stop", "stop", "kill"):
            hub.restart(how)
            wait_for(lambda: hub.json("status", "plan_book")["state"] == "running", "the plan")
            assert open_commands(hub) == ["cmd_write_001.json"], (how, open_commands(hub))
        hub.stop()
        hub.agenttalk("repair").expect(0)
        assert open_commands(hub) == ["cmd_write_001.json"]
        moved = hub.dir.parent / "moved"
        shutil.copytree(hub.dir, moved, symlinks=True)
        shutil.rmtree(hub.dir)
        hub.dir = moved
        hub.start()
        assert open_commands(hub) == ["cmd_write_001.json"]
        # An engine that comes up while the result waits.
        hub.kill()
        answer_well(hub)
        hub.start()
        wait_for(lambda: hub.json("status", "plan_book")["state"] == "completed", "the end")
        expect_book(hub)
        expect_untouched(hub)
        before = hub.agenttalk("log", "plan_book", "--json").out
        hub.restart()
        assert hub.agenttalk("log", "plan_book", "--json").out == before, "a second start changed something"
        expect_book(hub)


def test_a_run_that_is_interrupted_finds_its_external_agent_again(box):
    for how in ("stop", "kill"):
        with book(box, name=f"hub_{how}") as hub:
            for _ in range(3):
                runner = hub.spawn("run", "--plan", "plan.yaml", "--quiet")
                wait_for_command(hub)
                interrupt(runner, how)
                assert open_commands(hub) == ["cmd_write_001.json"], (how, open_commands(hub))
            answer_well(hub)
            ended = hub.agenttalk("run", "--plan", "plan.yaml", "--json").expect(0).json
            assert ended["state"] == "completed", ended
            expect_book(hub)
            expect_untouched(hub)


def test_lazy_mirrors_deliver_to_external_agents_too(box):
    with book(box, mirror="lazy") as hub:
        for how in ("stop", "kill"):
            runner = hub.spawn("run", "--plan", "plan.yaml", "--quiet")
            wait_for_command(hub)
            interrupt(runner, how)
            assert open_commands(hub) == ["cmd_write_001.json"], (how, open_commands(hub))
        answer_well(hub)
        hub.agenttalk("run", "--plan", "plan.yaml", "--json").expect(0)
        expect_book(hub)
        expect_untouched(hub)


def test_a_delivered_command_names_the_outputs_and_is_valid(box):
    with book(box) as hub:
        runner = hub.spawn("run", "--plan", "plan.yaml", "--quiet")
        wait_for_command(hub)
        command = json.loads(hub.read(f"{INBOX}/cmd_write_001.json"))
        assert command["outputs"] == ["a.md", "b.md"], command
        checked = hub.agenttalk("validate", f"{INBOX}/cmd_write_001.json").expect(0)
        assert "payload_hash" not in checked.out + checked.err, checked
        answer_well(hub)
        assert runner.wait(30) == 0


def test_a_result_without_a_declared_output_is_refused_and_the_command_stays_open(box):
    with book(box) as hub:
        runner = hub.spawn("run", "--plan", "plan.yaml", "--quiet")
        wait_for_command(hub)
        hub.drop(f"{OUTBOX}/a.md", "PAGE A: once")
        answer(hub, {"result": "one page"})
        reason = hub.dir / INBOX / "refused_cmd_write_001.json"
        wait_for(reason.exists, "the reason")
        told = json.loads(reason.read_text())
        assert told["code"] == "MODEL_OUTPUT_INVALID" and "b.md" in json.dumps(told["errors"]), told
        assert open_commands(hub) == ["cmd_write_001.json"]
        interrupt(runner, "stop")
        # The reason is the engine's own file as well: no input, not after a restart either.
        runner = hub.spawn("run", "--plan", "plan.yaml", "--quiet")
        wait_for(lambda: hub.json("status", "plan_book")["state"] == "running", "the plan")
        assert reason.exists() and open_commands(hub) == ["cmd_write_001.json"]
        hub.drop(f"{OUTBOX}/b.md", "PAGE B: upon a time")
        answer(hub, {"result": "two pages"})
        assert runner.wait(30) == 0, runner.stderr.read()
        assert not reason.exists()
        expect_book(hub)
        names = [event.get("name") for event in events(hub, "input_arrived")]
        assert not any(str(name).startswith("refused_") for name in names), names


def test_an_external_agent_reports_that_it_failed(box):
    with book(box, retry="retry_times: 1,") as hub:
        runner = hub.spawn("run", "--plan", "plan.yaml", "--quiet")
        wait_for_command(hub)
        inode = (hub.dir / INBOX / "cmd_write_001.json").stat().st_ino
        answer(hub, {"error": {"message": "the archive is closed", "retry": True}})

        def again():
            path = hub.dir / INBOX / "cmd_write_001.json"
            return path.exists() and path.stat().st_ino != inode
        wait_for(again, "the second attempt")
        answer(hub, {"error": {"message": "the archive burnt down", "retry": False}})
        assert runner.wait(30) == 1, runner.stderr.read()
        status = hub.json("status", "plan_book")
        task = next(one for one in status["tasks"] if one["task_id"] == "write")
        assert task["state"] == "FAILED" and "the archive burnt down" in json.dumps(status), status
        failed = events(hub, "attempt_failed")
        assert len(failed) == 1 and failed[0]["code"] == "AGENT_FAILED", failed
        assert open_commands(hub) == []


def test_what_is_neither_result_nor_error_is_refused(box):
    with book(box) as hub:
        runner = hub.spawn("run", "--plan", "plan.yaml", "--quiet")
        wait_for_command(hub)
        for bad, word in (({"error": {}}, "message"), ({"error": {"message": "x", "retry": "yes"}}, "retry"),
                          ({"result": "x", "error": {"message": "y"}}, "either")):
            answer(hub, bad)
            reason = hub.dir / INBOX / "refused_cmd_write_001.json"
            wait_for(lambda: reason.exists() and word in reason.read_text(), f"the reason for {bad}")
        answer_well(hub)
        assert runner.wait(30) == 0, runner.stderr.read()


def example(hub, language, *program):
    runner = {"py": ["python3"], "sh": ["bash"]}[language]
    return subprocess.Popen([*runner, str(EXAMPLES / f"agent.{language}"), str(hub.dir), "writer", *program],
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def test_the_example_agents_bring_every_output_and_report_failures(box):
    script = box.dir / "program.sh"
    # The program is told what is wanted and where to put it.
    script.write_text('#!/bin/sh\n[ -e "$FAIL" ] && { echo "no ink" >&2; exit 3; }\n'
                      'cat >/dev/null; echo "PAGE A: once" >a.md; echo "PAGE B: upon a time" >b.md; echo done\n')
    script.chmod(0o755)
    for language in ("py", "sh"):
        with book(box, name=f"hub_{language}") as hub:
            agent = example(hub, language, "env", "FAIL=/nonexistent", str(script))
            try:
                hub.agenttalk("run", "--plan", "plan.yaml", "--json").expect(0)
                assert hub.read("plans/plan_book/deliverables/book.md") == "once upon a time"
            finally:
                agent.kill()
                agent.wait()
        with book(box, name=f"failing_{language}") as hub:
            agent = example(hub, language, "env", "FAIL=/", str(script))
            try:
                hub.agenttalk("run", "--plan", "plan.yaml", "--json").expect(1)
                assert "no ink" in json.dumps(hub.json("status", "plan_book"))
            finally:
                agent.kill()
                agent.wait()


# Files that are there before anything is decided.

def reader_mind(request):
    found = sorted(set(re.findall(r"FACT (\w+)", request.user)))
    return json.dumps({"result": "facts: " + " ".join(found)})


READER = {"reader": {"name": "Reader", "prompt": "You read."}}
OPEN = {"command_id": "cmd_1", "plan_id": "plan_x", "prompt": "Say the facts.", "required_inputs": ["f.txt"],
        "wait_for_inputs": False, "on_complete": {"output_name": "out.md", "send_to": ["human"]}}


def said(hub):
    path = hub.dir / "human/inbox/plan_x/out.md"
    wait_for(path.exists, "the result")
    return path.read_text()


def test_an_input_that_was_dropped_before_its_command_counts(box):
    with Journey(box, reader_mind, READER) as hub:
        hub.drop("agents/reader/inbox/plan_x/f.txt", "FACT one")
        hub.drop("agents/reader/inbox/cmd_1.json", OPEN)
        hub.start()
        assert said(hub) == "facts: one"


def test_a_new_plan_folder_on_a_running_hub_is_read_before_its_command(box):
    for arguments in ((), ("--scan-only",)):
        config = {"heartbeat": {"interval_seconds": 1}}
        with Journey(box, reader_mind, READER, name=f"hub{len(arguments)}", **config) as hub:
            hub.start(*arguments)
            for number in range(12 if not arguments else 3):
                plan = f"plan_{number}"
                hub.drop(f"agents/reader/inbox/{plan}/f.txt", f"FACT n{number}")
                hub.drop("agents/reader/inbox/cmd_1.json", {**OPEN, "plan_id": plan})
                path = hub.dir / f"human/inbox/{plan}/out.md"
                wait_for(path.exists, "the result")
                assert path.read_text() == f"facts: n{number}", (arguments, number)


def test_a_glob_sees_every_file_that_is_there(box):
    command = {**OPEN, "required_inputs": ["feedback_*.txt"], "wait_for_inputs": True}
    with Journey(box, reader_mind, READER, heartbeat={"interval_seconds": 1}) as hub:
        hub.drop("agents/reader/inbox/cmd_1.json", command)
        hub.start("--scan-only")
        wait_for(lambda: "waiting_inputs" in json.dumps(hub.json("status", "plan_x")), "the command")
        # All of them appear at once: the folder is filled elsewhere and moved into place.
        hub.write("elsewhere/feedback_1.txt", "FACT one")
        hub.write("elsewhere/feedback_2.txt", "FACT two")
        hub.write("elsewhere/feedback_3.txt", "FACT zhree")
        target = hub.dir / "agents/reader/inbox/plan_x"
        if target.exists():
            target.rmdir()
        (hub.dir / "elsewhere").rename(target)
        assert said(hub) == "facts: one two zhree"
