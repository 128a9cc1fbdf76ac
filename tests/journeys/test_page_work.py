"""Work through the page in a real browser: start a goal, look at the past, fork and compare, say something, and keep looking
while the server is killed."""

import json
import re

from browser import Browser
from journey import wait_for
from page_hub import Page, expect_accessible, expect_clean, expect_good, wait_state
from test_gates import SAID_PLAN, remark_mind
from test_goals import closing, intent, output, review, route, stage_of

GOAL = "A short report on sales and complaints"
SALES = "month,amount\njan,10\nfeb,20\nmar,12\n"
VOICES = "Too slow, says Ann.\nToo slow, says Bob.\nToo dear, says Cid.\n"


def goal_mind(request):
    stage = stage_of(request)
    if stage == "understanding":
        request.need(GOAL), request.need("sales.csv"), request.need("voices.txt")
        return intent(GOAL)
    if stage == "router":
        return route()
    if stage == "planner":
        request.need("month,amount"), request.need("Too slow, says Ann."), request.need("writing")
        tasks = [("figures", "Add the amounts of sales.csv up.", [], ["sales.csv"], ["figures.md"]),
                 ("report", "Write the total and the main complaint.", ["figures"], ["figures.md", "voices.txt"], ["report.md"])]
        return output("TASK_PLAN", {"tasks": [
            {"id": name, "description": text, "dependencies": needs, "requiredCapabilities": ["writing"], "estimatedDuration": 300000,
             "inputs": inputs, "outputs": outputs} for name, text, needs, inputs, outputs in tasks],
            "executionOrder": ["figures", "report"]})
    if stage == "reviewer":
        return review(True, "It is right.")
    if stage == "orchestrator":
        return closing()
    if request.find(r'"task": \{\s*"id": "(\w+)"', "which task it is") == "figures":
        request.need("feb,20")
        total = sum(int(n) for n in re.findall(r"^\w{3},(\d+)", SALES, re.MULTILINE))
        return output("COMPLETE", {"result": "added", "outputs": {"figures.md": f"Total: {total}\n"}})
    total = request.find(r"Total: (\d+)", "the content of figures.md")
    request.need("Too slow, says Bob.")
    return output("COMPLETE", {"result": "written", "outputs": {"report.md": f"The total is {total}. Too slow.\n"}})


def test_a_goal_with_two_files_is_started_by_the_form(box):
    """Words and two files in the form; the page follows the stages, then the graph, then offers what was made."""
    with Page(box, goal_mind, {"editor": {"name": "Editor", "prompt": "You write.", "capabilities": ["writing"]}}) as hub, \
            Browser() as browser:
        hub.write("given/sales.csv", SALES)
        hub.write("given/voices.txt", VOICES)
        hub.start()
        browser.open(hub.link())
        browser.wait_text("No plans yet")
        expect_good(browser, "an empty hub")
        browser.click_text("Start a plan")
        browser.type("#goal", GOAL)
        browser.type("#goal-files", f"{hub.dir}/given/sales.csv\n{hub.dir}/given/voices.txt")
        expect_good(browser, "the form")
        browser.click_text("Run")
        wait_state(browser, "completed")
        browser.wait(lambda: browser.script("return (window.agenttalkGraph?.graph.tasks.length ?? 0) === 2"), "the graph")
        browser.wait(lambda: browser.has("a.chip[download='report.md']"), "the report")
        # The stages are there too, with what they were told.
        browser.click_text("Tasks")
        browser.wait_text("Stages and other commands")
        browser.click_text("report")
        browser.wait(lambda: browser.has("aside.panel .files"), "the panel")
        browser.click("aside.panel .files summary")
        browser.wait_text("The total is 42. Too slow.")
        browser.click_text("Spending", ".tabs a")
        browser.wait_text("mindful")
        assert browser.has("table"), browser.text()
        plan = hub.json("plans")[0]["plan_id"]
        assert hub.read(f"plans/{plan}/deliverables/report.md") == "The total is 42. Too slow.\n"
        expect_good(browser, "a goal that is done")


def shown_states(browser):
    """What the list of tasks says, by task."""
    return browser.script("""return Object.fromEntries([...document.querySelectorAll('.list table:first-of-type tbody tr')]
        .map(row => [row.cells[0].innerText.trim(), row.cells[2].querySelector('.badge').innerText.replace(/^\\S+\\s/, '').trim()]))""")


WORDS = {"PENDING": "pending", "READY": "ready", "RUNNING": "running", "BLOCKED_WAITING_HUMAN": "waits for a person",
         "COMPLETED": "completed", "BLOCKED_WAITING_INPUT": "waits for input"}


