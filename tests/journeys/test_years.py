"""A hub that lives for years: many finished plans are listed, searched and paged without being read."""

import json
import sqlite3

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


def back_to_version_one(path):
    """As the program before would have left the file."""
    # meta's checksum is CRC-32C of the key and the value; that of version 1 is known from the journal's own tests.
    with sqlite3.connect(path) as database:
        database.execute("DROP TABLE plans")
        database.execute("DROP TABLE imported")
        database.execute("DELETE FROM meta WHERE key IN ('summarized', 'last_stream')")
        database.execute("UPDATE meta SET value = 1, crc = 4142361004 WHERE key = 'schema_version'")
    database.close()
