"""Programs that models run: what they try to reach, take and leave behind."""

import json
import os
import pathlib
import shutil
import subprocess
import time

from attack import Attacks, command, drop, events, hub, sandbox_missing

PROBE = pathlib.Path(__file__).resolve().parent / "probe.py"
AGENTS = "  ann: {prompt: You are Ann., tools: [run_program, write_file, read_file, search_files], permissions: [run_program]}\n"


def script(*calls):
    """A model that makes one tool call after the other."""
    answers = [{"when": {"agent": "ann", "attempt": number}, "answer": {"tool_calls": [{"name": name, "arguments": arguments}]}}
               for number, (name, arguments) in enumerate(calls, 1)]
    return json.dumps([*answers, {"answer": {"result": "done"}}])


def outputs(box):
    """What each tool call gave, in order."""
    found = []
    for event in events(box, "plan_a"):
        if event["type"] == "tool_call_finished":
            found.append(event["data"])
    return found


def texts_of_tools(box):
    """The tools' results as the next request to the model has them; the log keeps only their hashes."""
    record = box.dir / "cassette.jsonl"
    return record.read_text(encoding="utf-8") if record.exists() else ""


def run(box, *calls, inputs=(), folder=None, env=None, timeout=120):
    folder = folder or hub(box, AGENTS, script(*calls))
    for name, text in inputs:
        drop(folder, "ann", name, text, plan="plan_a")
    drop(folder, "ann", "cmd_1.json", command("cmd_1", required_inputs=[name for name, _ in inputs]))
    served = box.run("serve", "--until-idle", "--hub", folder, "--record", box.dir / "cassette.jsonl", timeout=timeout,
                     env={"CANARY_KEY": "CANARY", **(env or {})})
    assert served.code in (0, 1, 3), f"the attack did not even start: {served}"
    return served


def test_a_program_does_not_get_out(box):
    missing = sandbox_missing()
    with Attacks(box, "sandbox") as tried:
        if missing:
            tried.skipped("all of probe.py", missing)
            return
        outsider = subprocess.Popen(["sleep", "300"])
        try:
            served = run(box, ("run_program", {"argv": ["/usr/bin/python3", "-c", PROBE.read_text(), str(outsider.pid),
                                                        str(box.dir / "hub/agenttalk.yaml"), str(box.dir), str(box.binary), "/root"]}))
            tried.repelled("a process of the host is gone", outsider.poll() is None, outsider.returncode)
        finally:
            outsider.kill()
            outsider.wait()
        assert served.code == 0, served.err
        text = texts_of_tools(box)
        found = find_results(text)
        assert found, text[-3000:]
        for name, (succeeded, detail) in found.items():
            tried.repelled(name.replace(str(box.dir), "HUB"), not succeeded, detail)
        work = box.dir / "hub/agents/ann/workspace/plan_a/cmd_1/work"
        left = [str(path) for path in work.rglob("*") if path.is_file() and path.stat().st_mode & 0o6000]
        tried.repelled("a setuid file is left behind", not left, left)


def find_results(text):
    """The probe's line, however often it was quoted on its way."""
    for line in text.splitlines():
        for value in strings(json.loads(line)):
            for part in value.splitlines():
                if part.startswith('{"a new') or part.startswith('{"setuid'):
                    try:
                        return json.loads(part)
                    except ValueError:
                        pass
    return None


def strings(value):
    if isinstance(value, str):
        yield value
        if value.startswith(("{", "[")):
            try:
                yield from strings(json.loads(value))
            except ValueError:
                pass
    elif isinstance(value, dict):
        for one in value.values():
            yield from strings(one)
    elif isinstance(value, list):
        for one in value:
            yield from strings(one)


