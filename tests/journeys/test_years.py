"""A hub that lives for years: finished plans are listed without being read, removed, put away as archives and taken in again."""

import hashlib
import http.client
import io
import json
import os
import signal
import socket
import sqlite3
import subprocess
import tarfile
import threading
import time

from journey import Journey, wait_for

TEAM = {"writer": {"name": "Writer", "prompt": "You write."}}


def plan(name, goal="A line", task="write", prompt="Write one line."):
    return json.dumps({"plan": name, "goal": goal, "tasks": [
        {"id": task, "agent": "writer", "prompt": prompt, "outputs": ["line.md"]}]})


def mind(request):
    request.need("line.md")
    return json.dumps({"result": f"a line for: {request.find(r'(Write one line[^.]*)', 'the prompt')}\n"})


def run(hub, name, code=0, **more):
    hub.write("plan.yaml", plan(name, **more))
    return hub.agenttalk("run", "--plan", "plan.yaml", "--json").expect(code)


def ids(listed):
    return [one["plan_id"] for one in listed]


def test_plans_are_listed_by_page_state_text_and_time(box):
    with Journey(box, mind, TEAM) as hub:
        hub.start()
        for i in range(7):
            run(hub, f"n{i}", goal=f"Number {i} of 100% of the Bees" if i % 2 else "蜜蜂")
        everything = hub.json("plans")
        assert ids(everything) == [f"plan_n{i}" for i in reversed(range(7))], everything
        assert all(one["state"] == "completed" and one["tasks_total"] == 1 and one["created_at"] <= one["updated_at"]
                   for one in everything), everything

        pages, after = [], []
        while True:
            page = hub.json("plans", "--limit", "3", *after)
            pages += ids(page)
            if len(page) < 3:
                break
            after = ["--after", page[-1]["plan_id"]]
        assert pages == ids(everything), pages
        assert "--after plan_n4" in hub.agenttalk("plans", "--limit", "3").expect(0).err

        assert ids(hub.json("plans", "--text", "BEES")) == ["plan_n5", "plan_n3", "plan_n1"]
        assert ids(hub.json("plans", "--text", "100% of")) == ["plan_n5", "plan_n3", "plan_n1"]
        assert ids(hub.json("plans", "--text", "蜜")) == ["plan_n6", "plan_n4", "plan_n2", "plan_n0"]
        assert ids(hub.json("plans", "--text", "_0")) == []
        assert ids(hub.json("plans", "--state", "failed")) == []
        assert ids(hub.json("plans", "--since", "1h", "--limit", "2")) == ["plan_n6", "plan_n5"]
        assert ids(hub.json("plans", "--since", everything[2]["updated_at"])) == ["plan_n6", "plan_n5", "plan_n4"]
        for bad in (["--limit", "0"], ["--limit", "x"], ["--state", "odd"], ["--since", "soon"], ["--after", "plan_none"]):
            hub.agenttalk("plans", *bad).expect(2)

        # A live plan is shown as it is, whatever the index last heard of it.
        hub.drop("agents/writer/inbox/cmd_open.json", {"command_id": "cmd_open", "plan_id": "plan_open", "prompt": "Write one line.",
                                                       "required_inputs": ["facts.md"]})
        wait_for(lambda: ids(hub.json("plans", "--state", "waiting")) == ["plan_open"], "the waiting plan")
        assert ids(hub.json("plans", "--limit", "1")) == ["plan_open"]
        hub.agenttalk("pause", "plan_open").expect(0)
        assert ids(hub.json("plans", "--state", "paused")) == ["plan_open"] and not hub.json("plans", "--state", "waiting")
        hub.restart("kill")
        assert ids(hub.json("plans", "--state", "paused")) == ["plan_open"] and hub.json("plans")[1:] == everything
        hub.agenttalk("cancel", "plan_open").expect(0)
        assert ids(hub.json("plans", "--state", "cancelled")) == ["plan_open"] and not hub.json("plans", "--state", "paused")
        hub.stop()
        assert hub.json("plans")[1:] == everything, "without a server as with one"
        assert ids(hub.json("plans", "--state", "cancelled")) == ["plan_open"]
        # The last plan of a page may be gone when the next page is asked for.
        hub.agenttalk("gc", "plan_n4").expect(0)
        gone = hub.json("plans", "--after", "plan_n4")["error"]
        assert gone["code"] == "PLAN_UNKNOWN" and "another plan of that page" in gone["hint"], gone
        assert ids(hub.json("plans", "--after", "plan_n5", "--limit", "1")) == ["plan_n3"]


def test_a_journal_of_an_older_program_gets_its_index(box):
    with Journey(box, mind, TEAM) as hub:
        for i in range(3):
            run(hub, f"n{i}", goal=f"Number {i}")
        listed = hub.json("plans")
        journal = hub.dir / ".agenttalk/journal.db"
        back_to_version_one(journal)
        # Beside a hub that nobody has brought up to date every plan is read, and the list is the same but for its beginning.
        old = hub.json("plans")
        assert [dict(one, created_at=None) for one in listed] == old, old
        assert hub.json("dead", "list") == []
        hub.start()
        assert hub.json("plans") == listed
        hub.stop()
        assert hub.json("plans") == listed


