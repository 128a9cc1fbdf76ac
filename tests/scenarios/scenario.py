"""Reads and plays a scenario: one readable text file that says what is put into a hub and what must come of it.

A line is a step; lines indented below it are its text. `#` begins a comment line.

    team: ann, bob {visibility: [ann]}      the agents, each with what its profile says (YAML);
                                            further ones are added, known ones replaced
    answers:                                what the models say, as in answers.yaml
    config:                                 more of agenttalk.yaml
    drop AGENT PATH [from FILE]             as a stranger does it: written under another name, then renamed;
                                            PATH is below the inbox, FILE below tests/; `zip` makes a small archive,
                                            `lines:N` a text of N numbered lines
    write PATH                              writes a file anywhere in the hub
    remove PATH
    let NAME = letter CODE                  the first dead letter with that code; $NAME stands for its id from here on
    let NAME = question KIND                the first open question of that kind, likewise
    agenttalk ARGUMENTS -> CODE             runs a verb on the hub; its text, if there is one, is what stdout must hold
    serve -> CODE                           agenttalk serve --until-idle
    expect PLAN STATE                       the plan's state
    expect PLAN COMMAND STATE               a command's
    expect events PLAN: TYPE COMMAND, …     happen in this order, perhaps among others
    expect count PLAN TYPE N                so often
    expect file PATH [is|has|lacks TEXT]    its text (or the text below) is all of it, a part of it, no part of it
    expect no file PATH
    expect json PATH POINTER VALUE          the value at the JSON Pointer
    expect dead: CODE, …                    the dead letters
    expect questions: KIND, …               the open questions
"""

import io
import json
import pathlib
import re
import shlex
import textwrap
import zipfile

TESTS = pathlib.Path(__file__).resolve().parent.parent


class Failed(Exception):
    pass


def steps(text):
    """(line number, step, text below it)…"""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("#") or (not line.strip() and not found):
            continue
        if line[:1].isspace() or not line.strip():
            found[-1][2].append(line)
        else:
            found.append((number, line.strip(), []))
    return [(number, step, textwrap.dedent("\n".join(below)).strip("\n")) for number, step, below in found]


def at_pointer(value, pointer):
    for part in pointer.split("/")[1:]:
        value = value[int(part)] if isinstance(value, list) else value[part]
    return value


def small_zip():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(zipfile.ZipInfo("main.py"), "print('hello')\n" * 50)
    return buffer.getvalue()


def made(source):
    if source == "zip":
        return small_zip()
    if source.startswith("lines:"):
        return "".join(f"line {number}\n" for number in range(int(source.removeprefix("lines:"))))
    return (TESTS / source).read_bytes()


