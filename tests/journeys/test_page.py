"""The page in a real browser, and against everybody who should not get in."""

import http.client
import json
import re
import subprocess
import sys

from browser import Browser
from journey import wait_for
from page_hub import ROOT, Page, expect_accessible, expect_clean, expect_good, wait_state

sys.path.insert(0, str(ROOT / "tests/attacks"))
from attack import STEERING  # noqa: E402


def test_a_person_watches_judges_and_reads(box):
    """Watch a plan, read a task's prompt and answer, reject with a text, approve what comes back."""
    with Page(box) as hub, Browser() as browser:
        hub.start()
        browser.open(hub.link())
        browser.wait_text("No plans yet")
        assert hub.agenttalk("run", "--plan", "plan.yaml", "--json").code == 3
        browser.wait_text("A menu for tomorrow")
        browser.click_text("A menu for tomorrow")
        browser.wait_text("Does the result of task write-menu")
        browser.click_text("Tasks")
        browser.wait_text("waits for a person")
        browser.click_text("take-stock")
        browser.wait_text("Use up plums.")
        browser.click_text("Prompt")
        browser.wait_text("Say what has to be used up.")
        assert "STOCK: plums" in browser.text()
        browser.type("article.question textarea", "in rhyme, please")
        browser.click_text("Reject")
        browser.wait(lambda: any("in rhyme, please" in request for request in hub.model.requests), "the rework")
        browser.wait_text("rejection 2 of at most 3")  # the next question
        browser.wait(lambda: browser.has("article.question .diff .added"), "the difference to the last version")
        browser.click_text("Approve")
        wait_for(lambda: hub.json("status", "plan_menu")["state"] == "completed", "the end of the plan")
        wait_state(browser, "completed")
        assert hub.read("plans/plan_menu/deliverables/menu.md") == "# Menu\n\nPlums, in rhyme.\n"
        # Both versions side by side, with the person's words between them.
        browser.script("location.hash = '#/plan/plan_menu/attempts/write-menu'")
        browser.wait(lambda: browser.has(".diff .added"), "the difference between the versions")
        said = browser.text()
        assert "Version 1" in said and "Version 2" in said and "in rhyme, please" in said, said
        assert "- Plums, plainly." in said and "+ Plums, in rhyme." in said, said
        expect_good(browser, "attempts")


def test_plans_are_found_by_a_tag(box):
    with Page(box) as hub, Browser() as browser:
        hub.start()
        assert hub.agenttalk("run", "--plan", "plan.yaml", "--json").code == 3
        hub.write("other.yaml", json.dumps({"plan": "other", "goal": "Count the plums", "tags": "weekly", "files": ["stock.txt"], "tasks": [
            {"id": "count", "agent": "buyer", "prompt": "Say what has to be used up.", "inputs": ["stock.txt"], "outputs": ["use-up.md"]}]}))
        hub.agenttalk("run", "other.yaml", "--json").expect(0)
        browser.open(hub.link())
        browser.wait_text("A menu for tomorrow")
        browser.wait_text("Count the plums")
        browser.click_text("kitchen")
        browser.wait(lambda: "Count the plums" not in browser.text(), "only the plans of the kitchen")
        assert "A menu for tomorrow" in browser.text()
        expect_good(browser, "plans with a tag")
        browser.click("button[title='Remove this filter']")
        browser.wait_text("Count the plums")
        browser.click_text("weekly")
        browser.wait(lambda: browser.has("button[title='Remove this filter']"), "the chosen tag")
        assert "Count the plums" in browser.text() and "A menu for tomorrow" in browser.text()


def test_a_server_that_was_killed_is_caught_up_with(box):
    """The page stays open through a kill and a new start, and shows what happened meanwhile without a reload."""
    with Page(box) as hub, Browser() as browser:
        hub.start()
        browser.open(hub.link())
        browser.wait_text("No plans yet")
        browser.script("window.kept = true")
        hub.kill()
        browser.wait_text("Not connected")
        hub.start()
        assert hub.agenttalk("run", "--plan", "plan.yaml", "--json").code == 3
        browser.wait_text("A menu for tomorrow")
        assert browser.script("return window.kept === true"), "the page was loaded again"