def ask(hub, method, parameters):
    """Through the server's socket: a program for each of hundreds of plans would take minutes."""
    client = http.client.HTTPConnection("agenttalk")
    folder = os.open(hub.dir / ".agenttalk", os.O_PATH)
    client.sock = socket.socket(socket.AF_UNIX)
    client.sock.connect(f"/proc/self/fd/{folder}/agenttalk.sock")
    client.request("POST", f"/v1/{method}", json.dumps(parameters), {"Content-Type": "application/json"})
    answer = client.getresponse()
    body = json.loads(answer.read())
    client.close()
    os.close(folder)
    assert answer.status == 200, body
    return body


def hand_in(hub, names):
    for name in names:
        dag = {"schema_version": "1.1", "plan_id": name, "nodes": [
            {"task_id": "write", "prompt": f"Write one line about {name}.", "assigned_agent_id": "writer",
             "outputs": [{"name": "line.md", "deliverable": True}]}]}
        ask(hub, "plan/run", {"dag": json.dumps(dag), "author": "test", "reason": "", "fresh": False, "files": []})
    wait_for(lambda: all(one["state"] == "completed" for one in ask(hub, "plans", {"limit": len(names)})), "the plans", 120)


def scripted(hub, mirror="lazy"):
    hub.write("answers.yaml", '- answer: {result: "a line"}\n')
    hub.write("agenttalk.yaml", json.dumps({"version": 1, "provider": "offline", "mirror": mirror, "agents": {"writer": {"max_parallel": 8}},
                                            "providers": {"offline": {"kind": "scripted", "answers": "answers.yaml"}}}))


def test_others_are_served_while_a_large_plan_is_read(box):
    nodes = [{"task_id": f"t{i}", "prompt": f"Write line {i}.", "assigned_agent_id": "writer"} for i in range(60_000)]
    dag = json.dumps({"schema_version": "1.1", "plan_id": "plan_large", "nodes": nodes})
    took = []

    def hand_in_large():
        began = time.perf_counter()
        ask(hub, "plan/run", {"dag": dag, "author": "test", "reason": "", "fresh": False, "files": []})
        took.append(time.perf_counter() - began)

    with Journey(box, mind, TEAM) as hub:
        scripted(hub)
        hub.start()
        client = threading.Thread(target=hand_in_large)
        client.start()
        waits = []
        while client.is_alive():
            began = time.perf_counter()
            ask(hub, "plans", {})
            waits.append(time.perf_counter() - began)
        client.join()
        # Deciding it is one turn, a third of the time; reading and checking it on the loop as well would be nearly all of it.
        assert took and max(waits) < 0.65 * took[0], (took, sorted(waits)[-5:])
        hub.restart("kill")
        (listed,) = ask(hub, "plans", {})
        assert listed["plan_id"] == "plan_large" and listed["tasks_total"] == len(nodes), listed
        hub.kill()


def test_a_server_that_was_killed_far_ahead_of_its_files_is_ready_at_once(box):
    """Files follow the journal; whoever starts the server again does not wait for what they are behind with."""
    tasks = 6000
    nodes = [{"task_id": f"t{i}", "prompt": f"Write line {i}.", "assigned_agent_id": "writer",
              "outputs": [{"name": f"line{i}.md", "deliverable": True}]} for i in range(tasks)]

    def written():
        folder = hub.dir / "plans/plan_wide/deliverables"
        return sum(1 for _ in folder.iterdir()) if folder.is_dir() else 0

    def begin_wide():
        ask(hub, "plan/run", {"dag": json.dumps({"schema_version": "1.1", "plan_id": "plan_wide", "nodes": nodes}), "author": "test",
                              "reason": "", "fresh": False, "files": []})

    with Journey(box, mind, TEAM) as hub:
        scripted(hub, "full")
        hub.start()
        begin_wide()
        wait_for(lambda: ask(hub, "plans", {})[0]["state"] == "completed", "the plan's end", 60)
        hub.kill()
        assert written() < tasks, "the files are not behind, so this shows nothing"
        began = time.monotonic()
        hub.start()
        ready = time.monotonic() - began
        # The server works beside that, on files too.
        hub.drop("agents/writer/inbox/cmd_open.json", {"command_id": "cmd_open", "plan_id": "plan_open", "prompt": "Write one line."})
        wait_for(lambda: ask(hub, "plans", {"limit": 1})[0]["plan_id"] == "plan_open", "the dropped command")
        wait_for(lambda: written() == tasks, "the files", 120)
        took = time.monotonic() - began
        assert ready < took / 3, (ready, took)
        hub.stop()
        assert "error" not in hub.agenttalk("doctor").expect(0).out
        assert [one["tasks_completed"] for one in hub.json("plans") if one["plan_id"] == "plan_wide"] == [tasks]


