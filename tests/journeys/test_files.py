"""Files reach the work: tools read, compute over and write them, in a plan; whatever happens to the program or the
workspace in between, what a tool left in outputs/ is delivered."""

import json
import shutil
import signal
import struct
import threading
import time
import zlib

from journey import Journey, wait_for
from mindful_model import call
from sandbox import need_bubblewrap

CSV = "name,amount\nann,3\nbob,4\ncid,35\n"

PLAN = """
plan: sums
goal: What the team spent
files: [data.csv]
tasks:
  - id: add
    agent: analyst
    prompt: Add the column amount of data.csv up.
    inputs: [data.csv]
    outputs: [total.json, sum.md]
  - id: report
    agent: editor
    needs: [add]
    prompt: Write a line with the total.
    inputs: [sum.md, total.json]
    outputs: [report.md]
"""

ANALYST = {"name": "Analyst", "prompt": "You calculate.", "tools": ["read_file", "write_file", "list_files", "run_program"],
           "permissions": ["run_program"]}
EDITOR = {"name": "Editor", "prompt": "You write."}

SCRIPT = """
import csv, json, sys
rows = list(csv.DictReader(open(sys.argv[1])))
json.dump({"total": sum(int(row["amount"]) for row in rows)}, open(sys.argv[2], "w"))
"""


def analyst(request):
    """Reads the file, has a program add it up, writes the second output by hand; every path is the request's."""
    request.need("Add the column amount of data.csv up.")
    results = request.tool_results()
    if not results:
        request.tool("read_file")
        return call("read_file", path=request.path("data.csv"))
    if len(results) == 1:
        if "cid,35" not in results[0]:
            return f"MISSING: the text of data.csv, only {results[0]}"
        request.tool("run_program")
        return call("run_program", argv=["python3", "-c", SCRIPT, request.path("data.csv"), request.path("total.json")])
    if len(results) == 2:
        assert "exit code 0" in results[1], results[1]
        return [call("read_file", path=request.path("total.json")),
                call("write_file", path=request.path("sum.md"), content="The sum is in total.json.\n")]
    assert json.loads(results[2]) == {"total": 42}, results[2]
    return {"result": "added up"}


def editor(request):
    total = request.find(r'\{"total": (\d+)\}', "the content of total.json")
    request.need("The sum is in total.json.")
    assert "inputs/" not in request.text, "an agent without tools is told no paths"
    return {"result": f"The team spent {total}.\n"}


def mind(request):
    return analyst(request) if "You calculate." in request.system else editor(request)


def make(hub):
    hub.write("data.csv", CSV)
    hub.write("plan.yaml", PLAN)


def captured(hub, plan):
    """What the journal says that tools left in outputs/: name, digest, and the call."""
    log = [json.loads(line) for line in hub.agenttalk("log", plan, "--json").out.splitlines()]
    return [(file["name"], file["content"]["digest"], event["data"]["call"])
            for event in log if event["type"] == "tool_call_finished" for file in event["data"]["captured"]]


def expect_done(hub):
    assert hub.read("plans/plan_sums/deliverables/report.md") == "The team spent 42.\n"
    names = [name for name, _, _ in captured(hub, "plan_sums")]
    assert sorted(names) == ["sum.md", "total.json"], names
    assert hub.read("agents/editor/inbox/plan_sums/total.json") == '{"total": 42}'


def test_tools_read_compute_and_write_files_in_a_plan(box):
    need_bubblewrap()
    with Journey(box, mind, {"analyst": ANALYST, "editor": EDITOR}) as hub:
        make(hub)
        ended = hub.json("run", "--plan", "plan.yaml")
        assert ended["state"] == "completed", ended
        expect_done(hub)


class Interrupted:
    """A mind during whose nth answer something happens to the program."""

    def __init__(self, nth, act):
        self.nth, self.act, self.count = nth, act, 0

    def __call__(self, request):
        self.count += 1
        if self.count == self.nth:
            self.act()
        return mind(request)


def interrupt_every_answer(box, how):
    need_bubblewrap()
    for nth in range(1, 6):
        process = None
        thinking = Interrupted(nth, lambda: process.send_signal(how))
        with Journey(box, thinking, {"analyst": ANALYST, "editor": EDITOR}, name=f"hub{nth}") as hub:
            make(hub)
            process = hub.spawn("run", "--plan", "plan.yaml")
            process.wait(60)
            process.communicate()
            hub.agenttalk("run", "--plan", "plan.yaml").expect(0)
            expect_done(hub)