def test_the_page_is_accessible(box):
    """axe-core finds nothing above minor, in light and dark, in English and Chinese, on a phone's width."""
    with Page(box) as hub:
        hub.start()
        assert hub.agenttalk("run", "--plan", "plan.yaml", "--json").code == 3
        for size, language in (("1400,900", "en"), ("420,800", "zh")):
            with Browser(language=language, size=size) as browser:
                browser.open(hub.link())
                browser.wait(lambda: browser.has("header.bar"), "the page")
                for shade in ("light", "dark"):
                    browser.script("document.documentElement.dataset.theme = arguments[0]", shade)
                    for place in ("plans", "plan/plan_menu/graph/take-stock", "plan/plan_menu/tasks", "plan/plan_menu/timeline",
                                  "plan/plan_menu/events", "plan/plan_menu/spending", "plan/plan_menu/compare",
                                  "plan/plan_menu/attempts/take-stock", "questions", "agents", "letters", "spending", "start"):
                        browser.script("location.hash = '#/' + arguments[0]", place)
                        browser.wait(lambda: browser.has("h1"), place)
                        expect_accessible(browser, f"{place} ({shade}, {language})")


HOSTILE = [
    "<script>document.title='owned'</script>", "<img src=x onerror=\"document.title='owned'\">", "[click](javascript:document.title='owned')",
    "<svg onload=\"document.title='owned'\">", "\u202egnp.exe", "\x1b[2J\x9b31m", "![x](http://198.51.100.1/x.png)",
    "</pre><iframe src='http://198.51.100.1/'></iframe>", "<a href='javascript:document.title=`owned`'>x</a>", "<style>@import 'http://198.51.100.1/'</style>",
    "<base href='http://198.51.100.1/'>", "<meta http-equiv=refresh content='0;url=http://198.51.100.1/'>", "<form action=http://198.51.100.1/><button>x</button></form>",
    "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=x onerror=document.title=`owned`&gt;'>", "{{constructor.constructor('document.title=`owned`')()}}",
    "```\n</pre><script>document.title='owned'</script>\n```", "<object data='http://198.51.100.1/x.swf'></object>", "<details open ontoggle=\"document.title='owned'\">",
    "\u2028document.title='owned'//", "&lt;script&gt;document.title='owned'&lt;/script&gt;", "]]><script>document.title='owned'</script>", "data:text/html,<script>alert(1)</script>", "fine" + "".join(STEERING.values())]
SVG = "<svg xmlns='http://www.w3.org/2000/svg' onload=\"document.title='owned'\"><script>document.title='owned'</script><image href='http://198.51.100.1/x.png'/></svg>"
HOSTILE_PLAN = """
plan: menu
goal: %s
files: [stock.txt]
tasks:
  - {id: take-stock, agent: buyer, prompt: "Say what has to be used up.", inputs: [stock.txt], outputs: [use-up.md]}
  - {id: draw, agent: buyer, prompt: "Draw it.", outputs: [picture.svg]}
  - {id: list, agent: buyer, prompt: "List it.", outputs: [list.json]}
  - {id: write-menu, agent: editor, prompt: "Write the menu.", inputs: [use-up.md], outputs: [menu.md], gate: human}
"""