def hub_rows_since_snapshot(hub):
    """How many rows of its own stream a start has to read."""
    with sqlite3.connect(f"file:{hub.dir}/.agenttalk/journal.db?mode=ro", uri=True) as journal:
        number, = journal.execute("SELECT number FROM streams WHERE name = ''").fetchone()
        rows, = journal.execute("SELECT max(version) FROM journal WHERE stream = ?", (number,)).fetchone()
        snapshot = journal.execute("SELECT version FROM snapshots WHERE stream = ?", (number,)).fetchone()
    journal.close()
    return rows, rows - (snapshot[0] if snapshot else 0)


def test_a_hub_with_many_plans_starts_from_its_snapshot(box):
    with Journey(box, mind, TEAM) as hub:
        scripted(hub)
        hub.start()
        hand_in(hub, [f"plan_n{i}" for i in range(300)])
        listed = hub.json("plans", "--limit", "300")
        for how in ("kill", "stop"):
            hub.restart(how)
            rows, unread = hub_rows_since_snapshot(hub)
            assert rows > 300 and unread < 260, f"{unread} of {rows} rows are read at a start"
            assert hub.json("plans", "--limit", "300") == listed
            hub.agenttalk("doctor").expect(0)
        # A snapshot that cannot be read is as good as none.
        hub.stop()
        with sqlite3.connect(hub.dir / ".agenttalk/journal.db") as journal:
            journal.execute("UPDATE snapshots SET state = x'00' WHERE stream = (SELECT number FROM streams WHERE name = '')")
        journal.close()
        hub.start()
        assert hub.json("plans", "--limit", "300") == listed
        assert ids(hub.json("gc", "plan_n7")["plans"]) == ["plan_n7"]
        hub.restart("kill")
        hand_in(hub, ["plan_n7"])
        assert len(hub.json("plans", "--limit", "400")) == 300


def back_to_version_one(path):
    """As the program before would have left the file."""
    # meta's checksum is CRC-32C of the key and the value; that of version 1 is known from the journal's own tests.
    with sqlite3.connect(path) as database:
        database.execute("DROP TABLE plans")
        database.execute("DROP TABLE imported")
        database.execute("DROP TABLE directories")
        database.execute("DELETE FROM meta WHERE key IN ('summarized', 'last_stream', 'stream_names', 'live_streams')")
        database.execute("UPDATE meta SET value = 1, crc = 4142361004 WHERE key = 'schema_version'")
    database.close()


def told(hub, plan_id):
    """What people see of a plan, byte for byte; only what the present says of it (`active`) is left out."""
    shown = [hub.agenttalk("show", plan_id, "--json").expect(0).out, hub.agenttalk("trace", plan_id, "--json").expect(0).out,
             hub.agenttalk("replay", plan_id, "--json").expect(0).out, hub.agenttalk("log", plan_id, "--json").expect(0).out]
    for task in [row["task_id"] for row in hub.json("status", plan_id)["tasks"]]:
        shown.append(hub.agenttalk("show", plan_id, task, "--json").expect(0).out)
    return shown


def expect_same(hub, kept):
    """Plans are what they were, to the last byte of every prompt and answer."""
    for plan_id, before in kept.items():
        try:
            now = told(hub, plan_id)
        except AssertionError as error:
            raise AssertionError(f"a content of {plan_id} that is still named is removed: {error}") from error
        assert now == before, f"a content of {plan_id} that is still named is removed, or changed"


def files_of(hub, plan_id):
    """The deliverables."""
    folder = hub.dir / "plans" / plan_id / "deliverables"
    return {path.name: path.read_bytes() for path in folder.glob("*")} if folder.is_dir() else {}


def folders_of(hub, plan_id):
    return [path for path in hub.dir.rglob(plan_id) if ".agenttalk" not in path.parts]


def expect_whole(hub, plans):
    """Every plan can be read to its last byte, and files and journal agree."""
    for plan_id in plans:
        told(hub, plan_id)
    problems = [one for one in hub.json("doctor").get("checks", []) if one.get("state") == "error"] \
        if isinstance(hub.json("doctor"), dict) else []
    assert not problems, problems
    with sqlite3.connect(f"file:{hub.dir}/.agenttalk/journal.db?mode=ro", uri=True) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    database.close()


TWO = """
plan: {name}
goal: {goal}
deliverables: [second.md]
tasks:
  - id: first
    agent: writer
    prompt: Write one line about {about}.
    outputs: [first.md]
  - id: second
    agent: writer
    prompt: Write one line more. {padding}
    needs: [first]
    inputs: [first.md]
    outputs: [second.md]
"""
# Larger than what a row of the journal takes, so that it is a content of its own, named by every plan that has it.
LONG = "Keep it short and plain. " * 200


