"""Removing plans from a hub that goes on working: what others need stays, nothing that was put away is written over, and nobody who
asks wrongly loses anything."""

import hashlib
import json
import os
import shutil
import tarfile
import time

from journey import Journey, wait_for
from test_years import TEAM, Elsewhere, ask, entries, files_of, ids, mind, other, pack, run, told, two, two_mind, with_manifest

PLACES = ("plans", "agents/writer/inbox", "agents/writer/outbox", "agents/writer/workspace", "agents/writer/logs")
ANSWERS = """\
- {when: {contains: SLOWLY}, delay: 700ms, answer: {result: "a line"}}
- {when: {contains: BADLY}, error: {status: 400}}
- {answer: {result: "a line"}}
"""


def scripted(hub):
    hub.write("answers.yaml", ANSWERS)
    hub.write("agenttalk.yaml", json.dumps({"version": 1, "provider": "offline", "agents": TEAM,
                                            "providers": {"offline": {"kind": "scripted", "answers": "answers.yaml"}}}))


def hand_in(hub, name, *prompts):
    """A chain of tasks, through the socket, which does not wait for them."""
    nodes = [{"task_id": f"t{number}", "prompt": prompt, "assigned_agent_id": "writer",
              "depends_on": [f"t{number - 1}"] if number else []} for number, prompt in enumerate(prompts)]
    ask(hub, "plan/run", {"dag": json.dumps({"schema_version": "1.1", "plan_id": name, "nodes": nodes}), "author": "test", "reason": "",
                          "fresh": False, "files": []})


def state(hub, plan):
    return hub.json("status", plan)["state"]


def refusal(hub, method, parameters):
    try:
        answer = ask(hub, method, parameters)
    except AssertionError as error:
        return error.args[0]["error"]["code"]
    raise AssertionError(answer)


def test_a_server_works_on_after_plans_were_removed(box):
    with Journey(box, two_mind, TEAM) as hub:
        hub.start()
        for how in ("first", "served", "served", "kill", "stop"):
            if how in ("kill", "stop"):
                hub.restart(how)
            assert two(hub, "a")["state"] == "completed", how
            texts = told(hub, "plan_a")
            assert any("You write." in text for text in texts), "what the agent is told of itself"
            hub.agenttalk("gc", "plan_a").expect(0)
        hub.write("agenttalk.yaml", json.dumps({**hub.config, "limits": {"keep_finished": "1s"}}))
        hub.restart("stop")
        for _ in range(2):
            two(hub, "b")
            wait_for(lambda: hub.json("plans") == [], "the removal by age", 30)


def test_plans_under_way_are_not_disturbed_by_a_removal(box):
    with Journey(box, mind, TEAM) as hub:
        scripted(hub)
        hub.start()
        run(hub, "keep")
        for round_ in range(3):
            run(hub, "old")
            for name in ("m", "n"):
                hand_in(hub, f"plan_{name}{round_}", f"First {round_}.", "SLOWLY, once.", "Then this.")
            hub.agenttalk("gc", "plan_old").expect(0)
            wait_for(lambda: not any((hub.dir / place / "plan_old").exists() for place in PLACES), "the folders to go")
        for round_ in range(3):
            for name in ("m", "n"):
                plan = f"plan_{name}{round_}"
                wait_for(lambda: state(hub, plan) != "running", plan, 30)
                assert state(hub, plan) == "completed", hub.json("status", plan)
        assert state(hub, "plan_keep") == "completed"
        hub.stop()
        assert "error" not in hub.agenttalk("doctor").out


def test_what_was_put_away_is_never_written_over(box):
    with Journey(box, two_mind, TEAM) as hub:
        away = hub.dir / "away"
        away.mkdir()
        hub.start()
        kept = []
        for about in ("bees", "ants", "wasps"):
            two(hub, "a", about=about)
            kept.append((told(hub, "plan_a"), files_of(hub, "plan_a")))
            (gone,) = hub.json("gc", "plan_a", "--export", "away")["plans"]
            assert gone["archive"] == str(away / f"plan_a{'' if about == 'bees' else f'.{len(kept)}'}.tar"), gone
        for number, archive in enumerate(("plan_a.tar", "plan_a.2.tar", "plan_a.3.tar")):
            hub.agenttalk("import", f"away/{archive}").expect(0)
            assert (told(hub, "plan_a"), files_of(hub, "plan_a")) == kept[number], archive
            assert "error" not in hub.agenttalk("doctor").out, archive
            # The same plan again, as after an interruption, is one archive.
            (gone,) = hub.json("gc", "plan_a", "--export", "away")["plans"]
            hub.json("plans")
        assert len(list(away.iterdir())) <= 6, sorted(away.iterdir())
        two(hub, "b")
        hub.agenttalk("export", "plan_b", "--archive", "away/plan_b.tar").expect(0)
        (gone,) = hub.json("gc", "plan_b", "--export", "away")["plans"]
        assert gone["archive"] == str(away / "plan_b.tar") and not (away / "plan_b.2.tar").exists(), gone