def test_hostile_content_stays_text(box):
    """What models, files, names and goals say is shown as text: nothing runs, nothing is loaded from elsewhere."""
    nasty = "\n".join(HOSTILE)

    def think(request):
        if "Draw it." in request:
            return {"result": SVG}
        if "List it." in request:
            return {"result": json.dumps({one: one for one in HOSTILE})}
        return {"result": "# " + nasty + "\n\n- " + "\n- ".join(HOSTILE) + "\n\n" + nasty}

    words = "\n".join(HOSTILE[:4])
    team = {"buyer": {"name": HOSTILE[0], "prompt": words, "capabilities": [HOSTILE[1]]}, "editor": {"name": HOSTILE[3], "prompt": words}}
    with Page(box, think, team) as hub, Browser() as browser:
        hub.write("stock.txt", "STOCK: plums\n" + nasty)
        hub.write("plan.yaml", HOSTILE_PLAN % json.dumps("A menu for tomorrow " + HOSTILE[0] + HOSTILE[1] + HOSTILE[4]))
        hub.start()
        assert hub.agenttalk("run", "--plan", "plan.yaml", "--json").code == 3
        hub.drop("agents/buyer/inbox/cmd_<img src=x onerror=document.title='owned'>.json", nasty)
        browser.open(hub.link())
        browser.wait_text("A menu for tomorrow")
        browser.requests()
        tab = "plan/plan_menu/"
        for place in ("plans", tab + "graph", tab + "tasks/take-stock", tab + "tasks/draw", tab + "tasks/list", tab + "attempts/take-stock", tab + "events",
                      tab + "timeline", tab + "spending", "questions", "agents", "letters", "spending"):
            browser.script("location.hash = '#/' + arguments[0]", place)
            browser.wait(lambda: browser.has("details, table, article, canvas, ol"), place)
            browser.script("document.querySelectorAll('details').forEach(d => { d.open = true; })")
            browser.script_async("setTimeout(() => arguments[0](true), 300)")
            assert "owned" not in browser.script("return document.title"), place
            steering = [name for name, character in STEERING.items() if character in browser.script("return document.body.textContent")]
            assert not steering, f"{place}: {steering}"
            assert not browser.has("iframe, object, embed, base, meta[http-equiv], script:not([src]), style, svg[onload], [onerror], [ontoggle], a[href^='javascript:']"), place
        # What a browser would run is a download, also when it is opened by its address.
        status, headers, body = hub.ask("GET", "/v1/file?plan=plan_menu&name=picture.svg", {"Cookie": hub.cookie()})
        assert status == 200 and body.decode() == SVG, body
        assert headers["Content-Disposition"] == "attachment" and headers["Content-Type"] == "application/octet-stream", headers
        assert "sandbox" in headers["Content-Security-Policy"] and headers["X-Content-Type-Options"] == "nosniff", headers
        strangers = [url for url in browser.requests() if not url.startswith(hub.origin + "/")]
        assert not strangers, strangers
        expect_clean(browser)