def two(hub, name, about="bees", goal="Two lines"):
    hub.write("plan.yaml", TWO.format(name=name, about=about, goal=goal, padding=LONG))
    return hub.agenttalk("run", "--plan", "plan.yaml", "--json").expect(0).json


def two_mind(request):
    name = request.find(r"(first|second)\.md", "the output")
    text = "x" * 3000 if "second.md" in request.text else "bees dance"
    return json.dumps({"result": f"{name}: {text}\n"})


def test_gc_removes_plans_and_keeps_what_others_name(box):
    with Journey(box, two_mind, TEAM) as hub:
        hub.start()
        for name in ("a", "b", "c"):
            two(hub, name)
        fork = hub.json("fork", "plan_a", "--from", "second", "--as", "plan_f")["plan_id"]
        wait_for(lambda: hub.json("status", fork)["state"] == "completed", "the fork")
        kept = {name: told(hub, name) for name in ("plan_c", fork)}
        deliverables = {name: files_of(hub, name) for name in kept}
        assert all(deliverables.values()), deliverables

        tried = hub.json("gc", "plan_a", "plan_b", "--dry-run")
        assert tried["dry_run"] and {one["plan_id"] for one in tried["plans"]} == {"plan_a", "plan_b"}
        assert len(hub.json("plans")) == 4
        assert hub.json("gc", "--older-than", "1d")["plans"] == [], "none is as old"
        done = hub.json("gc", "plan_a", "plan_b")
        assert {one["plan_id"] for one in done["plans"]} == {"plan_a", "plan_b"}, done

        for how in ("served", "kill", "stop"):
            if how != "served":
                hub.restart(how)
            assert ids(hub.json("plans")) == [fork, "plan_c"]
            expect_same(hub, kept)
            assert {name: files_of(hub, name) for name in kept} == deliverables
            for name in ("plan_a", "plan_b"):
                assert hub.json("status", name)["error"]["code"] == "PLAN_UNKNOWN"
                assert not folders_of(hub, name), folders_of(hub, name)
        # The id is free again, and what was there before is not found in it.
        two(hub, "a", about="ants")
        again = told(hub, "plan_a")
        assert any("about ants" in text for text in again) and not any("about bees" in text for text in again)
        hub.stop()
        hub.agenttalk("repair").expect(0)
        expect_whole(hub, ["plan_a", "plan_c", fork])
        assert {name: files_of(hub, name) for name in kept} == deliverables


def test_gc_by_age_gives_space_back_and_frees_contents(box):
    with Journey(box, two_mind, TEAM) as hub:
        for i in range(12):
            two(hub, f"n{i}", about="y" * 40_000 + str(i))
        before = (hub.dir / ".agenttalk/journal.db").stat().st_size
        hub.agenttalk("gc", "--older-than", "0s", "--export", "nowhere").expect(2)
        (hub.dir / "away").mkdir()
        done = hub.json("gc", "--older-than", "0s", "--export", "away")
        assert len(done["plans"]) == 12 and done["contents"] > 12, done
        assert hub.json("plans") == []
        after = (hub.dir / ".agenttalk/journal.db").stat().st_size
        assert after < before / 2, (before, after)
        assert len(list((hub.dir / "away").glob("plan_n*.tar"))) == 12
        for i in (3, 7):
            hub.agenttalk("import", f"away/plan_n{i}.tar").expect(0)
        assert {one["plan_id"] for one in hub.json("plans")} == {"plan_n3", "plan_n7"}
        expect_whole(hub, ["plan_n3", "plan_n7"])


def test_gc_while_serving_by_the_configuration(box):
    with Journey(box, two_mind, TEAM, limits={"keep_finished": "90d"}) as hub:
        two(hub, "young")
        hub.start()
        assert ids(hub.json("plans")) == ["plan_young"]
        hub.stop()
        hub.write("agenttalk.yaml", json.dumps({**hub.config, "limits": {"keep_finished": "soon"}}))
        assert "keep_finished" in hub.agenttalk("validate", "agenttalk.yaml").err + hub.agenttalk("validate", "agenttalk.yaml").out
        hub.write("agenttalk.yaml", json.dumps({**hub.config, "limits": {"keep_finished": "1s"}}))
        hub.start()
        wait_for(lambda: hub.json("plans") == [], "the removal", 60)
        assert not folders_of(hub, "plan_young")


