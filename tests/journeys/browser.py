"""A real browser for journeys: Chromium, driven through the W3C WebDriver protocol."""

import base64
import json
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

from sandbox import Skip

FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
         "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage", "--window-size=1400,900"]
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Browser:
    def __init__(self, language="en", size=None, flags=()):
        for program in ("chromium", "chromedriver"):
            if not shutil.which(program):
                raise Skip(f"{program} is not installed")
        self.profile = tempfile.mkdtemp(prefix="agenttalk-browser-")
        self.port = free_port()
        self.driver = subprocess.Popen(["chromedriver", f"--port={self.port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.session = ""
        flags = [*FLAGS, *flags, f"--user-data-dir={self.profile}", f"--lang={language}"]
        if size:
            flags.append(f"--window-size={size}")
        wanted = {"capabilities": {"alwaysMatch": {
            "browserName": "chrome", "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
            "goog:chromeOptions": {"binary": shutil.which("chromium"), "args": flags, "prefs": {"intl.accept_languages": language}}}}}
        for _ in range(200):
            try:
                self.session = "/session/" + self._ask("POST", "/session", wanted)["sessionId"]
                break
            except (ConnectionError, urllib.error.URLError):
                time.sleep(0.05)
        assert self.session, "chromedriver did not answer"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self._ask("DELETE", self.session)
        except Exception:  # the browser may be gone
            pass
        self.driver.kill()
        self.driver.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    def _ask(self, method, path, body=None):
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", method=method,
                                         data=None if body is None else json.dumps(body).encode(),
                                         headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.loads(answer.read())["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{path}: {json.loads(error.read())['value'].get('message')}") from None

    def open(self, url):
        self._ask("POST", self.session + "/url", {"url": url})

    def script(self, text, *arguments):
        return self._ask("POST", self.session + "/execute/sync", {"script": text, "args": list(arguments)})

    def script_async(self, text, *arguments):
        return self._ask("POST", self.session + "/execute/async", {"script": text, "args": list(arguments)})

    def text(self):
        return self.script("return document.body.innerText")

    def wait_text(self, wanted, seconds=30):
        return self.wait(lambda: wanted in self.text(), f"the text {wanted!r}", seconds)

    def wait(self, condition, what, seconds=30):
        end = time.monotonic() + seconds
        while True:
            value = condition()
            if value:
                return value
            assert time.monotonic() < end, f"{what} did not come within {seconds} s; the page says:\n{self.text()}"
            time.sleep(0.05)

    def find(self, css):
        return self._ask("POST", self.session + "/element", {"using": "css selector", "value": css})[ELEMENT]

    def has(self, css):
        return self.script("return document.querySelector(arguments[0]) !== null", css)

    def click(self, css):
        self.wait(lambda: self.has(css), css)
        self._ask("POST", f"{self.session}/element/{self.find(css)}/click", {})

    def click_text(self, text, css="button, a, summary"):
        """The first thing with this text that can be clicked."""
        found = self.wait(lambda: self.script(
            "return [...document.querySelectorAll(arguments[1])].find(e => e.innerText.trim() === arguments[0] && !e.disabled)", text, css),
            f"something to click with the text {text!r}")
        self._ask("POST", f"{self.session}/element/{found[ELEMENT]}/click", {})

    def type(self, css, text):
        self.wait(lambda: self.has(css), css)
        self._ask("POST", f"{self.session}/element/{self.find(css)}/value", {"text": text})

    def keys(self, *keys):
        actions = [step for key in keys for step in ({"type": "keyDown", "value": key}, {"type": "keyUp", "value": key})]
        self._ask("POST", self.session + "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def drag(self, css, share):
        """With the mouse, from where the slider is to a share of its width."""
        box = self.script("""const e = document.querySelector(arguments[0]); e.scrollIntoView({block: 'nearest'});
            const b = e.getBoundingClientRect(), at = (e.value - e.min) / (e.max - e.min || 1), thumb = 16;
            return [b.left + thumb / 2 + at * (b.width - thumb), b.top + b.height / 2, b.left, b.width]""", css)
        start, y, left, width = box
        steps = [{"type": "pointerMove", "duration": 0, "x": round(start), "y": round(y)}, {"type": "pointerDown", "button": 0}]
        steps += [{"type": "pointerMove", "duration": 60, "x": round(start + (left + share * width - start) * i / 4), "y": round(y)} for i in range(1, 5)]
        steps += [{"type": "pointerUp", "button": 0}]
        self._ask("POST", self.session + "/actions", {"actions": [
            {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": steps}]})

    def tab(self):
        return self._ask("GET", self.session + "/window")

    def new_tab(self):
        handle = self._ask("POST", self.session + "/window/new", {"type": "tab"})["handle"]
        self.show(handle)
        return handle

    def show(self, handle):
        self._ask("POST", self.session + "/window", {"handle": handle})

    def close_tab(self):
        self._ask("DELETE", self.session + "/window")

    def cdp(self, command, **parameters):
        """A command of the DevTools protocol."""
        return self._ask("POST", self.session + "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def picture(self, path):
        pathlib.Path(path).write_bytes(base64.b64decode(self._ask("GET", self.session + "/screenshot")))

    def problems(self):
        """What the browser complained about: script errors, refused loads, violated policies."""
        return [entry["message"] for entry in self._ask("POST", self.session + "/se/log", {"type": "browser"})
                if entry["level"] in ("SEVERE", "WARNING")]

    def requests(self):
        """Every address that the page asked for since the last call."""
        found = []
        for entry in self._ask("POST", self.session + "/se/log", {"type": "performance"}):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                found.append(message["params"]["request"]["url"])
        return found
