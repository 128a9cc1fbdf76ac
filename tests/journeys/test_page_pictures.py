"""A team at work on a quarterly report, looked at from every side. With AGENTTALK_PICTURES=DIR the pictures of docs/page.md are
written there (scripts/pictures.sh)."""

import base64
import json
import os
import pathlib
import threading

from browser import Browser
from journey import wait_for
from page_hub import Page, expect_accessible, expect_clean

TEAM = {
    "analyst": {"name": "Analyst", "prompt": "You calculate and show how.", "capabilities": ["analysis"], "model": "model-large", "max_parallel": 3},
    "researcher": {"name": "Researcher", "prompt": "You find and quote sources.", "capabilities": ["research"], "max_parallel": 3},
    "writer": {"name": "Writer", "prompt": "You write plainly.", "capabilities": ["writing"], "model": "model-large"},
    "checker": {"name": "Checker", "prompt": "You look for mistakes.", "capabilities": ["review"]},
}

PLAN = """
plan: q3-report
goal: Quarterly report for the board, with figures, causes and an outlook
tasks:
  - {id: sales-figures, agent: analyst, prompt: "Sum the sales by month.", outputs: [sales.md]}
  - {id: support-tickets, agent: researcher, prompt: "Group the tickets by cause.", outputs: [tickets.md]}
  - {id: customer-survey, agent: researcher, prompt: "Summarise the survey.", outputs: [survey.md], retry: 2}
  - {id: competitors, agent: researcher, prompt: "List what competitors shipped.", outputs: [competitors.md]}
  - {id: trends, agent: analyst, prompt: "Find the trends.", needs: [sales-figures], outputs: [trends.md]}
  - {id: regions, agent: analyst, prompt: "Compare the regions.", needs: [sales-figures], outputs: [regions.md]}
  - {id: churn, agent: analyst, prompt: "Explain the churn.", needs: [support-tickets, customer-survey], outputs: [churn.md]}
  - {id: causes, agent: writer, prompt: "Name the three main causes.", needs: [trends, regions], outputs: [causes.md], gate: human}
  - {id: outlook, agent: writer, prompt: "Write the outlook.", needs: [causes, churn, competitors], outputs: [outlook.md]}
  - {id: draft, agent: writer, prompt: "Write the report.", needs: [outlook], outputs: [report.md]}
  - {id: facts, agent: checker, prompt: "Check every figure.", needs: [draft], outputs: [facts.md]}
  - {id: summary, agent: writer, prompt: "Write one page for the board.", needs: [facts], outputs: [summary.md]}
deliverables: [report.md, summary.md]
"""

CAUSES = ["# Causes", "", "1. **Late deliveries** in the north since July.", "2. A new competitor below our price.", "3. The holiday season."]
RESULTS = {
    "Sum the sales by month.": "| month | sales |\n|---|---|\n| July | 412 |\n| August | 388 |\n| September | 431 |\n",
    "Group the tickets by cause.": "- 61 late deliveries\n- 24 billing\n- 9 other\n", "Summarise the survey.": "Satisfaction fell from 8.1 to 7.4.\n",
    "Find the trends.": "Sales dip in August and recover.\n", "Compare the regions.": "The north lost 9 %, the south gained 2 %.\n",
}


class Mind:
    """Answers by the request; the churn takes its time, and one source cannot be reached."""

    def __init__(self):
        self.go_on = threading.Event()
        self.tries = 0

    def __call__(self, request):
        if "List what competitors shipped." in request:
            return (400, "the page of sources cannot be reached")
        if "Explain the churn." in request:
            self.go_on.wait(120)
            return {"result": "Late deliveries explain most of it.\n"}
        if "Summarise the survey." in request:
            self.tries += 1
            if self.tries == 1:
                return (503, "overloaded")
        if "Name the three main causes." in request:
            lines = list(CAUSES)
            if "with figures" in request:
                lines[2] = "1. **Late deliveries** in the north since July: 61 of 94 tickets."
                lines[3] = "2. A new competitor, 12 % below our price."
            return {"result": "\n".join(lines) + "\n"}
        for prompt, result in RESULTS.items():
            if prompt in request:
                return {"result": result}
        return {"result": "Done.\n"}