def test_gc_killed_at_any_point_leaves_a_whole_hub(box):
    with Journey(box, two_mind, TEAM) as hub:
        for i in range(6):
            two(hub, f"n{i}", about=f"{'z' * 5000}{i}")
        kept = {name: told(hub, name) for name in ("plan_n0", "plan_n5")}
        killed = 0
        for delay in (0.0, 0.01, 0.02, 0.03, 0.05, 0.08, 0.12, 0.2):
            process = hub.spawn("gc", "plan_n1", "plan_n2", "plan_n3", "plan_n4", "--json")
            time.sleep(delay)
            process.kill()
            process.communicate()
            killed += process.returncode == -signal.SIGKILL
            left = set(ids(hub.json("plans")))
            assert {"plan_n0", "plan_n5"} <= left, left
            expect_whole(hub, sorted(left))
            expect_same(hub, kept)
            if len(left) == 2:
                break
        assert killed, "it was over too soon every time"
        left = [name for name in ids(hub.json("plans")) if name not in kept]
        if left:
            hub.agenttalk("gc", *left).expect(0)
        hub.start()
        assert set(ids(hub.json("plans"))) == set(kept)
        expect_same(hub, kept)
        assert not [path for i in range(1, 5) for path in folders_of(hub, f"plan_n{i}")]
        wait_for(lambda: not (hub.dir / ".agenttalk/trash").exists(), "the trash to be empty")


def other(box, hub, name="other"):
    """Another hub on "another machine"."""
    (box.dir / name).mkdir()
    (box.dir / name / "agenttalk.yaml").write_text(json.dumps(hub.config))
    return box.dir / name


class Elsewhere:
    def __init__(self, hub, folder):
        self.hub, self.dir = hub, folder

    def agenttalk(self, *arguments):
        return self.hub.box.run(*arguments, cwd=self.dir)

    def json(self, *arguments):
        return self.agenttalk(*arguments, "--json").json


def test_an_archive_is_the_same_plan_here_and_elsewhere(box):
    with Journey(box, two_mind, TEAM) as hub:
        hub.start()
        two(hub, "zero")
        two(hub, "moved")
        before, deliverables = told(hub, "plan_moved"), files_of(hub, "plan_moved")
        report = hub.json("export", "plan_moved", "--archive", "moved.tar")
        assert report["events"] == len(before[3].splitlines()), report
        hub.agenttalk("export", "plan_moved", "--archive", "moved.tar").expect(2)  # never overwritten
        with tarfile.open(hub.dir / "moved.tar") as archive:
            assert "files/plans/plan_moved/deliverables/second.md" in archive.getnames()
        assert hub.json("import", "moved.tar")["error"]["code"] == "ALREADY_EXISTS"

        # Younger and older than the plan: numbers are free there, or somebody else's.
        young = Elsewhere(hub, other(box, hub, "young"))
        assert young.json("import", str(hub.dir / "moved.tar"))["plan_id"] == "plan_moved"
        assert told(young, "plan_moved") == before
        assert files_of(young, "plan_moved") == deliverables
        hub.stop()
        old = Elsewhere(hub, other(box, hub, "old"))
        for name in ("p", "q", "r"):
            (old.dir / "plan.yaml").write_text(TWO.format(name=name, about="wasps", goal="Old", padding=LONG))
            old.agenttalk("run", "--plan", "plan.yaml", "--json").expect(0)
        wasps = told(old, "plan_q")
        old.agenttalk("import", str(hub.dir / "moved.tar")).expect(0)
        assert told(old, "plan_moved") == before and told(old, "plan_q") == wasps
        old.agenttalk("repair").expect(0)
        assert told(old, "plan_moved") == before and files_of(old, "plan_moved") == deliverables

        # An imported plan is a plan: it is archived, forked and removed like any other.
        old.agenttalk("export", "plan_moved", "--archive", "again.tar").expect(0)
        events = lambda path: tarfile.open(path).extractfile("events").read()  # noqa: E731
        assert events(old.dir / "again.tar") == events(hub.dir / "moved.tar")
        old.agenttalk("fork", "plan_moved", "--from", "second", "--as", "plan_fork").expect(0)
        old.agenttalk("run", "plan_fork").expect(0)
        forked = told(old, "plan_fork")
        old.agenttalk("gc", "plan_moved").expect(0)
        expect_same(old, {"plan_fork": forked})
        old.agenttalk("import", "again.tar").expect(0)
        assert told(old, "plan_moved") == before and told(old, "plan_fork") == forked
        # Here again, after it was removed.
        hub.agenttalk("gc", "plan_moved").expect(0)
        hub.agenttalk("import", "moved.tar").expect(0)
        assert told(hub, "plan_moved") == before and files_of(hub, "plan_moved") == deliverables