def test_what_a_program_may_take_is_limited(box):
    missing = sandbox_missing()
    with Attacks(box, "sandbox") as tried:
        hogs = (("memory", "x = bytearray(3 << 30)\nfor i in range(0, len(x), 4096): x[i] = 1\nprint('had it')"),
                ("memory of children", "import os\nfor _ in range(4):\n  if os.fork() == 0:\n    x = bytearray(1 << 30)\n    for i in range(0, len(x), 4096): x[i] = 1\n    import time; time.sleep(20); os._exit(0)\nfor _ in range(4): os.wait()\nprint('had it')"),
                ("output", "print('x' * (64 << 20)); print('had it')"),
                ("time", "import time\ntime.sleep(60)\nprint('had it')"))
        if missing:
            for name, _ in hogs:
                tried.skipped(f"too much {name}", missing)
            return
        for name, source in (("nothing", "print('x')\nprint('had it')"), *hogs):
            shutil.rmtree(box.dir / "hub", ignore_errors=True)
            (box.dir / "cassette.jsonl").unlink(missing_ok=True)
            begin = time.monotonic()
            more = {"timeout_seconds": 3} if name == "time" else {}
            run(box, ("run_program", {"argv": ["/usr/bin/python3", "-c", source], **more}))
            took = time.monotonic() - begin
            texts = "".join(part for line in texts_of_tools(box).splitlines() for part in strings(json.loads(line)))
            if name == "nothing":  # what takes little is let be, and is seen to end
                assert "\nhad it" in texts, texts[-2000:]
                continue
            tried.repelled(f"too much {name}", "\nhad it" not in texts and took < 45, f"{took:.0f} s {texts[-500:]}")


def test_a_program_cannot_fill_the_disk(box):
    """On a small disk of its own: it is stopped before nothing is left for the hub."""
    missing = sandbox_missing()
    small = box.dir / "small"
    small.mkdir()
    if not missing and (os.geteuid() != 0 or os.system(f"mount -t tmpfs -o size=64m none {small} 2>/dev/null") != 0):
        missing = "only root can make a small disk"
    with Attacks(box, "sandbox") as tried:
        if missing:
            tried.skipped("filling the disk", missing)
            return
        try:
            fill = "import time\nwhile True:\n  try:\n    open('work/%d' % time.monotonic_ns(), 'wb').write(bytes(1 << 20))\n  except OSError: pass\n  time.sleep(0.02)"
            folder = hub(box, AGENTS, script(("run_program", {"argv": ["/usr/bin/python3", "-c", fill], "timeout_seconds": 30})), name="small/hub")
            served = run(box, folder=folder)
            used = shutil.disk_usage(small)
            tried.repelled("filling the disk", served.code == 0 and used.free > 8 << 20, f"{served} {used}")
            drop(folder, "ann", "cmd_2.json", command("cmd_2"))
            after = box.run("serve", "--until-idle", "--hub", folder, "--answers", box.write("a.yaml", "- answer: {result: done}\n"))
            tried.repelled("the hub stops with it", after.code == 0, str(after))
        finally:
            os.system(f"umount -l {small}")


def test_a_hub_below_usr_is_not_seen(box):
    missing = sandbox_missing() or (os.geteuid() != 0 and "only root can make a hub there")
    with Attacks(box, "sandbox") as tried:
        if missing:
            tried.skipped("a hub below /usr", missing)
            return
        place = pathlib.Path("/usr/local") / box.dir.name
        try:
            place.mkdir()
            box_dir, box.dir = box.dir, place
            folder = hub(box, AGENTS, script(("run_program", {"argv": ["/usr/bin/find", str(place), "-type", "f"]})))
            box.dir = box_dir
            run(box, folder=folder)
            texts = "".join(part for line in texts_of_tools(box).splitlines() for part in strings(json.loads(line)))
            tried.repelled("a hub below /usr", "exit code" in texts and "answers.yaml" not in texts.split("--- output")[-1], texts[-600:])
        finally:
            shutil.rmtree(place, ignore_errors=True)


