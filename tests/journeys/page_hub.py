"""What journeys through the page share: a served hub with its page, and what has to hold on every page."""

import http.client
import json
import pathlib

from browser import free_port
from journey import Journey
from sandbox import Skip

ROOT = pathlib.Path(__file__).resolve().parents[2]
AXE = ROOT / "web/node_modules/axe-core/axe.min.js"

PLAN = """
plan: menu
goal: A menu for tomorrow
tags: [kitchen, weekly]
files: [stock.txt]
tasks:
  - {id: take-stock, agent: buyer, prompt: "Say what has to be used up.", inputs: [stock.txt], outputs: [use-up.md]}
  - {id: write-menu, agent: editor, prompt: "Write the menu.", inputs: [use-up.md], outputs: [menu.md], gate: human}
deliverables: [menu.md]
"""
TEAM = {"buyer": {"name": "Buyer", "prompt": "You know the larder."}, "editor": {"name": "Editor", "prompt": "You write."}}


def mind(request):
    if "Say what has to be used up." in request:
        return {"result": "Use up " + request.find(r"STOCK: (\w+)", "the text of stock.txt") + "."}
    request.need("the menu.")
    rhyme = "in rhyme" if "in rhyme, please" in request or "in rhyme." in request else "plainly"
    return {"result": f"# Menu\n\nPlums, {rhyme}.\n"}


class Page(Journey):
    """A served hub with its page."""

    def __init__(self, box, think=mind, agents=None, **config):
        super().__init__(box, think, agents or TEAM, **config)
        self.port = free_port()
        self.origin = f"http://127.0.0.1:{self.port}"
        self.write("stock.txt", "STOCK: plums\n")
        self.write("plan.yaml", PLAN)

    def start(self, *arguments, env=None):
        return super().start("--http", f"127.0.0.1:{self.port}", *arguments, env=env)

    def link(self):
        return self.json("ui", "--no-browser")["url"]

    def ask(self, method, path, headers=None, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.request(method, path, body=body, headers={"Host": f"127.0.0.1:{self.port}", **(headers or {})})
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()

    def cookie(self):
        status, headers, _ = self.ask("GET", self.link().removeprefix(self.origin))
        assert status == 303, status
        return headers["Set-Cookie"].split(";")[0]

    def post(self, name, parameters=None, **headers):
        given = {"Content-Type": "application/json", "Origin": self.origin, **headers}
        return self.ask("POST", "/v1/" + name, given, json.dumps(parameters or {}))

    def read_json(self, name, parameters, cookie):
        status, _, body = self.post(name, parameters, Cookie=cookie)
        assert status == 200, body
        return json.loads(body)


def wait_state(browser, state):
    """Until the head of the plan's page says so."""
    browser.wait(lambda: browser.has(f".summary .badge.plan-{state}"), f"a plan that is {state}", 60)


def expect_clean(browser, unreachable=False):
    """Nothing that the browser complained about: no script error, no violated policy. While a server is down its browser
    says so, which is not the page's doing."""
    problems = [one for one in browser.problems() if not (unreachable and "net::ERR_" in one)]
    assert problems == [], f"the browser complained: {problems}"


def expect_accessible(browser, where=""):
    """axe-core finds nothing above minor on the page as it is now."""
    if not AXE.exists():
        raise Skip("axe-core is not installed")
    browser.script(AXE.read_text(encoding="utf-8"))
    found = browser.script_async("axe.run(document).then(r => arguments[0](r.violations))")
    serious = [(one["id"], one["impact"], [node["html"][:200] for node in one["nodes"]][:3]) for one in found if one["impact"] != "minor"]
    assert not serious, f"{where}: {serious}"


def expect_good(browser, where=""):
    expect_accessible(browser, where)
    expect_clean(browser)


def tree_plan(size, name="large"):
    """Every task but the first depends on another one; at most fourteen follow one another."""
    lines = [f"plan: {name}", "goal: Many tasks", "tasks:"]
    for i in range(size):
        needs = f", needs: [t{(i - 1) // 2}]" if i else ""
        lines.append(f'  - {{id: t{i}, agent: buyer, prompt: "Do {i}."{needs}}}')
    return "\n".join(lines) + "\n"