def test_the_plan_as_it_was(box):
    """Dragged through time the page shows what `replay` says; and comes back to now. A plan that was changed has its old graph."""
    with Page(box) as hub, Browser() as browser:
        hub.start()
        assert hub.agenttalk("run", "--plan", "plan.yaml", "--json").code == 3
        question = next(one["id"] for one in hub.json("questions") if one["kind"] != "alert")
        hub.agenttalk("answer", question, "--approve").expect(0)
        wait_for(lambda: hub.json("status", "plan_menu")["state"] == "completed", "the end")
        hub.agenttalk("plan", "append", "plan_menu", "--task", "more", "--needs", "write-menu", "--instruction", "Write the menu.",
                      "--assignee", "editor").expect(0)
        wait_for(lambda: hub.json("status", "plan_menu")["state"] == "completed", "the end of the task that was added")
        browser.open(hub.link())
        browser.wait_text("A menu for tomorrow")
        browser.script("location.hash = '#/plan/plan_menu/tasks'")
        browser.wait(lambda: len(shown_states(browser)) == 3, "three tasks")
        seen = set()
        for share in (0.9, 0.6, 0.45, 0.3, 0.15):
            browser.drag("#time", share)
            browser.wait_text("As it was after event")
            number = int(browser.wait(lambda: browser.script(
                r"return (document.querySelector('.slider label').innerText.match(/event (\d+) .*\d/) ?? [])[1]"), "the event"))
            expected = {one["task_id"]: WORDS[one["state"]] for one in hub.json("replay", "plan_menu", "--at", str(number))["tasks"]}
            if not expected:
                continue
            browser.wait(lambda: shown_states(browser) == expected,
                         f"the tasks as they were after event {number}: {expected}")
            seen.add(json.dumps(expected, sort_keys=True))
            expect_good(browser, f"after event {number}")
        assert len(seen) >= 3, seen
        assert any(len(json.loads(one)) == 2 for one in seen), "the plan before a task was added"
        browser.click_text("Graph", ".tabs a")
        browser.wait(lambda: browser.script("return window.agenttalkGraph?.graph.tasks.length === 2"), "the graph as it was")
        browser.click_text("Back to now")
        browser.wait(lambda: browser.script("return window.agenttalkGraph?.graph.tasks.length === 3"), "the graph of now")
        browser.wait_text("Live")
        expect_good(browser, "now")


def test_a_fork_is_made_and_compared(box):
    """From a task, with another prompt; the page shows both plans side by side and the lines that differ."""
    with Page(box) as hub, Browser() as browser:
        hub.write("plan.yaml", hub.read("plan.yaml").replace(", gate: human", ""))
        hub.start()
        hub.agenttalk("run", "--plan", "plan.yaml", "--json").expect(0)
        browser.open(hub.link())
        browser.wait_text("A menu for tomorrow")
        browser.script("location.hash = '#/plan/plan_menu/tasks/write-menu'")
        browser.wait(lambda: browser.has("#fork-prompt"), "the panel")
        browser.type("#fork-prompt", "Write the menu. Write it in rhyme.")
        browser.click_text("Fork from here")
        browser.wait_text("fork of plan_menu")
        wait_state(browser, "completed")
        browser.wait(lambda: browser.has("table.compare details"), "what differs")
        browser.click("table.compare details summary")
        browser.wait(lambda: browser.has("table.compare .diff .added"), "the lines that differ")
        said = browser.text()
        assert "- Plums, plainly." in said and "+ Plums, in rhyme." in said, said
        assert hub.json("status", "plan_menu-fork")["forked_from"]["plan_id"] == "plan_menu"
        assert "take-stock" not in browser.script("return document.querySelector('table.compare').innerText"), "it is the same in both"
        expect_good(browser, "the comparison")


def test_something_is_said_to_a_plan(box):
    """`say` goes through understanding and routing; the page shows what came of it and the plan as it is now."""
    remark = "Write two sentences."
    with Page(box, remark_mind(remark), {"writer": {"name": "Writer", "prompt": "You write."}}) as hub, Browser() as browser:
        hub.write("plan.yaml", SAID_PLAN)
        hub.start()
        hub.agenttalk("run", "--plan", "plan.yaml", "--json").expect(0)
        browser.open(hub.link())
        browser.wait_text("plan_bees")
        browser.script("location.hash = '#/plan/plan_bees'")
        browser.type("#say", remark)
        browser.click_text("Send")
        browser.wait_text("Done:")
        wait_for(lambda: hub.read("plans/plan_bees/deliverables/a.md") == "Two. Sentences.", "what was made again")
        browser.script("location.hash = '#/plan/plan_bees/tasks/write'")
        browser.wait_text("Two. Sentences.")
        wait_state(browser, "completed")
        expect_good(browser, "after a remark")


