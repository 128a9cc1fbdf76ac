"""What the fault tests do with a hub: a small team, and either files that are dropped and commands that are sent, or a plan
whose tasks are changed by batches, or a plan that `run` is stopped in; each with two servings at least."""

import dataclasses
import json
import os
import pathlib

PLAN = "plan_a"
PLAN_FILE = "plan.yaml"

CONFIG = """\
version: 1
provider: offline
providers:
  offline: {kind: scripted, answers: answers.yaml}
agents:
  ann: {name: Ann, prompt: You are Ann.}
  bob: {name: Bob, prompt: You are Bob.}
  cy: {name: Cy, prompt: You are Cy.}
heartbeat: {interval_seconds: 1}
"""

# A broken answer is repaired; the flaky command fails once and is tried again.
ANSWERS = """\
- when: {command: cmd_gather}
  answer: {result: "what the notes say"}
- when: {command: cmd_review}
  answer: {result: "a fair review", score: 85}
- when: {command: cmd_publish, attempt: 1}
  answer: "this is no answer"
- when: {command: cmd_publish}
  answer: {result: "published"}
- when: {command: cmd_flaky, attempt: 1}
  error: {status: 500}
- answer: {result: "done"}
"""


def command(name, **more):
    return {"command_id": name, "plan_id": PLAN, "prompt": f"Do {name}.", "timeout": 600, **more}


COMMANDS = {
    "cmd_gather": ("ann", command(
        "cmd_gather", required_inputs=["notes.md"],
        on_complete={"message_template": "{result}", "send_to": ["bob"], "output_name": "summary.md"})),
    "cmd_review": ("bob", command(
        "cmd_review", required_inputs=["summary.md"], score_required=True, score_criteria="0-100",
        on_complete={"message_template": "{result} {score}", "output_name": "review.md",
                     "send_to_condition": [{"min_score": 70, "send_to": ["cy"]}, {"min_score": 0, "send_to": ["ann"]}]})),
    "cmd_publish": ("cy", command(
        "cmd_publish", required_inputs=["review.md", "approval_*.txt"],
        on_complete={"message_template": "{result}", "send_to": ["human"], "output_name": "page.md"})),
    "cmd_last": ("ann", command("cmd_last")),
    "cmd_make": ("ann", command(
        "cmd_make", required_inputs=["notes.md"],
        on_complete={"message_template": "{result}", "send_to": ["bob"], "output_name": "chart.md"})),
    "cmd_play": ("dan", command(
        "cmd_play", outputs=["score.md"],
        on_complete={"message_template": "{result}", "send_to": ["bob"], "output_name": "tune.md"})),
    "cmd_flaky": ("bob", command("cmd_flaky", retry_times=1)),
}


@dataclasses.dataclass(frozen=True)
class Step:
    kind: str  # drop, send, apply, resume, serve, run, play (an external agent picks its command up and answers)
    what: str = ""
    agent: str = ""


@dataclasses.dataclass(frozen=True)
class Scenario:
    """The dropped files are a stranger's, so they never fail; everything else is a process that may."""

    name: str
    steps: tuple
    config: str = CONFIG
    answers: str = ANSWERS
    batches: dict = dataclasses.field(default_factory=dict)
    plan: str = ""

    @property
    def has_tasks(self):
        """Their commands are made by the program."""
        return bool(self.batches or self.plan)

    @property
    def texts(self):
        """The files that processes are given, by name."""
        return {**{f"{name}.json": text_of(name) for name in COMMANDS},
                **{f"{name}.json": json.dumps(batch) for name, batch in self.batches.items()},
                **({PLAN_FILE: self.plan} if self.plan else {})}


FIRST = (Step("drop", "notes.md", "ann"), Step("drop", "cmd_gather", "ann"), Step("send", "cmd_review", "bob"),
         Step("serve"), Step("send", "cmd_publish", "cy"), Step("drop", "approval_1.txt", "cy"))
LAST = (Step("drop", "cmd_last", "ann"), Step("serve"))


def issue(name, **args):
    return {"command_name": name, "args": args}


def append(task, needs, agent):
    return issue("append_task", task_id=task, dependent_task_ids=needs, instruction=f"Do {task}.", assignee=agent)


# A person's batches before and after the first serving, and in it one of a model: it may append tasks.
BATCH_CONFIG = CONFIG.replace("You are Ann.}", "You are Ann., permissions: [append_task]}")
BATCH_ANSWERS = """\
- when: {command: cmd_facts_001}
  answer: {result: "the facts", commands: [
    {command_name: append_task, args: {task_id: more, dependent_task_ids: [facts], instruction: "More.", assignee: bob}},
    {command_name: append_task, args: {task_id: most, dependent_task_ids: [more], instruction: "Most.", assignee: cy}}]}
- answer: {result: "done"}
"""
BATCHES = {
    "batch_plan": [append("facts", [], "ann"), append("draft", ["facts"], "bob"), append("page", ["draft"], "cy")],
    "batch_change": [
        issue("replace_task", task_id="draft", new_dependent_task_ids=["facts"], new_instruction="Draft it anew.",
              new_assignee="cy"),
        append("check", ["draft"], "bob"), issue("reset_task", task_id="page")],
    "batch_again": [issue("reset_task", task_id="check"), append("print", ["page", "check"], "bob"),
                    append("send", ["print"], "cy")],
}