def test_strangers_do_not_get_in(box):
    """Wrong host, foreign origin, no session, used link, other content types: each is refused."""
    with Page(box) as hub:
        hub.start()
        origin = {"Origin": f"http://127.0.0.1:{hub.port}"}
        assert hub.post("plans")[0] == 401
        cookie = hub.cookie()
        assert hub.post("plans", Cookie=cookie)[0] == 200
        assert hub.post("plans", Cookie=cookie, Origin="http://evil.example")[0] == 403
        assert hub.post("plans", Cookie=cookie, Origin="null")[0] == 403
        assert hub.post("plans", Cookie=cookie, Host=f"evil.example:{hub.port}")[0] == 421, "DNS rebinding"
        assert hub.post("plans", Cookie=cookie, **{"Content-Type": "text/plain"})[0] == 415
        assert hub.post("plans", Cookie=cookie, **{"Content-Type": "application/x-www-form-urlencoded"})[0] == 415
        assert hub.post("plans", Cookie=cookie, **{"Sec-Fetch-Site": "cross-site"})[0] == 403
        assert hub.ask("POST", "/v1/plans", {"Content-Type": "application/json", "Cookie": cookie}, "{}")[0] == 403, "no origin"
        assert hub.post("plans", Cookie=cookie[:-1] + ("0" if cookie[-1] != "0" else "1"))[0] == 401
        assert hub.ask("GET", "/v1/stream", {"Cookie": cookie, "Origin": "http://evil.example"})[0] == 403
        assert hub.ask("GET", "/v1/stream")[0] == 401
        assert hub.ask("GET", "/v1/file?plan=plan_x&name=y")[0] == 401
        assert hub.post("repair", Cookie=cookie)[0] == 403, "not for the page"
        assert hub.post("page/link", Cookie=cookie)[0] == 403, "a session makes no sessions"
        link = hub.link().removeprefix(f"http://127.0.0.1:{hub.port}")
        assert hub.ask("GET", link)[0] == 303
        assert hub.ask("GET", link)[0] == 403, "a link works once"
        assert hub.ask("GET", "/login?token=" + "0" * 64)[0] == 403
        assert hub.ask("PUT", "/v1/plans", {**origin, "Cookie": cookie})[0] == 405
        assert hub.ask("GET", "/../../etc/passwd")[0] in (400, 404)
        status, headers, _ = hub.ask("GET", "/")
        policy = headers["Content-Security-Policy"]
        assert status == 200 and "default-src 'none'" in policy and "script-src 'self'" in policy, policy
        assert not any(loose in policy for loose in ("data:", "blob:", "unsafe", "*", "http:")), policy
        assert headers["X-Content-Type-Options"] == "nosniff"
        hub.kill()
        hub.start()
        assert hub.post("plans", Cookie=cookie)[0] == 200, "a session survives a restart"


def test_a_read_only_page_changes_nothing(box):
    with Page(box) as hub:
        hub.start("--read-only")
        cookie = hub.cookie()
        assert hub.post("plans", Cookie=cookie)[0] == 200
        for method in ("goal", "plan/run", "say", "cancel", "answer"):
            assert hub.post(method, {"plan_id": "plan_x", "goal": "x", "id": "q_1"}, Cookie=cookie)[0] == 403, method


def test_an_address_that_others_can_reach_needs_tls(box):
    with Page(box) as hub:
        refused = hub.agenttalk("serve", "--http", "0.0.0.0:0")
        assert refused.code == 2 and "--tls-cert" in refused.err, refused
        key, certificate = hub.dir / "key.pem", hub.dir / "cert.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", str(key), "-out", str(certificate),
                        "-days", "1", "-subj", "/CN=localhost"], check=True, capture_output=True)
        hub.start("--tls-cert", str(certificate), "--tls-key", str(key))
        import ssl
        context = ssl._create_unverified_context()
        connection = http.client.HTTPSConnection("127.0.0.1", hub.port, context=context, timeout=20)
        connection.request("GET", "/", headers={"Host": f"127.0.0.1:{hub.port}"})
        assert connection.getresponse().status == 200


def test_the_form_starts_a_plan_that_is_checked_as_it_is_typed(box):
    with Page(box) as hub, Browser() as browser:
        hub.start()
        browser.open(hub.link())
        browser.wait(lambda: browser.has("header.bar"), "the page")
        browser.click_text("Start a plan")
        browser.type("#plan", "plan: tiny\ntasks:\n  - {id: one, agent: nobody, prompt: Do it.}\n")
        browser.wait_text("nobody")
        assert browser.script("return [...document.querySelectorAll('form button')].at(-1).disabled")
        browser.script("document.querySelector('#plan').value = ''; document.querySelector('#plan').dispatchEvent(new Event('input', {bubbles: true}))")
        browser.type("#plan", "plan: tiny\ntasks:\n  - {id: one, agent: buyer, prompt: \"Say what has to be used up. STOCK: plums\"}\n")
        browser.wait_text("The plan is valid.")
        browser.script("[...document.querySelectorAll('form button')].at(-1).click()")
        wait_state(browser, "completed")
        assert re.search(r"plan_tiny", browser.text())
