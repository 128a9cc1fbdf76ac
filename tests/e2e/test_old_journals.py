"""Journals that version 0.1.0 wrote open, fold to the same states, and show the same files."""

import json
import pathlib
import shutil
import tarfile

JOURNALS = pathlib.Path(__file__).resolve().parents[1] / "data/journals"
SHOWN = ("agents", "plans", "human", "dead_letter")


def unpack(box, archive):
    with tarfile.open(archive) as tar:
        tar.extractall(box.dir)
    return box.dir / "hub", json.loads((box.dir / "expected.json").read_text())


def holds(old, new, where):
    """What was said is still said; more may be said beside it."""
    if isinstance(old, dict):
        assert isinstance(new, dict), f"{where}: {new!r} instead of an object"
        for key, value in old.items():
            assert key in new, f"{where}: no {key} any more"
            holds(value, new[key], f"{where}.{key}")
    elif isinstance(old, list):
        assert isinstance(new, list) and len(old) == len(new), f"{where}: {len(old)} entries were there, now {new!r}"
        for index, value in enumerate(old):
            holds(value, new[index], f"{where}[{index}]")
    else:
        # A line of a log says by now whose it is, and what the command asks for.
        filled = where.endswith((".agent_id", ".task_id", ".command_id", ".command.prompt", ".command.score_criteria"))
        if filled and old in (None, ""):
            return
        assert old == new, f"{where}: {old!r} became {new!r}"


def expect_states(box, hub, expected):
    ask = lambda *verb: box.run(*verb, "--hub", hub, "--json").json  # noqa: E731
    # Newest first by now; then it was by id.
    holds([plan["summary"] for plan in expected["plans"].values()], sorted(ask("plans"), key=lambda one: one["plan_id"]), "plans")
    for plan, said in expected["plans"].items():
        holds(said["status"], ask("status", plan), f"status {plan}")
        if said["show"]:
            holds(said["show"], ask("plan", "show", plan), f"plan show {plan}")
        log = [json.loads(line) for line in box.run("log", plan, "--hub", hub, "--json").out.splitlines()]
        holds(said["log"], log, f"log {plan}")
    holds(expected["dead"], ask("dead", "list"), "dead list")


def lines(text):
    return [json.loads(line) for line in text.splitlines()]


def expect_files(box, hub, expected):
    for folder in SHOWN:
        shutil.rmtree(hub / folder, ignore_errors=True)
    box.run("repair", "--hub", hub).expect(0)
    for name, text in expected["files"].items():
        path = hub / name
        assert path.is_file(), f"{name} is not made any more"
        now = path.read_bytes().decode("latin-1")
        if name.endswith(".jsonl"):
            # The line with a finished command's message is new.
            holds(lines(text), [line for line in lines(now) if line.get("type") != "command_finished"], name)
        elif name.endswith(".json") and text.startswith("{"):
            holds(json.loads(text), json.loads(now), name)
        else:
            assert now == text, f"{name} has other bytes"


def check(box, name):
    hub, expected = unpack(box, JOURNALS / f"{name}.tar.xz")
    expect_states(box, hub, expected)
    expect_files(box, hub, expected)
    expect_states(box, hub, expected)  # through the snapshots of this version, where it made any


def _test_of(name):
    def test(box):
        check(box, name)
    test.__doc__ = f"The journal {name} opens."
    return test


for _archive in sorted(JOURNALS.glob("*.tar.xz")):
    _name = _archive.name.removesuffix(".tar.xz")
    globals()[f"test_{_name}"] = _test_of(_name)