def test_a_stop_during_any_answer_loses_no_file(box):
    interrupt_every_answer(box, signal.SIGTERM)


def test_a_kill_during_any_answer_loses_no_file(box):
    interrupt_every_answer(box, signal.SIGKILL)


# A program that leaves one file, then waits for somebody, then leaves the other.
SLOW = """
import os, time
open("outputs/first.txt", "a").write("first\\n")
open("work/started", "w").close()
while not os.path.exists("work/go"):
    time.sleep(0.01)
open("outputs/second.txt", "a").write(open("inputs/note.txt").read())
"""

SLOW_PLAN = """
plan: slow
files: [note.txt]
tasks:
  - id: make
    agent: analyst
    prompt: Make both files.
    inputs: [note.txt]
    outputs: [first.txt, second.txt]
"""


def slow_mind(request):
    request.need("Make both files.")
    request.path("note.txt"), request.path("first.txt"), request.path("second.txt")
    return {"result": "made"} if request.tool_results() else call("run_program", argv=["python3", "-c", SLOW])


def interrupt_a_program(box, how):
    """A sandboxed program is run again from what is recorded: what it appends to is as it was."""
    need_bubblewrap()
    with Journey(box, slow_mind, {"analyst": ANALYST}) as hub:
        hub.write("note.txt", "note\n")
        hub.write("plan.yaml", SLOW_PLAN)
        process = hub.spawn("run", "--plan", "plan.yaml")
        work = hub.dir / "agents/analyst/workspace/plan_slow/cmd_make_001/work"
        wait_for((work / "started").exists, "the program")
        process.send_signal(how)
        process.communicate()
        (work / "go").touch()
        hub.agenttalk("run", "--plan", "plan.yaml").expect(0)
        made = hub.dir / "plans/plan_slow/deliverables"
        assert (made / "first.txt").read_text() == "first\n" and (made / "second.txt").read_text() == "note\n"


def test_a_program_that_a_stop_cut_off_is_run_again(box):
    interrupt_a_program(box, signal.SIGTERM)


def test_a_program_that_a_kill_cut_off_is_run_again(box):
    interrupt_a_program(box, signal.SIGKILL)


def png(width, height):
    """A picture with every byte there is in it."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + bytes((x * y) % 256 for x in range(width)) for y in range(height))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows, 0)) + chunk(b"IEND", b""))


PICTURE_PLAN = """
plan: picture
files: [source.png]
tasks:
  - id: draw
    agent: analyst
    prompt: Copy the picture.
    inputs: [source.png]
    outputs: [chart.png]
  - id: frame
    agent: analyst
    prompt: Frame the picture.
    needs: [draw]
    inputs: [chart.png]
    outputs: [framed.png]
"""


def picture_mind(request):
    if request.tool_results():
        if "Copy the picture." in request:
            return {"result": "drawn"}  # the file is in outputs/ under its own name
        assert "Frame the picture." in request
        return {"result": "framed", "outputs": {"framed.png": {"file": request.find(r"(outputs/other\.png)")}}}
    if "Copy the picture." in request:
        source, target = request.path("source.png"), request.path("chart.png")
    else:
        source, target = request.path("chart.png"), "outputs/other.png"
    return call("run_program", argv=["cp", source, target])


def test_a_picture_reaches_the_deliverables_byte_for_byte(box):
    need_bubblewrap()
    picture = png(600, 400)
    with Journey(box, picture_mind, {"analyst": ANALYST}) as hub:
        hub.write("source.png", picture)
        hub.write("plan.yaml", PICTURE_PLAN)
        ended = hub.json("run", "--plan", "plan.yaml")
        assert ended["state"] == "completed", ended
        assert (hub.dir / "plans/plan_picture/deliverables/framed.png").read_bytes() == picture
        assert (hub.dir / "agents/analyst/inbox/plan_picture/chart.png").read_bytes() == picture


DELETED_PLAN = """
plan: gone
files: [note.txt]
tasks:
  - id: make
    agent: analyst
    prompt: Make a.txt, then b.txt from it.
    inputs: [note.txt]
    outputs: [a.txt, b.txt]