# Tools that leave files in outputs/, change them, and read what they were given and what they left.
TOOL_CONFIG = CONFIG.replace("You are Ann.}", "You are Ann., tools: [read_file, write_file, list_files]}")
TOOL_ANSWERS = """\
- when: {command: cmd_make, attempt: 1}
  answer: {tool_calls: [
    {name: write_file, arguments: {path: outputs/chart.md, content: "a first chart"}},
    {name: write_file, arguments: {path: outputs/more.md, content: "and more"}},
    {name: read_file, arguments: {path: inputs/notes.md}}]}
- when: {command: cmd_make, attempt: 2, contains: "The text of notes.md."}
  answer: {tool_calls: [
    {name: read_file, arguments: {path: outputs/more.md}},
    {name: write_file, arguments: {path: outputs/chart.md, content: "a better chart"}}]}
- when: {command: cmd_make, attempt: 3, contains: "and more"}
  answer: {result: "made"}
- answer: {result: "done"}
"""

# An agent that another program plays: its command stays open over two servings, then it answers.
PLAYED_CONFIG = CONFIG.replace("heartbeat:", "  dan: {name: Dan, prompt: You are Dan., runtime: external}\nheartbeat:")

PLAYED_PLAN = """\
plan: a
goal: Print a tune
tasks:
  - {id: notes, agent: ann, prompt: Gather., outputs: [notes.md]}
  - {id: play, agent: dan, prompt: Play it., inputs: [notes.md], outputs: [score.md]}
  - {id: print, agent: bob, prompt: Print it., inputs: [score.md], outputs: [page.md]}
"""

SCENARIOS = {one.name: one for one in (
    Scenario("plain", (*FIRST, *LAST)),
    Scenario("retry", (*FIRST, Step("send", "cmd_flaky", "bob"), *LAST)),
    Scenario("batches",
             (Step("apply", "batch_plan"), Step("apply", "batch_change"), Step("resume"), Step("serve"),
              Step("apply", "batch_again"), Step("serve")),
             BATCH_CONFIG, BATCH_ANSWERS, BATCHES),
    Scenario("tools",
             (Step("drop", "notes.md", "ann"), Step("drop", "cmd_make", "ann"), Step("serve"),
              Step("drop", "cmd_last", "ann"), Step("serve")),
             TOOL_CONFIG, TOOL_ANSWERS),
    Scenario("external",
             (Step("send", "cmd_play", "dan"), Step("serve"), Step("send", "cmd_last", "ann"), Step("serve"),
              Step("play", "cmd_play", "dan"), Step("serve"), Step("serve")),
             PLAYED_CONFIG),
    Scenario("run",
             (Step("run"), Step("run"), Step("play", "cmd_play_001", "dan"), Step("run"), Step("run")),
             PLAYED_CONFIG, plan=PLAYED_PLAN))}


def text_of(what):
    return json.dumps(COMMANDS[what][1]) if what in COMMANDS else f"The text of {what}.\n"


def sync(path):
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def open_commands(hub, agent):
    """As the agent looks for them."""
    return sorted(str(path.relative_to(hub)) for path in (pathlib.Path(hub) / "agents" / agent / "inbox").rglob("cmd_*.json")
                  if not any(part.startswith(".") for part in path.relative_to(hub).parts))


def play(hub, step):
    """A careful agent: its output first, then its result, each written under another name, synced and renamed."""
    outbox = pathlib.Path(hub) / "agents" / step.agent / "outbox" / PLAN
    outbox.mkdir(parents=True, exist_ok=True)
    for name, text in (("score.md", "do re mi"), (f"result_{step.what}.json", json.dumps({"result": "played"}))):
        put(outbox, name, text, hub)


def put(folder, name, text, hub):
    hidden = folder / f".{name}.tmp"
    hidden.write_text(text, encoding="utf-8")
    sync(hidden)
    os.rename(hidden, folder / name)
    while folder != pathlib.Path(hub).parent:
        sync(folder)
        folder = folder.parent


def make_hub(hub, scenario):
    """A fresh hub whose files are on the disk."""
    hub = pathlib.Path(hub)
    hub.mkdir(parents=True)
    for name, text in (("agenttalk.yaml", scenario.config), ("answers.yaml", scenario.answers)):
        (hub / name).write_text(text, encoding="utf-8")
        sync(hub / name)
    sync(hub)
    sync(hub.parent)


def drop(hub, step):
    """As a careful stranger does it: written under another name, synced, renamed, and the folders synced."""
    is_command = step.what in COMMANDS
    inbox = pathlib.Path(hub) / "agents" / step.agent / "inbox" / ("" if is_command else PLAN)
    inbox.mkdir(parents=True, exist_ok=True)
    name = f"{step.what}.json" if is_command else step.what
    put(inbox, name, text_of(step.what), hub)