class Player:
    def __init__(self, box, path):
        self.box, self.path, self.hub = box, path, box.dir / "hub"
        self.team, self.config, self.names = {}, "", {}

    def play(self):
        for number, step, text in steps(self.path.read_text(encoding="utf-8")):
            for name, value in self.names.items():
                step, text = step.replace(f"${name}", value), text.replace(f"${name}", value)
            try:
                self.step(step, text)
            except (Failed, AssertionError, LookupError, StopIteration, OSError) as failure:
                raise AssertionError(f"{self.path.name}:{number}: {step}\n{type(failure).__name__}: {failure}") from failure

    def step(self, step, text):
        word = re.match(r"[a-z]+", step)[0]
        rest = step[len(word):].lstrip(":").strip()
        getattr(self, "do_" + word)(rest, text)

    def check(self, condition, message):
        if not condition:
            raise Failed(message)

    # ---- what is there ----
    def do_team(self, rest, text):
        for agent in re.split(r",\s*(?![^{]*\})", rest):
            name, _, profile = agent.partition(" ")
            self.team[name] = profile or "{}"
        self.write_config()

    def do_config(self, _, text):
        self.config = text
        self.write_config()

    def do_answers(self, _, text):
        self.box.write("hub/answers.yaml", text + "\n")

    def write_config(self):
        team = "".join(f"  {name}: {profile}\n" for name, profile in self.team.items())
        self.box.write("hub/agenttalk.yaml", "version: 1\nprovider: offline\nproviders:\n  offline: {kind: scripted, "
                       f"answers: answers.yaml}}\nheartbeat: {{interval_seconds: 1}}\n{self.config}\nagents:\n{team}")

    def do_drop(self, rest, text):
        agent, path, *source = rest.split()
        content = text
        if source:
            content = made(source[1])
        target = self.hub / "agents" / agent / "inbox" / path
        hidden = self.box.write(target.parent / f".{target.name}.tmp", content)
        hidden.rename(target)

    def do_write(self, rest, text):
        self.box.write(self.hub / rest, text)

    def do_remove(self, rest, _):
        (self.hub / rest).unlink()

    # ---- what is done ----
    def do_let(self, rest, _):
        name, _, kind, wanted = rest.split()
        rows, key = (self.json("dead", "list"), "code") if kind == "letter" else (self.json("questions"), "kind")
        self.names[name] = next(row["id"] for row in rows if row[key] == wanted)

    def run(self, arguments, code):
        outcome = self.box.run(*arguments, "--hub", self.hub)
        self.check(outcome.code == code, f"exit code {outcome.code}\n{outcome}")
        return outcome

    def do_agenttalk(self, rest, text):
        arguments, _, code = rest.partition("->")
        outcome = self.run(shlex.split(arguments), int(code))
        for line in text.splitlines():
            self.check(line.strip() in outcome.out, f"not printed: {line.strip()}\n{outcome}")

    def do_serve(self, rest, _):
        self.run(["serve", "--until-idle"], int(rest.replace("->", "")))

    def json(self, *arguments):
        return self.run([*arguments, "--json"], 0).json

    # ---- what must hold ----
    def do_expect(self, rest, text):
        word = rest.split()[0].rstrip(":")
        known = {"events": self.expect_events, "count": self.expect_count, "file": self.expect_file,
                 "no": self.expect_no_file, "json": self.expect_json, "dead": self.expect_dead,
                 "questions": self.expect_questions}
        known.get(word, self.expect_state)(rest, text)

    def expect_state(self, rest, _):
        plan, *names = rest.split()
        status = self.json("status", plan)
        found = status["state"]
        if len(names) == 2:
            found = next(c["state"] for c in status["commands"] if c["command_id"] == names[0])
        self.check(found == names[-1], f"it is {found}")

    def events(self, plan):
        lines = self.run(["log", plan, "--json"], 0).out.splitlines()
        return [(event["type"], event["command_id"] or "") for event in map(json.loads, lines)]

    def expect_events(self, rest, text):
        plan, _, wanted = rest.removeprefix("events").partition(":")
        events = self.events(plan.strip())
        place = 0
        for one in (wanted + " " + text).replace("\n", " ").split(","):
            kind, _, command = one.strip().partition(" ")
            while place < len(events) and not (events[place][0] == kind and command.strip() in ("", events[place][1])):
                place += 1
            self.check(place < len(events), f"no {one.strip()} there in\n" + "\n".join(map(" ".join, events)))
            place += 1

    def expect_count(self, rest, _):
        _, plan, kind, count = rest.split()
        found = sum(1 for event in self.events(plan) if event[0] == kind)
        self.check(found == int(count), f"{found} times")

    def expect_file(self, rest, text):
        parts = rest.split(None, 3)
        content = (self.hub / parts[1]).read_bytes().decode("utf-8", "replace")
        if len(parts) == 2:
            return
        wanted = parts[3] if len(parts) == 4 else text
        holds = {"is": content == wanted, "has": wanted in content, "lacks": wanted not in content}[parts[2]]
        self.check(holds, f"it holds:\n{content}")

    def expect_no_file(self, rest, _):
        self.check(not (self.hub / rest.split()[2]).exists(), "it is there")

    def expect_json(self, rest, _):
        _, path, pointer, value = rest.split(None, 3)
        found = at_pointer(json.loads((self.hub / path).read_text(encoding="utf-8")), pointer)
        self.check(found == json.loads(value), f"it is {json.dumps(found, ensure_ascii=False)}")

    def listed(self, rest, rows, key):
        wanted = sorted(name.strip() for name in rest.partition(":")[2].split(",") if name.strip())
        found = sorted(row[key] for row in rows)
        self.check(found == wanted, f"there are {found}")

    def expect_dead(self, rest, _):
        self.listed(rest, self.json("dead", "list"), "code")

    def expect_questions(self, rest, _):
        self.listed(rest, self.json("questions"), "kind")