def test_work_goes_on_while_the_server_is_killed(box):
    """Killed in the middle of a plan, worked on without a server, started again: the open page has everything, unloaded."""
    with Page(box) as hub, Browser() as browser:
        hub.start()
        browser.open(hub.link())
        browser.wait_text("No plans yet")
        assert hub.agenttalk("run", "--plan", "plan.yaml", "--json").code == 3
        browser.wait_text("A menu for tomorrow")
        browser.script("location.hash = '#/plan/plan_menu/events'; window.kept = true")
        browser.wait_text("Does the result of task write-menu")
        expect_good(browser, "before")
        hub.kill()
        browser.wait_text("Not connected")
        expect_accessible(browser, "without a server")
        question = next(one["id"] for one in hub.json("questions") if one["kind"] != "alert")
        hub.agenttalk("answer", question, "in rhyme, please", "--reject").expect(0)
        assert hub.agenttalk("run", "plan_menu", "--json").code == 3
        hub.start()
        browser.wait(lambda: "Not connected" not in browser.text(), "the connection")
        second = next(one["id"] for one in hub.json("questions") if one["kind"] != "alert")
        browser.wait(lambda: browser.has(f"#{second}"), "the next question")
        browser.click("#questions-here summary")
        browser.wait_text("rejection 2 of at most 3")
        events = [json.loads(line)["seq"] for line in hub.agenttalk("log", "plan_menu", "--json").out.splitlines()]
        shown = browser.wait(lambda: (lambda found: found if found and found[0] == events[-1] else None)(browser.script(
            "return [...document.querySelectorAll('table.events tbody tr')].map(row => Number(row.cells[0].innerText))")), "the last event")
        assert sorted(shown) == events, set(events) ^ set(shown)
        # Killed again right after an answer was given by the page itself.
        browser.click_text("Approve")
        hub.kill()
        hub.start()
        wait_state(browser, "completed")
        assert browser.script("return window.kept === true"), "the page was loaded again"
        assert hub.json("status", "plan_menu")["state"] == "completed"
        expect_accessible(browser, "after")
        expect_clean(browser, unreachable=True)


def test_many_pages_of_one_browser_share_a_stream(box):
    """Ten tabs: a browser opens six connections to a host, so that ten streams would stop everything. All are live, and
    another one takes over when the tab that reads is closed."""
    with Page(box) as hub, Browser() as browser:
        hub.start()
        browser.open(hub.link())
        browser.wait_text("No plans yet")
        tabs = [browser.tab()]
        for _ in range(9):
            tabs.append(browser.new_tab())
            browser.open(hub.origin + "/")
            browser.wait_text("No plans yet")
        browser.show(tabs[0])
        assert hub.agenttalk("run", "--plan", "plan.yaml", "--json").code == 3
        for tab in tabs:
            browser.show(tab)
            browser.wait_text("A menu for tomorrow")
        browser.show(tabs[0])
        browser.close_tab()
        browser.show(tabs[-1])
        question = next(one["id"] for one in hub.json("questions") if one["kind"] != "alert")
        hub.agenttalk("answer", question, "--approve").expect(0)
        for tab in tabs[1:]:
            browser.show(tab)
            browser.wait_text("✓ completed")
        expect_clean(browser)


def test_what_agents_do_now_is_shown(box):
    """An agent that works is shown with its task, which leads to the plan."""
    import threading
    go_on = threading.Event()

    def think(request):
        assert go_on.wait(60)
        return {"result": "Use up plums."}

    with Page(box, think) as hub, Browser() as browser:
        hub.start()
        running = hub.spawn("run", "--plan", "plan.yaml", "--json")
        browser.open(hub.link())
        browser.click_text("Agents")
        browser.wait_text("take-stock")
        assert "working" in browser.text() and "agents/buyer/" in browser.text(), browser.text()
        expect_good(browser, "agents at work")
        browser.click("a.chip")
        browser.wait_text("A menu for tomorrow")
        browser.wait_text("Running now")
        assert "Buyer" in browser.text() or "buyer" in browser.text()
        expect_good(browser, "a plan at work")
        go_on.set()
        running.wait(60)


def test_dead_letters_are_read_taken_again_and_removed(box):
    with Page(box) as hub, Browser() as browser:
        hub.start()
        hub.drop("agents/buyer/inbox/cmd_broken.json", "{\"this is\": <b>no JSON</b>")
        browser.open(hub.link())
        browser.click_text("Dead letters")
        browser.wait_text("cmd_broken.json")
        browser.click_text("Content")
        browser.wait_text("<b>no JSON</b>")
        expect_good(browser, "a dead letter")
        browser.click_text("Remove")
        browser.wait_text("No dead letters.")
        expect_good(browser, "no dead letter")
