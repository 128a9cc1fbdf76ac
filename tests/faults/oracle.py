"""Stands outside of the hub and outlives its crashes: what was promised, what was done, and whether both hold."""

import collections
import hashlib
import json
import pathlib

import scenario

ENDS = {"command_succeeded", "command_ended"}
# What differs from run to run without meaning anything.
FLEETING = {"time", "seq", "sent_at", "message_id", "updated_at", "started_at", "ended_at", "caused_by", "elapsed_s",
            "event", "events", "event_number", "at", "row", "adopted_at", "received_at", "trace_id", "inode",
            "mtime_ns"}


class Violation(Exception):
    """A promise was broken."""


def call_key(event):
    return f"{event['plan_id']}/{event['command_id']}/{event['data']['call']}"


def without_fleeting(value):
    """Nor does the order in which commands arrived: a repeated sending comes later."""
    if isinstance(value, dict):
        return {key: without_fleeting(item) for key, item in value.items() if key not in FLEETING}
    if not isinstance(value, list):
        return value
    return sorted(map(without_fleeting, value), key=lambda item: json.dumps(item, sort_keys=True))


class Oracle:
    def __init__(self, witness):
        self.witness = pathlib.Path(witness)  # one line for each model call, written as it is made
        self.acknowledged = set()
        self.recorded = set()  # calls whose outcome the journal held when a process was gone
        self.captured = set()  # files that tools left, as the journal held them when a process was gone
        self.witnessed = 0

    def read_witness(self):
        return self.witness.read_text().splitlines() if self.witness.exists() else []

    def promised_nothing(self):
        return not self.acknowledged and not self.recorded and not self.read_witness()

    def check_log(self, events):
        """True of every journal that a dead process leaves, before anybody mends it."""
        received = collections.Counter(e["command_id"] for e in events if e["type"] == "command_received")
        intended = {call_key(e) for e in events if e["type"] in ("model_call_intended", "tool_call_intended")}
        finished = collections.Counter(
            call_key(e) for e in events if e["type"] in ("model_call_finished", "tool_call_finished"))
        for name in self.acknowledged - set(received):
            raise Violation(f"{name} was acknowledged and is lost")
        for name, count in received.items():
            if count > 1:
                raise Violation(f"{name} was taken in {count} times")
        for key, count in finished.items():
            if count > 1:
                raise Violation(f"{key} has {count} recorded outcomes")
        captured = collections.Counter(
            (e["command_id"], file["name"], file["content"]["digest"])
            for e in events if e["type"] == "tool_call_finished" for file in e["data"]["captured"])
        for (command, name, _), count in captured.items():
            if count > 1:
                raise Violation(f"{name} of {command} was captured {count} times")
        for key in self.captured - set(captured):
            raise Violation(f"{key[1]} of {key[0]} was captured and is lost")
        self.captured |= set(captured)
        lines = self.read_witness()
        for key in lines:
            if key not in intended:
                raise Violation(f"{key} was made without a recorded intent")
        for key in lines[self.witnessed:]:
            if key in self.recorded:
                raise Violation(f"{key} was made again after its outcome was recorded")
        self.witnessed = len(lines)
        self.recorded |= set(finished)

    def check_end(self, events, hub, expected):
        """True when everything that the scenario asks for is done."""
        self.check_log(events)
        ends = collections.Counter(e["command_id"] for e in events if e["type"] in ENDS)
        for name in expected["commands"]:
            if ends[name] != 1:
                raise Violation(f"{name} has ended {ends[name]} times")
        arrived = collections.Counter(
            (e["agent_id"], e["data"]["name"]) for e in events if e["type"] == "input_arrived")
        for key, count in arrived.items():
            if count > 1:
                raise Violation(f"{key[1]} of {key[0]} was taken in {count} times")
        for part, found in outcome(events, hub).items():
            if found != expected[part]:
                raise Violation(f"{part} differ from an undisturbed run: {difference(expected[part], found)}")
        check_lines(hub)


def difference(wanted, found):
    if not isinstance(wanted, dict):
        return f"{wanted} became {found}"
    parts = []
    for key in sorted(set(wanted) | set(found)):
        if wanted.get(key) != found.get(key):
            parts.append(f"{key}: {wanted.get(key)} became {found.get(key)}")
    return "; ".join(parts)[:600]


def outcome(events, hub):
    """What a run has led to, in a form that two runs can be compared by."""
    commands = {}
    for event in events:
        if event["type"] in ENDS:
            data = without_fleeting(event["data"])
            commands[event["command_id"]] = json.dumps({"type": event["type"], **data}, sort_keys=True)
    messages = sorted(f"{e['command_id']} to {e['data']['to']}" for e in events if e["type"] == "message_sent")
    calls = sorted(call_key(e) for e in events if e["type"] == "model_call_finished")
    return {"commands": commands, "messages": messages, "calls": calls, "files": files_of(hub)}


def files_of(hub):
    """The files that people see, each with a digest of what matters in it."""
    hub = pathlib.Path(hub)
    found = {}
    for path in sorted(hub.rglob("*")):
        name = str(path.relative_to(hub))
        # A command's folder is made again from the record before its next tool, and is nobody's truth.
        if name.startswith(".agenttalk") or "workspace" in path.parts or not path.is_file():
            continue
        data = path.read_bytes()
        if path.suffix == ".jsonl":
            continue  # judged line by line, see check_lines
        if path.suffix == ".md" and "logs" in path.parts:
            # A transcript holds times and the hub's own fences; that it follows from the journal is what the
            # journeys show.
            data = b"a transcript"
        if path.suffix == ".json":
            try:
                data = json.dumps(without_fleeting(json.loads(data)), sort_keys=True).encode()
            except ValueError:
                raise Violation(f"{name} is no JSON: {data[:200]!r}") from None
        found[name] = f"{len(data)} bytes, {hashlib.sha256(data).hexdigest()[:12]}"
    return found


def check_lines(hub):
    """The log files hold whole lines, and each once; an event may have several."""
    for path in pathlib.Path(hub).rglob("*.jsonl"):
        seen = set()
        for line in path.read_text(encoding="utf-8").splitlines():
            try:
                number = json.loads(line).get("seq")
            except ValueError:
                raise Violation(f"{path.name} has a broken line: {line[:200]!r}") from None
            if number is not None and line in seen:
                raise Violation(f"{path.name} tells event {number} twice: {line[:200]}")
            seen.add(line)


def expected_outcome(events, hub, script):
    found = outcome(events, hub)
    strange = set(found["commands"]) - set(scenario.COMMANDS)
    if strange and not script.has_tasks:
        raise Violation(f"an undisturbed run has {strange}")
    return found