def test_an_import_killed_at_any_point_is_whole_or_not_there(box):
    with Journey(box, two_mind, TEAM) as hub:
        two(hub, "moved")
        before = told(hub, "plan_moved")
        hub.agenttalk("export", "plan_moved", "--archive", "moved.tar").expect(0)
        done = 0
        for number, delay in enumerate((0.0, 0.01, 0.02, 0.03, 0.05, 0.08, 0.15)):
            there = Elsewhere(hub, other(box, hub, f"there{number}"))
            process = subprocess.Popen([str(box.binary), "import", str(hub.dir / "moved.tar")], cwd=there.dir, env=box.environment(),
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(delay)
            process.kill()
            process.wait()
            seen = there.json("plans")
            # The journal itself may not have been made whole: then nothing is there, and whoever writes next makes it.
            unmade = isinstance(seen, dict) and seen["error"]["code"] in ("JOURNAL_VERSION", "PERMISSION_DENIED")
            listed = [] if unmade else ids(seen)
            assert listed in ([], ["plan_moved"]), listed
            done += bool(listed)
            if not listed:
                there.agenttalk("import", str(hub.dir / "moved.tar")).expect(0)
            assert told(there, "plan_moved") == before
        assert done < 7, "it was over too soon every time"


def entries(path):
    with tarfile.open(path) as archive:
        return [(member.name, archive.extractfile(member).read()) for member in archive.getmembers()]


def pack(path, members, kind=tarfile.REGTYPE):
    with tarfile.open(path, "w", format=tarfile.USTAR_FORMAT) as archive:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            info.type = tarfile.REGTYPE if not name.startswith("LINK:") else tarfile.SYMTYPE
            if info.type == tarfile.SYMTYPE:
                info.name, info.linkname, info.size = name[5:], "/etc/passwd", 0
            archive.addfile(info, io.BytesIO(data) if info.size else None)


def with_manifest(members, **changes):
    manifest = {**json.loads(members[0][1]), **changes}
    return [(members[0][0], json.dumps(manifest).encode()), *members[1:]]


def test_bad_archives_are_refused_and_nothing_is_applied(box):
    with Journey(box, two_mind, TEAM) as hub:
        two(hub, "moved")
        hub.agenttalk("export", "plan_moved", "--archive", "good.tar").expect(0)
        good = (hub.dir / "good.tar").read_bytes()
        members = entries(hub.dir / "good.tar")
        there = Elsewhere(hub, other(box, hub, "there"))
        bad = box.dir / "bad.tar"

        def refused(what, code="VALUE_INVALID"):
            answer = there.agenttalk("import", str(bad), "--json")
            assert answer.code == 2 and answer.json["error"]["code"] == code, (what, answer.code, answer.out, answer.err)
            assert there.json("plans") == [], what
            assert not (there.dir / "plans").exists() or not os.listdir(there.dir / "plans"), what
            assert not (box.dir / "escaped").exists(), what

        for size in (0, 1, 511, 512, 700, len(good) // 2, len(good) - 1024, len(good) - 1):
            bad.write_bytes(good[:size])
            refused(f"truncated to {size}")
        bad.write_bytes(good + b"more")
        refused("something behind the end")
        step = max(1, len(good) // 40)
        for at in range(0, len(good) - 1024, step):
            bad.write_bytes(good[:at] + bytes([good[at] ^ 0x41]) + good[at + 1:])
            answer = there.agenttalk("import", str(bad), "--json")
            if answer.code == 0:  # a file of the plan, or padding, which no event names
                there.agenttalk("gc", "plan_moved").expect(0)
        for name in ("../escaped", "/escaped", "plans/plan_moved/../../escaped", "plans/plan_other/x", "agenttalk.yaml",
                     ".agenttalk/journal.db", "agents/writer/inbox/cmd_x.json", "agents/../x/logs/plan_moved/y", "plans/plan_moved//x"):
            pack(bad, members + [("files/" + name, b"x")])
            refused(name, "NAME_UNSAFE")
        pack(bad, members + [("LINK:files/plans/plan_moved/link", b"")])
        refused("a link")
        pack(bad, members + [("surprise", b"x")])
        refused("an unknown entry")
        pack(bad, members + [("contents/" + hashlib.sha256(b"x").hexdigest(), b"x")])
        refused("a content that nobody counted")
        pack(bad, [one for one in members if not one[0].startswith("contents/")])
        refused("no contents")
        pack(bad, [one for one in members if one[0] != "events"])
        refused("no events")
        for changes in ({"plan_id": "../../x"}, {"plan_id": ""}, {"plan_id": "plan_other"}, {"events": 3}, {"events_sha256": "0" * 64},
                        {"contents": 0}):
            pack(bad, with_manifest(members, **changes))
            # Under another name its files are not the plan's.
            refused(str(changes), "NAME_UNSAFE" if changes.get("plan_id") == "plan_other" else "VALUE_INVALID")
        pack(bad, with_manifest(members, format=99))
        refused("a newer format", "SCHEMA_VERSION_UNSUPPORTED")
        # Events that do not follow from one another, with every checksum right.
        rows = dict(members)["events"]
        for cut in (len(rows) // 3, len(rows) // 2):
            pack(bad, [(name, data if name != "events" else rows[cut:]) for name, data in
                       with_manifest(members, events_sha256=hashlib.sha256(rows[cut:]).hexdigest())])
            refused("events out of the middle")
        os.truncate(bad, 0)
        with open(bad, "ab") as file:  # a header that promises 8 GiB
            info = tarfile.TarInfo("agenttalk-plan.json")
            info.size = (1 << 33) - 1
            file.write(info.tobuf(tarfile.USTAR_FORMAT))
        refused("a huge size")
        bad.unlink()
        os.mkfifo(bad)
        refused("a pipe", "FILE_UNSAFE")
        assert there.agenttalk("import", str(box.dir / "none.tar"), "--json").json["error"]["code"] == "NOT_FOUND"
        bad.unlink()
        bad.write_bytes(good)
        there.agenttalk("import", str(bad)).expect(0)


def bytes_read(box, *arguments):
    """What the program read to answer, and its answer."""
    with open(box.dir / "answer.out", "w+b") as out:
        process = subprocess.Popen([box.binary, *arguments], stdout=out, stderr=subprocess.DEVNULL, cwd=box.dir, env=box.environment())
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        counts = dict(line.split(": ") for line in open(f"/proc/{process.pid}/io", encoding="ascii").read().splitlines())
        assert process.wait() == 0, arguments
        out.seek(0)
        return int(counts["rchar"]), out.read()


def test_one_task_of_a_large_plan_is_shown_without_reading_the_plan(box):
    """`show`, `trace` of one task and `log --tail` of a plan of 10,000 tasks read less than a twentieth of it (of 1,500: an eighth)."""
    full = os.environ.get("AGENTTALK_FULL") == "1"
    tasks, part = (10_000, 20) if full else (1_500, 8)
    box.write("agenttalk.yaml", "version: 1\nmirror: lazy\nprovider: offline\nproviders:\n  offline: {kind: scripted, answers: answers.yaml}\n"
              "agents:\n  ann: {max_parallel: 64}\n")
    box.write("answers.yaml", '- answer: {result: "done"}\n')
    names = [f"t{i}" for i in range(tasks)]
    nodes = [{"task_id": name, "prompt": f"Do {name}.", "assigned_agent_id": "ann", "depends_on": names[:1] if i else []}
             for i, name in enumerate(names)]
    box.write("dag.json", json.dumps({"schema_version": "1.1", "plan_id": "plan_big", "nodes": nodes}))
    box.run("run", "--plan", "dag.json", "--quiet", timeout=600).expect(0)
    journal = box.dir / ".agenttalk/journal.db"
    whole = journal.stat().st_size
    middle = names[tasks // 2]
    asked = [["show", "plan_big", middle, "--json"], ["show", "big", f"cmd_{middle}_001", "--json"], ["trace", "plan_big", middle, "--json"],
             ["log", "plan_big", "--tail", "20", "--json"]]
    told = {}
    for question in asked:
        read, told[tuple(question)] = bytes_read(box, *question)
        assert read < whole / part, f"{question}: {read} of {whole} bytes"
    shown = json.loads(told[tuple(asked[0])])
    assert shown["task"]["state"] == "COMPLETED" and shown["task"]["depends_on"] == ["t0"], shown["task"]
    assert f"Do {middle}." in json.dumps(shown["commands"]) and len(shown["commands"]) == 1, shown["commands"]
    assert all(json.loads(line)["seq"] for line in told[tuple(asked[3])].splitlines())
    # Without the directory, as a journal of an older program is, the answers are the same.
    with sqlite3.connect(journal) as database:
        assert database.execute("SELECT count(*) FROM directories").fetchone()[0] > 1
        database.execute("DELETE FROM directories")
    database.close()
    for question in asked:
        read, again = bytes_read(box, *question)
        assert again == told[tuple(question)], question
    assert read > whole / part, "this test would notice"
    # What is not there is told as ever.
    assert "t17" in box.run("show", "plan_big", "t17x").expect(2).err


def test_plans_are_found_by_their_tags(box):
    with Journey(box, mind, TEAM) as hub:
        hub.start()
        tags = lambda name: next(one["tags"] for one in hub.json("plans") if one["plan_id"] == f"plan_{name}")  # noqa: E731

        def tagged(name, *arguments, **more):
            text = json.loads(plan(name, goal="Bees")) | more
            hub.write(f"{name}.yaml", json.dumps(text))
            return hub.agenttalk("run", f"{name}.yaml", *arguments, "--json").expect(0)

        tagged("a", tags=["weekly", "client-x"])
        tagged("b", "--tag", "weekly", "--tag", "by-hand", tags="report")
        tagged("c")
        assert tags("a") == ["weekly", "client-x"] and tags("b") == ["report", "weekly", "by-hand"] and tags("c") == []
        assert ids(hub.json("plans", "--tag", "weekly")) == ["plan_b", "plan_a"]
        assert ids(hub.json("plans", "--tag", "weekly", "--limit", "1", "--after", "plan_b")) == ["plan_a"]
        assert ids(hub.json("plans", "--tag", "week")) == [] == hub.json("plans", "--tag", "weekly", "--state", "failed")
        shown = hub.agenttalk("plans").expect(0).out
        assert "tags" in shown.splitlines()[0] and "client-x" in shown, shown
        assert "tags: weekly, client-x" in hub.agenttalk("status", "a").expect(0).out
        assert hub.json("status", "a")["tags"] == ["weekly", "client-x"]

        # Other tags are no other work: nobody is asked, and the revision stays.
        asked = len(hub.model.requests)
        revision = hub.json("status", "a")["revision"]
        tagged("a", tags=["monthly"])
        assert tags("a") == ["monthly"] and hub.json("status", "a")["revision"] == revision
        tagged("a", "--tag", "kept")  # the file says nothing of tags: those it has stay
        assert tags("a") == ["monthly", "kept"]
        assert len(hub.model.requests) == asked
        tagged("b", tags=[])
        assert tags("b") == []
        assert "tagged monthly, kept" in hub.agenttalk("log", "a").expect(0).out

        # After a kill and a stop, in a fork, and as an archive elsewhere.
        hub.restart("kill")
        assert tags("a") == ["monthly", "kept"] and ids(hub.json("plans", "--tag", "kept")) == ["plan_a"]
        hub.agenttalk("fork", "a", "--from", "write", "--as", "plan_again", "--json").expect(0)
        wait_for(lambda: hub.json("status", "again")["state"] == "completed", "the fork's end")
        assert ids(hub.json("plans", "--tag", "kept")) == ["plan_again", "plan_a"]
        hub.agenttalk("export", "a", "--archive", "a.tar").expect(0)
        hub.stop()
        hub.agenttalk("gc", "a").expect(0)
        assert ids(hub.json("plans", "--tag", "kept")) == ["plan_again"]
        hub.agenttalk("import", "a.tar").expect(0)
        assert sorted(ids(hub.json("plans", "--tag", "kept"))) == ["plan_a", "plan_again"] and tags("a") == ["monthly", "kept"]

        # What cannot be a tag is refused before anything is done.
        listed = hub.json("plans")
        hub.write("bad.yaml", json.dumps(json.loads(plan("bad")) | {"tags": ["two words"]}))
        said = hub.agenttalk("run", "bad.yaml").expect(2)
        assert "two words" in said.err and "NAME_UNSAFE" in said.err and "letters, digits" in said.err, said.err
        said = hub.agenttalk("run", "c.yaml", "--tag", "../c").expect(2)
        assert "../c" in said.err, said.err
        hub.agenttalk("run", "plan_c", "--tag", "late").expect(2)
        many = [word for n in range(31) for word in ("--tag", f"t{n}")]
        said = hub.agenttalk("run", "b.yaml", *many, "--tag", "t31", "--tag", "t32").expect(2)
        assert "at most 32" in said.err, said.err
        said = hub.agenttalk("run", "a.yaml", *many).expect(2)  # too many with the two that it has
        assert "plan_a would have 33 tags" in said.err and "tags:" in said.err, said.err
        assert hub.json("plans") == listed


def test_a_waiting_plan_is_read_from_its_snapshot_after_a_rest_and_a_stop(box):
    """A plan of very many tasks that waits for a person: whoever starts the server again does not wait for its past."""
    with Journey(box, mind, TEAM) as hub:
        nodes = [{"id": f"t{n}", "agent": "writer", "prompt": "Write one line."} for n in range(1400)]
        nodes.append({"id": "judged", "agent": "writer", "prompt": "Write one line.", "needs": [node["id"] for node in nodes],
                      "gate": "human", "outputs": ["line.md"]})
        nodes += [{"id": f"after{n}", "agent": "writer", "prompt": "Write one line.", "needs": ["judged"]} for n in range(800)]
        hub.write("agenttalk.yaml", json.dumps({
            "version": 1, "provider": "offline", "mirror": "lazy", "agents": {"writer": {"max_parallel": 64}},
            "providers": {"offline": {"kind": "scripted", "answers": "answers.yaml"}}}))
        hub.write("answers.yaml", '- answer: {result: "done"}\n')
        hub.write("big.yaml", json.dumps({"plan": "big", "tasks": nodes}))
        hub.start()
        hub.agenttalk("run", "big.yaml", "--quiet").expect(3)

        def behind():
            """How many rows of the plan a start has to fold."""
            with sqlite3.connect(f"file:{hub.dir}/.agenttalk/journal.db?mode=ro", uri=True) as journal:
                (rows, number), = journal.execute(
                    "SELECT count(*), stream FROM journal WHERE stream = (SELECT number FROM streams WHERE name = 'plan_big')")
                found = journal.execute("SELECT version FROM snapshots WHERE stream = ?", (number,)).fetchone()
            return rows - (found[0] if found else 0)

        wait_for(lambda: behind() < 64, "a snapshot of the plan at rest")
        before = hub.json("status", "big")
        hub.restart("kill")
        assert hub.json("status", "big") == before
        hub.restart("stop")
        assert hub.json("status", "big") == before
        (question,) = before["questions"]
        hub.agenttalk("answer", question, "--approve").expect(0)
        wait_for(lambda: hub.json("status", "big")["state"] == "completed", "the plan's end")
