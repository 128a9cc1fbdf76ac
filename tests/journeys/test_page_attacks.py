"""Against the page: other sites in the same browser, names that point here, clients that send too much, read too slowly or
come too often. Each is refused, and none keeps the hub from its work."""

import http.server
import json
import socket
import threading
import time

from browser import Browser, free_port
from journey import wait_for
from page_hub import Page, tree_plan

EVIL = """<!doctype html><title>evil</title><body><script>
const hub = 'HUB', done = [];
const note = (what, ok) => done.push([what, ok]);
const json = {method: 'POST', headers: {'Content-Type': 'application/json'}, body: '{"plan_id":"plan_menu"}', credentials: 'include'};
async function attack() {
  for (const [what, options] of [['json', json], ['plain', {...json, headers: {'Content-Type': 'text/plain'}}], ['blind', {...json, mode: 'no-cors', headers: {}}]]) {
    try { const answer = await fetch(hub + '/v1/cancel', options); note(what, answer.type !== 'opaque' && answer.ok); } catch { note(what, false); }
  }
  try { const answer = await fetch(hub + '/v1/plans', {credentials: 'include'}); note('read', answer.ok); } catch { note('read', false); }
  await new Promise(next => { const source = new EventSource(hub + '/v1/stream', {withCredentials: true});
    source.onmessage = () => { note('stream', true); next(); }; source.onerror = () => { source.close(); note('stream', false); next(); }; });
  await new Promise(next => { const image = new Image(); image.onload = () => { note('image', true); next(); }; image.onerror = () => { note('image', false); next(); };
    image.src = hub + '/v1/file?plan=plan_menu&name=stock.txt'; });
  await new Promise(next => { const script = document.createElement('script'); script.onload = () => { note('script', true); next(); };
    script.onerror = () => { note('script', false); next(); }; script.src = hub + '/v1/plans'; document.head.append(script); });
  await new Promise(next => { const frame = document.createElement('iframe'); frame.src = hub + '/'; frame.onload = () => {
    let seen = false; try { seen = frame.contentDocument?.querySelector('#page') !== null && frame.contentDocument !== null; } catch {} note('frame', seen); next(); }; document.body.append(frame); });
  const form = document.createElement('form'); form.method = 'POST'; form.action = hub + '/v1/cancel'; form.enctype = 'text/plain'; form.target = 'hole';
  const field = document.createElement('input'); field.name = '{"plan_id":"plan_menu","x":"'; field.value = '"}'; form.append(field);
  const hole = document.createElement('iframe'); hole.name = 'hole'; document.body.append(hole); document.body.append(form);
  await new Promise(next => { hole.onload = next; form.submit(); });
  document.title = JSON.stringify(done);
}
attack();
</script>"""


class Site:
    """Another web site on this machine."""

    def __init__(self, text):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_port

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


def test_other_sites_in_the_same_browser_get_nothing(box):
    """A browser with a session of the hub opens a page of another port and of another name: fetch, form, stream, image,
    script and frame are all refused, and the plan is untouched."""
    with Page(box) as hub, Site(EVIL.replace("HUB", hub.origin)) as site, \
            Browser(flags=["--host-resolver-rules=MAP evil.example 127.0.0.1"]) as browser:
        hub.start()
        assert hub.agenttalk("run", "--plan", "plan.yaml", "--json").code == 3
        browser.open(hub.link())
        browser.wait_text("A menu for tomorrow")
        for name in ("127.0.0.1", "evil.example"):  # the same site by another port; another site
            browser.open(f"http://{name}:{site.port}/")
            title = browser.wait(lambda: (lambda said: said if said.startswith("[") else None)(browser.script("return document.title")), "the attacks")
            worked = [what for what, ok in json.loads(title) if ok]
            assert not worked and len(json.loads(title)) == 8, f"from {name}: {title}"
        assert hub.json("status", "plan_menu")["state"] == "waiting", "nobody cancelled it"


def test_a_name_that_was_made_to_point_here_gets_nothing(box):
    """DNS rebinding: the browser takes another name for this address, the server does not."""
    with Page(box) as hub, Browser(flags=["--host-resolver-rules=MAP rebound.example 127.0.0.1"]) as browser:
        hub.start()
        link = hub.link().replace("127.0.0.1", "rebound.example")
        browser.open(link)
        assert "not served under that name" in browser.text(), browser.text()
        browser.open(f"http://rebound.example:{hub.port}/")
        assert "not served under that name" in browser.text(), browser.text()
        assert not browser.has("#page")


def request_head(hub, cookie, more=""):
    return (f"POST /v1/plans HTTP/1.1\r\nHost: 127.0.0.1:{hub.port}\r\nOrigin: {hub.origin}\r\nCookie: {cookie}\r\n"
            f"Content-Type: application/json\r\n{more}").encode()


def status_of(connection):
    connection.settimeout(20)
    line = b""
    while b"\r\n" not in line:
        some = connection.recv(4096)
        if not some:
            break
        line += some
    return int(line.split(b" ")[1]) if line.startswith(b"HTTP/") else 0