"""


def gone_mind(request):
    results = request.tool_results()
    if not results:
        return call("write_file", path=request.path("a.txt"), content="from the first call\n")
    if len(results) == 1:
        return call("run_program", argv=["cp", request.path("a.txt"), request.path("b.txt")])
    if len(results) == 2:
        assert "exit code 0" in results[1], results[1]
        return call("read_file", path=request.path("note.txt"))
    assert results[2] == "a note\n", results[2]
    return {"result": "made"}


def lose_the_workspace(box, how):
    """`how` stops the program during the answer, or None: only the folder goes."""
    need_bubblewrap()
    for nth in range(2, 5):
        hub, process = None, None
        gone = threading.Event()

        def act():
            if how:
                process.send_signal(how)
                process.wait(30)
            shutil.rmtree(hub.dir / "agents/analyst/workspace")
            gone.set()

        count = [0]

        def thinking(request):
            count[0] += 1
            if count[0] == nth:
                act()
            return gone_mind(request)

        with Journey(box, thinking, {"analyst": ANALYST}, name=f"hub{nth}") as hub:
            hub.write("note.txt", "a note\n")
            hub.write("plan.yaml", DELETED_PLAN)
            process = hub.spawn("run", "--plan", "plan.yaml")
            process.communicate()
            # The folder is to be gone before the next run begins; a replay asks no model, and loses none.
            assert count[0] < nth or gone.wait(30)
            hub.agenttalk("run", "--plan", "plan.yaml").expect(0)
            made = hub.dir / "plans/plan_gone/deliverables"
            assert (made / "a.txt").read_text() == (made / "b.txt").read_text() == "from the first call\n"
            assert sorted(name for name, _, _ in captured(hub, "plan_gone")) == ["a.txt", "b.txt"]


def test_a_workspace_deleted_between_two_tool_calls_is_rebuilt(box):
    lose_the_workspace(box, None)


def test_a_workspace_deleted_across_a_stop_is_rebuilt(box):
    lose_the_workspace(box, signal.SIGTERM)


def test_a_workspace_deleted_across_a_kill_is_rebuilt(box):
    lose_the_workspace(box, signal.SIGKILL)


def test_a_recorded_run_with_tools_replays_alike(box):
    """The replay answers at once: no tool may run before its files are there."""
    need_bubblewrap()
    with Journey(box, mind, {"analyst": ANALYST, "editor": EDITOR}) as hub:
        make(hub)
        hub.agenttalk("run", "--plan", "plan.yaml", "--record", "tape.jsonl").expect(0)
        first = {name: digest for name, digest, _ in captured(hub, "plan_sums")}
        asked = len(hub.model.requests)
        for run in range(3):
            shutil.rmtree(hub.dir / ".agenttalk")
            for folder in ("agents", "plans"):
                shutil.rmtree(hub.dir / folder, ignore_errors=True)
            hub.agenttalk("run", "--plan", "plan.yaml", "--replay", "tape.jsonl").expect(0)
            expect_done(hub)
            assert {name: digest for name, digest, _ in captured(hub, "plan_sums")} == first, run
        assert len(hub.model.requests) == asked


def test_too_much_in_outputs_is_refused_and_said(box):
    need_bubblewrap()

    def greedy(request):
        results = request.tool_results()
        if not results:
            return call("run_program", argv=["truncate", "-s", "3000000", request.path("big.bin")])
        if len(results) == 1:
            assert "big.bin has 3000000 bytes" in results[0] and "work/" in results[0], results[0]
            return call("list_files", path="outputs")
        if len(results) == 2:
            assert "big.bin" not in results[1], results[1]
            return call("write_file", path=request.path("big.bin"), content="small")
        return {"result": "less"}

    with Journey(box, greedy, {"analyst": ANALYST}, limits={"max_input_bytes": 2000000}) as hub:
        hub.write("plan.yaml", "plan: big\ntasks:\n  - {id: make, agent: analyst, prompt: Make it., outputs: [big.bin]}\n")
        hub.agenttalk("run", "--plan", "plan.yaml").expect(0)
        assert hub.read("plans/plan_big/deliverables/big.bin") == "small"