def test_long_tools_do_not_hold_up_the_hub(box):
    """150 sparse files of 64 MiB are searched; other agents work meanwhile."""
    agents = AGENTS + "  bob: {prompt: You are Bob.}\n"
    folder = hub(box, agents, json.dumps([
        {"when": {"agent": "ann", "attempt": 1}, "answer": {"tool_calls": [{"name": "search_files", "arguments": {"text": "needle"}}]}},
        {"answer": {"result": "done"}}]))
    work = folder / "agents/ann/workspace/plan_a/cmd_1/work"
    work.mkdir(parents=True)
    for number in range(150):
        with open(work / f"sparse{number}", "wb") as file:
            file.truncate(64 << 20)
    drop(folder, "ann", "cmd_1.json", command("cmd_1"))
    drop(folder, "bob", "cmd_2.json", command("cmd_2"))
    served = box.run("serve", "--until-idle", "--hub", "hub", "--record", box.dir / "cassette.jsonl", timeout=120)
    with Attacks(box, "sandbox") as tried:
        tried.repelled("a search that reads without end", served.code == 0 and "stopped after 256 MiB" in texts_of_tools(box), str(served))
        log = events(box, "plan_a")
        bob = next(number for number, event in enumerate(log) if event["type"] == "command_succeeded" and event["command_id"] == "cmd_2")
        searched = next(number for number, event in enumerate(log) if event["type"] == "tool_call_finished")
        tried.repelled("a search that holds up others", bob < searched)


def test_fixed_places_do_not_lead_out(box):
    """A link where a folder of the hub is expected."""
    private = box.write("private/id_key", "PRIVATE-KEY-OF-THE-USER").parent
    with Attacks(box, "sandbox") as tried:
        folder = hub(box, AGENTS, script(("write_file", {"path": "work/evil.txt", "content": "x"}), ("read_file", {"path": "work/id_key"})))
        (folder / "agents/ann").mkdir(parents=True)
        os.symlink(private, folder / "agents/ann/workspace")
        run(box, folder=folder)
        tried.repelled("workspace is a link", sorted(path.name for path in private.iterdir()) == ["id_key"], list(private.iterdir()))
        (folder / "agents/ann/workspace").unlink()
        for depth, place in (("plan", "agents/ann/workspace/plan_b"), ("command", "agents/ann/workspace/plan_b/cmd_b"),
                             ("work", "agents/ann/workspace/plan_b/cmd_b/work"), ("outputs", "agents/ann/workspace/plan_b/cmd_b/outputs"),
                             ("inputs", "agents/ann/workspace/plan_b/cmd_b/inputs")):
            shutil.rmtree(folder / "agents/ann/workspace", ignore_errors=True)
            (folder / place).parent.mkdir(parents=True, exist_ok=True)
            os.symlink(private, folder / place)
            drop(folder, "ann", f"cmd_{depth}.json", command("cmd_b" if depth != "plan" else "cmd_p", plan="plan_b"))
            before = (private.stat().st_uid, private.stat().st_mode)
            box.run("serve", "--until-idle", "--hub", "hub")
            safe = sorted(path.name for path in private.iterdir()) == ["id_key"] and (private.stat().st_uid, private.stat().st_mode) == before
            tried.repelled(f"the {depth} folder of a task is a link", safe, list(private.iterdir()))
        tried.repelled("a link led to the key", "PRIVATE-KEY" not in texts_of_tools(box))


def test_files_of_a_plan_are_no_links(box):
    box.write("private/id_key", "PRIVATE-KEY-OF-THE-USER")
    folder = hub(box)
    plan = "plan: x\ngoal: g\nfiles: [{}]\ntasks:\n  - {{id: a, agent: ann, prompt: Do., inputs: [notes.md]}}\n"
    with Attacks(box, "sandbox") as tried:
        os.symlink(box.dir / "private/id_key", folder / "notes.md")
        box.write("hub/plan.yaml", plan.format("notes.md"))
        done = box.run("run", "--plan", "plan.yaml", "--record", "c.jsonl", cwd=folder)
        tried.repelled("files: names a link", done.code != 0 and not list((folder / "agents").rglob("notes.md")), str(done))
        (folder / "notes.md").unlink()
        os.symlink(box.dir / "private", folder / "docs")
        box.write("hub/plan.yaml", plan.format("docs/id_key").replace("notes.md", "id_key"))
        done = box.run("run", "--plan", "plan.yaml", cwd=folder)
        tried.repelled("files: goes through a link", done.code != 0, str(done))
        for glob in ("'*.md'", "'d*/id_key'"):
            os.path.lexists(folder / "notes.md") or os.symlink(box.dir / "private/id_key", folder / "notes.md")
            box.write("hub/plan.yaml", plan.format(glob))
            done = box.run("run", "--plan", "plan.yaml", cwd=folder)
            tried.repelled(f"files: matches a link with {glob}", done.code != 0, str(done))