def test_too_much_is_refused(box):
    """Bodies and headers beyond the limit, announced or not; numbers and lengths that make no sense."""
    with Page(box, limits={"max_input_bytes": 100000}) as hub:
        hub.start()
        cookie = hub.cookie()

        def send(data):
            with socket.create_connection(("127.0.0.1", hub.port), timeout=20) as connection:
                try:
                    connection.sendall(data)
                except (BrokenPipeError, ConnectionResetError):
                    return 413  # it hung up before everything was sent
                try:
                    return status_of(connection)
                except ConnectionResetError:
                    return 413

        assert send(request_head(hub, cookie, "Content-Length: 9000000000\r\n\r\n")) == 413, "announced"
        chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
        assert send(request_head(hub, cookie, "Transfer-Encoding: chunked\r\n\r\n") + chunk * 40) == 413, "in chunks"
        assert send(request_head(hub, cookie, "X-Long: " + "x" * 20000 + "\r\n\r\n")) in (0, 413, 431), "a long header"
        assert send(request_head(hub, cookie, "Content-Length: -1\r\n\r\n")) in (0, 400)
        assert send(request_head(hub, cookie, "Content-Length: 2\r\nContent-Length: 9\r\n\r\n{}")) in (0, 400), "two lengths"
        assert send(request_head(hub, cookie, "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")) in (0, 400), "smuggling"
        assert send(request_head(hub, cookie, "Content-Length: 9\r\n\r\n[[[[[[[[[")) == 400
        assert send(b"\x16\x03\x01 not HTTP at all \xff\xff\r\n\r\n") in (0, 400)
        status, _, body = hub.post("log", {"plan_id": "../../etc", "after": -1}, Cookie=cookie)
        assert status == 400, body
        assert hub.post("plans", Cookie=cookie)[0] == 200


def test_too_many_connections_are_closed(box):
    """Idle connections fill the page's places, not the hub's: verbs work meanwhile, the page does again when they leave."""
    with Page(box) as hub:
        hub.start()
        cookie = hub.cookie()
        idle = []
        for _ in range(100):
            idle.append(socket.create_connection(("127.0.0.1", hub.port), timeout=20))
        closed = 0
        for connection in idle[64:]:
            try:
                closed += connection.recv(1) == b""
            except ConnectionResetError:
                closed += 1
        assert closed >= 36, f"only {closed} of 36 connections beyond the limit were closed"
        assert hub.agenttalk("run", "--plan", "plan.yaml", "--json").code == 3
        for connection in idle:
            connection.close()
        wait_for(lambda: works(hub, cookie), "a place for a page")


def works(hub, cookie):
    try:
        return hub.post("plans", Cookie=cookie)[0] == 200
    except OSError:
        return False


def test_too_many_requests_are_refused(box):
    with Page(box) as hub:
        hub.start()
        cookie = hub.cookie()
        ask = f"GET /icon HTTP/1.1\r\nHost: 127.0.0.1:{hub.port}\r\n\r\n".encode()
        with socket.create_connection(("127.0.0.1", hub.port), timeout=20) as connection:
            threading.Thread(target=lambda: connection.sendall(ask * 900), daemon=True).start()
            said = b""
            while said.count(b"HTTP/1.1 ") < 900 and b" 429 " not in said:
                said += connection.recv(65536)
        assert b" 429 " in said
        wait_for(lambda: works(hub, cookie), "the end of the refusal")


def frames_of(text):
    return [json.loads(line[6:]) for line in text.decode(errors="replace").splitlines() if line.startswith("data: ") and line.endswith("}")]


def test_a_reader_that_does_not_read_holds_nobody_up(box):
    """A stream that nobody reads: the plan is done at its own pace, the server keeps little for it, and when it is read at
    last it ends with the newest event."""
    size = 300
    with Page(box, lambda request: {"result": "done" + "." * 1000}) as hub:
        hub.write("large.yaml", tree_plan(size))
        hub.start()
        cookie = hub.cookie()
        slow = socket.socket()
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        slow.connect(("127.0.0.1", hub.port))
        slow.sendall(f"GET /v1/stream HTTP/1.1\r\nHost: 127.0.0.1:{hub.port}\r\nCookie: {cookie}\r\n\r\n".encode())
        before = memory_of(hub.server.pid)
        status, _, body = hub.post("plan/run", {"plan": hub.read("large.yaml")}, Cookie=cookie)
        assert status == 200, body
        wait_for(lambda: hub.json("status", "plan_large")["state"] == "completed", "the end of the plan", 120)
        last = hub.read_json("hub", {}, cookie)["last_event"]
        grown = memory_of(hub.server.pid) - before
        assert box.sanitized or grown < 200_000_000, f"{grown} bytes more"
        slow.settimeout(20)
        said = b""
        while not any(frame["last"] >= last for frame in frames_of(said)):
            some = slow.recv(65536)
            assert some, "the stream ended"
            said += some
        frames = frames_of(said)
        numbers = [frame["last"] for frame in frames]
        assert numbers == sorted(numbers), numbers
        # Between the first frame and the newest it was told that anything may have changed, or it got everything.
        told = {number for frame in frames for number, *_ in frame["events"]}
        assert any(frame["plans"] is None for frame in frames[1:]) or len(told) + sum(frame["skipped"] for frame in frames) > 0
        slow.close()


def memory_of(pid):
    with open(f"/proc/{pid}/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096


def test_a_request_that_trickles_in_is_given_up(box):
    """A client that sends a byte now and then has a place for half a minute, not for ever; others are served meanwhile."""
    with Page(box) as hub:
        hub.start()
        cookie = hub.cookie()
        with socket.create_connection(("127.0.0.1", hub.port), timeout=60) as connection:
            began = time.monotonic()
            ended = None
            connection.settimeout(1)
            for byte in (b"POST /v1/plans HTTP/1.1\r\n" + b"x" * 100)[:60]:
                assert works(hub, cookie)
                try:
                    connection.sendall(bytes([byte]))
                    if connection.recv(1) == b"":
                        ended = time.monotonic() - began
                        break
                except TimeoutError:
                    continue
                except ConnectionError:
                    ended = time.monotonic() - began
                    break
        assert ended is not None and ended < 45, ended