class Camera:
    def __init__(self, box):
        self.folder = pathlib.Path(os.environ.get("AGENTTALK_PICTURES", box.dir / "pictures"))
        self.folder.mkdir(parents=True, exist_ok=True)

    def take(self, browser, name):
        browser.script_async("requestAnimationFrame(() => requestAnimationFrame(() => arguments[0](true)))")
        kind = os.environ.get("AGENTTALK_PICTURE_KIND", "webp")
        picture = browser.cdp("Page.captureScreenshot", format=kind, **({"quality": 80} if kind == "webp" else {}))
        (self.folder / f"{name}.{kind}").write_bytes(base64.b64decode(picture["data"]))


def at_work(hub):
    """Served, with the plan in the middle: something runs, something failed, something waits for a person a second time."""
    hub.write("report.yaml", PLAN)
    hub.start()
    hub.spawn("run", "--plan", "report.yaml", "--json")

    def question():
        return next((one for one in hub.json("questions") if one["kind"] == "approve"), None)

    first = wait_for(question, "the gate")["id"]
    hub.agenttalk("answer", first, "Good, but with figures for each cause.", "--reject").expect(0)
    wait_for(lambda: question() and question()["id"] != first, "the second version")
    wait_for(lambda: any(task["state"] == "FAILED" for task in hub.json("status", "plan_q3-report")["tasks"]), "the failure")


def look(browser, place, wanted):
    browser.script("location.hash = '#/' + arguments[0]", place)
    browser.wait_text(wanted)


def test_every_view_of_a_team_at_work(box):
    """Each view says what matters, in both shades and on a phone."""
    mind = Mind()
    camera = Camera(box)
    with Page(box, mind, TEAM, name="board") as hub:
        hub.config["providers"]["mindful"].update({"prices": {"input": 3, "output": 15}, "model": "model-small"})
        hub.write("agenttalk.yaml", json.dumps(hub.config, indent=1))
        at_work(hub)
        plan = "plan/plan_q3-report"
        with Browser(size="1400,980") as browser:
            browser.open(hub.link())
            look(browser, "plans", "Quarterly report")
            camera.take(browser, "plans")
            look(browser, plan, "Running now")
            browser.wait_text("churn")
            browser.wait(lambda: browser.has("article.question .diff .added"), "what changed since the last version")
            said = browser.text()
            assert "competitors" in said and "cannot be reached" in said, said  # what went wrong
            assert "Waits for you" in said and "Name the three main causes." not in said
            camera.take(browser, "plan")
            expect_accessible(browser, "the plan")
            browser.script("document.querySelector('.graph').scrollIntoView()")
            camera.take(browser, "graph")
            look(browser, plan + "/tasks/causes", "Good, but with figures")
            camera.take(browser, "task")
            look(browser, plan + "/attempts/causes", "Version 2")
            browser.wait(lambda: browser.has(".diff .added"), "the difference")
            camera.take(browser, "attempts")
            look(browser, plan + "/timeline", "sales-figures")
            camera.take(browser, "timeline")
            look(browser, plan + "/events", "Good, but with figures")
            camera.take(browser, "events")
            look(browser, "questions", "causes")
            browser.wait(lambda: browser.has("article.question .diff .added"), "what changed since the last version")
            camera.take(browser, "questions")
            look(browser, "agents", "churn")
            camera.take(browser, "agents")
            look(browser, "spending", "analyst")
            camera.take(browser, "spending")
            look(browser, "start", "A goal in words")
            camera.take(browser, "start")
            browser.click_text("Dark")
            look(browser, plan + "/graph/causes", "Good, but with figures")
            camera.take(browser, "dark")
            expect_clean(browser)
        with Browser(size="420,880") as browser:
            browser.cdp("Emulation.setDeviceMetricsOverride", width=412, height=870, deviceScaleFactor=1.5, mobile=True)
            browser.open(hub.link())
            look(browser, plan, "Running now")
            browser.wait(lambda: browser.has("article.question .diff .added"), "what changed since the last version")
            wide = browser.script("return [document.documentElement.scrollWidth, innerWidth]")
            assert wide[0] <= wide[1], f"the page is wider than the phone: {wide}"
            camera.take(browser, "phone")
            look(browser, plan + "/tasks", "sales-figures")
            camera.take(browser, "phone-tasks")
            expect_accessible(browser, "a phone")
            expect_clean(browser)
        mind.go_on.set()