def deepen(folder, depth=20, name="d" * 250):
    """A folder that nobody can name by its path, whoever it is."""
    at = os.open(folder, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir(name, dir_fd=at)
        below = os.open(name, os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = below
    os.close(at)


def test_a_plan_that_cannot_be_put_away_whole_stays(box):
    with Journey(box, two_mind, TEAM) as hub:
        two(hub, "a")
        (hub.dir / "away").mkdir()
        before = told(hub, "plan_a"), files_of(hub, "plan_a")
        notes = hub.dir / "plans/plan_a/notes"
        notes.mkdir()
        deepen(notes)
        for served in (False, True):
            if served:
                hub.start()
            refused = hub.json("gc", "plan_a", "--export", "away")["error"]
            assert "plans/plan_a/notes/ddd" in refused["message"], refused
            assert hub.agenttalk("export", "plan_a", "--archive", "a.tar").expect(4).err.count("plans/plan_a/notes/ddd")
            assert list((hub.dir / "away").iterdir()) == [] and not (hub.dir / "a.tar").exists()
            assert (told(hub, "plan_a"), files_of(hub, "plan_a")) == before
        shutil.rmtree(notes)
        # What a killed process left of an archive is in nobody's way.
        (hub.dir / "away/plan_a.tar.unfinished").write_bytes(b"half of it")
        (gone,) = hub.json("gc", "plan_a", "--export", "away")["plans"]
        assert [path.name for path in (hub.dir / "away").iterdir()] == ["plan_a.tar"], gone
        hub.agenttalk("import", "away/plan_a.tar").expect(0)
        assert (told(hub, "plan_a"), files_of(hub, "plan_a")) == before


def test_others_are_served_while_plans_are_put_away(box):
    with Journey(box, mind, TEAM) as hub:
        scripted(hub)
        hub.start()
        names = [f"plan_n{number}" for number in range(300)]
        for name in names:
            hand_in(hub, name, "One.", "Two.")
        wait_for(lambda: all(one["state"] == "completed" for one in ask(hub, "plans", {"limit": 300})), "the plans", 60)
        (hub.dir / "away").mkdir()
        began = time.monotonic()
        removal = hub.spawn("gc", "--older-than", "0s", "--export", "away", "--json")
        waits = []
        while removal.poll() is None:
            asked = time.monotonic()
            ask(hub, "plans", {})
            waits.append(time.monotonic() - asked)
        took = time.monotonic() - began
        assert len(json.loads(removal.stdout.read())["plans"]) == len(names) == len(list((hub.dir / "away").iterdir()))
        assert len(waits) > 3 and max(waits) < took / 4, (took, sorted(waits)[-5:])
        hub.agenttalk("import", "away/plan_n7.tar").expect(0)
        assert ids(hub.json("plans")) == ["plan_n7"]


def test_others_are_served_while_a_plan_with_many_files_comes(box):
    with Journey(box, two_mind, TEAM) as hub:
        hub.start()
        two(hub, "a")
        hub.agenttalk("export", "plan_a", "--archive", "a.tar").expect(0)
        hub.agenttalk("gc", "plan_a").expect(0)
        hub.agenttalk("cancel", "plan_a").expect(2)  # names it, and there is none
        members = entries(hub.dir / "a.tar")
        files = [(f"files/agents/writer/workspace/plan_a/cmd_first_001/inputs/{number}.txt", b"small") for number in range(20_000)]
        many = with_manifest(members, files=[])
        pack(hub.dir / "many.tar", many + files)
        began = time.monotonic()
        coming = hub.spawn("import", "many.tar", "--json")
        waits = []
        while coming.poll() is None:
            asked = time.monotonic()
            ask(hub, "plans", {})
            waits.append(time.monotonic() - asked)
        took = time.monotonic() - began
        assert json.loads(coming.stdout.read())["plan_id"] == "plan_a"
        assert len(waits) > 3 and max(waits) < took / 4, (took, sorted(waits)[-5:])
        assert len(list((hub.dir / "agents/writer/workspace/plan_a/cmd_first_001/inputs").iterdir())) == 20_000


def test_plans_that_failed_are_removed_with_what_people_were_told_of_them(box):
    with Journey(box, mind, TEAM) as hub:
        scripted(hub)
        hub.start()
        for how, words in (("by name", ["plan_bad"]), ("by age", ["--older-than", "0s"]), ("unserved", ["plan_bad"])):
            run(hub, "bad", code=1, prompt="BADLY.")
            assert hub.json("dead", "list") and hub.json("questions"), how
            if how == "unserved":
                hub.stop()
            assert ids(hub.json("gc", *words, "--dry-run")["plans"]) == ["plan_bad"], how
            assert hub.json("dead", "list"), "a dry run changes nothing"
            assert ids(hub.json("gc", *words)["plans"]) == ["plan_bad"], how
            assert hub.json("plans") == [] and hub.json("dead", "list") == [] and hub.json("questions") == [], how
        # One that waits for a person has not ended.
        hub.start()
        hub.write("plan.yaml", "plan: gate\ntasks:\n  - {id: t, agent: writer, prompt: Write., outputs: [a.md], gate: human}\n")
        hub.agenttalk("run", "--plan", "plan.yaml", "--json").expect(3)
        assert hub.json("gc", "plan_gate")["error"]["code"] == "STATE_CONFLICT"
        assert hub.json("gc", "--older-than", "0s")["plans"] == []


def test_a_request_that_is_wrong_removes_nothing(box):
    with Journey(box, mind, TEAM) as hub:
        hub.start()
        run(hub, "a")
        for bad in ({"plans": ["plan_a"], "dry_run": "true"}, {"plans": "plan_a"}, {"plans": []}, {"plans": [1]}, {"older_than": 3}):
            assert refusal(hub, "gc", bad) == "TYPE_MISMATCH", bad
        assert refusal(hub, "gc", {"older_than": ""}) == "VALUE_INVALID"
        assert refusal(hub, "plans", {"text": "x" * 60_000}) == "TOO_LARGE"
        hub.agenttalk("gc", "--older-than", "").expect(2)
        for words in (["gc", "a", "--export", ""], ["export", "a", "--archive", ""], ["import", ""]):
            assert "is empty" in hub.agenttalk(*words).expect(2).err, words
        assert ids(hub.json("plans")) == ["plan_a"]


def test_a_server_survives_an_archive_that_is_wrong(box):
    with Journey(box, two_mind, TEAM) as hub:
        hub.start()
        two(hub, "a")
        hub.agenttalk("export", "plan_a", "--archive", "good.tar").expect(0)
        hub.agenttalk("gc", "plan_a").expect(0)
        members, bad = entries(hub.dir / "good.tar"), hub.dir / "bad.tar"
        rows = dict(members)["events"]
        # Whole rows, but not from the beginning, and every checksum right.
        for cut in range(len(rows) // 8, len(rows), len(rows) // 8):
            pack(bad, [(name, data if name != "events" else rows[cut:]) for name, data in
                       with_manifest(members, events_sha256=hashlib.sha256(rows[cut:]).hexdigest())])
            assert refusal(hub, "import", {"file": str(bad)}) == "VALUE_INVALID", cut
        bad.write_bytes((hub.dir / "good.tar").read_bytes()[:2000])
        assert refusal(hub, "import", {"file": str(bad)}) == "VALUE_INVALID"
        assert refusal(hub, "import", {"file": str(hub.dir / "none.tar")}) == "NOT_FOUND"
        assert hub.json("plans") == []
        assert ask(hub, "import", {"file": str(hub.dir / "good.tar")})["plan_id"] == "plan_a"
        assert hub.json("import", "good.tar", "--check") == {"file": str(hub.dir / "good.tar"), "whole": True}
        assert tarfile.is_tarfile(hub.dir / "good.tar")


def test_a_plan_that_only_files_have_come_for_is_in_nobodys_way(box):
    with Journey(box, mind, TEAM) as hub:
        hub.start()
        run(hub, "a")
        hub.agenttalk("export", "plan_a", "--archive", "a.tar").expect(0)
        hub.agenttalk("gc", "plan_a").expect(0)
        hub.write("note.md", "early")
        hub.agenttalk("send", "note.md", "--to", "writer", "--plan", "plan_a").expect(0)
        assert hub.json("plans") == []
        assert hub.json("gc", "--older-than", "0s")["plans"] == [], "somebody will need it"
        assert hub.json("import", "a.tar")["error"]["code"] == "ALREADY_EXISTS"
        assert ids(hub.json("gc", "plan_a")["plans"]) == ["plan_a"]
        hub.agenttalk("import", "a.tar").expect(0)
        assert hub.json("gc", "plan_none")["error"]["code"] == "PLAN_UNKNOWN"


def test_an_imported_plan_that_continued_here_leaves_what_its_fork_names(box):
    def tell(request):
        name = request.find(r"(first|second)\.md", "the output")
        return json.dumps({"result": f"{name}: {'wasps' if 'wasps' in request.text else 'bees'} dance\n"})

    with Journey(box, tell, TEAM) as hub:
        hub.start()
        two(hub, "a")
        hub.agenttalk("export", "plan_a", "--archive", "a.tar").expect(0)
        hub.agenttalk("gc", "plan_a").expect(0)
        hub.agenttalk("import", "a.tar").expect(0)
        # What comes now is in rows of this journal, behind those that came with the archive.
        hub.agenttalk("plan", "replace", "plan_a", "--task", "first", "--instruction", "Write one line about wasps.").expect(0)
        hub.agenttalk("run", "plan_a").expect(0)
        assert "wasps" in (hub.dir / "plans/plan_a/deliverables/second.md").read_text()
        hub.agenttalk("fork", "plan_a", "--from", "second", "--as", "plan_fork").expect(0)
        hub.agenttalk("run", "plan_fork").expect(0)
        forked = told(hub, "plan_fork")
        hub.agenttalk("gc", "plan_a").expect(0)
        for how in ("stop", "kill"):
            hub.restart(how)
            assert told(hub, "plan_fork") == forked, how
        hub.agenttalk("gc", "plan_fork").expect(0)
        assert hub.json("plans") == []


def test_what_people_were_told_of_a_plan_stays_until_it_goes(box):
    """`gc --export` that fails leaves the dead letters of plans it did not come to; a plan that is worked on meanwhile is not removed."""
    with Journey(box, mind, TEAM) as hub:
        scripted(hub)
        hub.start()
        names = [f"bad{number}" for number in range(70)]
        for name in names:
            hand_in(hub, f"plan_{name}", "BADLY.")
        wait_for(lambda: all(one["state"] == "failed" for one in ask(hub, "plans", {"limit": 70})) and len(hub.json("dead", "list")) == 70,
                 "the plans to fail", 30)
        (hub.dir / "away").write_text("a file, not a folder")
        hub.agenttalk("gc", "--older-than", "0s", "--export", "away").expect(2)
        left = len(hub.json("dead", "list"))
        assert left >= 6, left
        assert len(hub.json("plans", "--limit", "100")) == 70
        (hub.dir / "away").unlink()
        (hub.dir / "away").mkdir()
        assert len(hub.json("gc", "--older-than", "0s", "--export", "away")["plans"]) == 70
        assert hub.json("plans") == [] and hub.json("dead", "list") == [] and hub.json("questions") == []
        assert len(list((hub.dir / "away").iterdir())) == 70


def test_questions_of_another_hub_touch_none_of_this_one(box):
    gate = "plan: {}\ntasks:\n  - {{id: t, agent: writer, prompt: Write one line., outputs: [line.md], gate: human}}\n"
    with Journey(box, mind, TEAM) as hub:
        here, there = Elsewhere(hub, hub.dir), Elsewhere(hub, other(box, hub, "there"))
        for at, name in ((here, "a"), (there, "b")):
            (at.dir / "plan.yaml").write_text(gate.format(name))
            at.agenttalk("run", "--plan", "plan.yaml", "--json").expect(3)
        (asked,), (open_one,) = here.json("questions"), there.json("questions")
        assert asked["id"] == open_one["id"], "the same number, of two hubs"
        here.agenttalk("answer", asked["id"], "--approve").expect(0)
        here.agenttalk("run", "plan_a").expect(0)
        here.agenttalk("export", "plan_a", "--archive", "a.tar").expect(0)
        there.agenttalk("import", str(here.dir / "a.tar")).expect(0)
        question = there.dir / "human/inbox" / f"{open_one['id']}.json"
        for verb in (["export", "plan_a"], ["repair"], ["export", "plan_a"]):
            there.agenttalk(*verb).expect(0)
            assert question.exists(), verb
        assert there.json("questions") == [open_one]
        assert "error" not in there.agenttalk("doctor").out
