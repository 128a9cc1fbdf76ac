"""What a newcomer gets wrong in the first hour, and what the program says about it: the cause, and what to do."""

import os

CONFIG = """\
version: 1
provider: offline
providers:
  offline: {kind: scripted, answers: answers.yaml}
agents:
  analyst: {prompt: You analyse., capabilities: [analysis]}
  editor: {prompt: You edit., tools: [read_file]}
"""
ANSWERS = "- when: {task: '*e*'}\n  answer: {result: done, score: 90}\n"
PLAN = """\
plan: bees
goal: A page about bees
tasks:
  - id: collect
    agent: analyst
    prompt: Collect facts.
    outputs: [facts.md]
  - id: write
    agent: editor
    prompt: Write the page.
    inputs: [facts.md]
    outputs: [page.md]
    gate: human
deliverables: [page.md]
"""
TASK = "  - {id: a, agent: analyst, prompt: Do it.%s}\n"

# The file that is written before, its text, the arguments, the exit code, and what must be said.
# "HUB" in a text stands for the hub's path.
COMMAND_LINE = [
    # verbs and options
    (["staus", "bees"], 2, ["there is no verb 'staus'", "did you mean: status"]),
    (["rnu", "plan.yaml"], 2, ["there is no verb 'rnu'", "run"]),
    ([], 2, ["no verb given", "--help"]),
    (["plan"], 2, ["'plan' needs one more word", "plan show"]),
    (["plan", "list"], 2, ["there is no verb 'plan list'", "plan show"]),
    (["--versoin"], 2, ["there is no option --versoin"]),
    (["run", ""], 2, ["the goal is empty", "agenttalk run"]),
    (["run", "wasps"], 2, ["there is no plan wasps", "a goal is written as a sentence, in quotes"]),
    (["run", "wasp"], 2, ["plan_wasp has not been started", "agenttalk run wasp.yaml"]),
    (["run", "bees", "--file", "notes.md"], 2, ["plan_bees exists", "--file"]),
    (["run", "answers.yaml"], 2, ["answers.yaml has errors; nothing was run", "this is not a plan", "tasks:"]),
    (["run", "plan.yaml", "--provider", "ofline"], 4, ["there is no provider ofline", 'did you mean "offline"?']),
    (["log", "bees", "--task", "colect"], 0, ["no event matches", "agenttalk status bees"]),
    (["replay", "bees", "--at", "first"], 2, ["first is not the number of an event", "(#17)"]),
    (["resume", "bees"], 1, ["plan_bees cannot be resumed: it has ended"]),
    (["say", "bees", "shorter"], 4, ["goals and feedback need a model", "answers.yaml"]),
    (["dead"], 2, ["'dead' needs one more word", "dead list"]),
    (["run", "--plann", "plan.yaml"], 2, ["run has no option --plann", "did you mean --plan?"]),
    (["run", "plan.yaml", "--anwsers", "answers.yaml"], 2, ["no option --anwsers", "did you mean --answers?"]),
    (["status", "bees", "-v"], 2, ["status has no option -v", "--help"]),
    (["status"], 2, ["status: PLAN is missing", "usage: agenttalk status PLAN", "agenttalk plans"]),
    (["answer"], 2, ["answer: ID is missing", "usage: agenttalk answer"]),
    (["say", "bees"], 2, ["say: TEXT is missing"]),
    (["diff", "bees"], 2, ["diff: ", "is missing"]),
    (["say", "bees", "make", "it", "shorter"], 2, ["unexpected argument 'it'", "in quotes"]),
    (["run", "A", "page", "about", "bees"], 2, ["unexpected argument 'page'", "in quotes"]),
    (["plan", "reset", "bees", "collect"], 2, ["unexpected argument 'collect'", "did you mean --task collect?"]),
    (["plan", "reset", "bees"], 2, ["--task is missing", "plan show bees"]),
    (["run", "--plan"], 2, ["--plan needs a value"]),
    (["init", "x", "--template", "reprot"], 2, ["--template", "report"]),
    (["completion", "tcsh"], 2, ["must be one of bash, zsh, fish"]),
    (["run"], 2, ["run needs a goal, a plan or a plan file", "agenttalk run plan.yaml"]),
    (["run", "plan.yaml", "--plan", "plan.yaml"], 2, ["not both"]),
    (["log", "bees", "--hub", "nowhere"], 4, ["nowhere", "not a hub", "agenttalk init"]),
    # files and plans by name
    (["run", "plna.yaml"], 2, ["there is no file plna.yaml", "did you mean plan.yaml?"]),
    (["run", "plans/plan.yaml"], 2, ["there is no file plans/plan.yaml"]),
    (["run", "notes.md"], 2, ["notes.md is a file, but not a plan", "--file notes.md"]),
    (["run", "notes"], 2, ["notes is a folder, not a plan"]),
    (["run", "agenttalk.yaml"], 2, ["describes the team, it is not a plan"]),
    (["run", "plan_beees"], 2, ["there is no plan plan_beees", "plan_bees"]),
    (["run", "beees"], 2, ["there is no plan beees", "plan_bees"]),
    (["run", "plan_unheard-of"], 2, ["there is no plan plan_unheard-of", "agenttalk plans"]),
    (["status", "bes"], 2, ["there is no plan bes", "plan_bees"]),
    (["fork", "bees", "--from", "colect"], 2, ["plan_bees has no task colect", 'did you mean "collect"?']),
    (["trace", "x9"], 2, ["there is no plan x9", "agenttalk plans"]),
    (["validate", "nothing.yaml"], 2, ["nothing.yaml"]),
    (["answer", "q_1", "--approve"], 1, ["q_1 is not an open question", "no question is open"]),
    (["send", "notes.md", "--to", "analist"], 2, ["there is no agent analist", "analyst"]),
    (["plan", "reset", "bees", "--task", "colect"], 2, ["colect"]),
    # a goal without a model
    (["run", "A page about bees"], 4, ["goals and feedback need a model", "answers.yaml", "--provider"]),
    (["run", "A page about wasps", "--provider", "nosuch"], 4, ["there is no provider nosuch"]),
    (["run", "plan.yaml", "--answers", "nothing.yaml", "--fresh"], 2, ["nothing.yaml is missing"]),
]

PLANS = [
    ("unknown key", PLAN.replace("goal:", "gaol:"), ['"gaol" is not known', 'did you mean "goal"?']),
    ("gat: human", PLAN.replace("gate: human", "gat: human"), ['"gat" is not known', 'did you mean "gate"?']),
    ("gate: {human: true}", PLAN.replace("gate: human", "gate: {human: true}"), ["gate: human"]),
    ("gate: true", PLAN.replace("gate: human", "gate: true"), ["gate: human"]),
    ("gate: humna", PLAN.replace("gate: human", "gate: humna"), ['nothing is called "humna"', 'did you mean "human"?']),
    ("need", PLAN.replace("inputs: [facts.md]", "need: [collect]"), ['did you mean "needs"?']),
    ("output", PLAN.replace("outputs: [page.md]", "output: [page.md]"), ['did you mean "outputs"?']),
    ("unknown agent", PLAN.replace("agent: editor", "agent: edtior"), ["edtior", 'did you mean "editor"?']),
    ("no agent", PLAN.replace("    agent: editor\n", ""), ['"agent" is missing']),
    ("no prompt", PLAN.replace("    prompt: Write the page.\n", ""), ['"prompt" is missing']),
    ("no id", PLAN.replace("  - id: write\n    agent", "  - agent"), ['"id" is missing']),
    ("no tasks", "plan: bees\n", ['"tasks" is missing']),
    ("tasks as a map", "plan: bees\ntasks:\n  a: {agent: analyst, prompt: x}\n",
     ['"tasks" must be a list, not a map', "- id: NAME"]),
    ("no plan name", "tasks:\n" + TASK % "", ['"plan" is missing', "plan: some-name"]),
    ("twice", "plan: bees\ntasks:\n" + TASK % "" + TASK % "", ["a"]),
    ("cycle", "plan: bees\ntasks:\n" + TASK % ", needs: [b]" + (TASK % ", needs: [a]").replace("id: a", "id: b"),
     ["wait for each other: a → b → a"]),
    ("unknown need", "plan: bees\ntasks:\n" + TASK % ", needs: [b]", ['"b"']),
    ("timeout", "plan: bees\ntasks:\n" + TASK % ", timeout: soon", ["10m"]),
    ("pass", "plan: bees\ntasks:\n" + TASK % ", score: {criteria: good, pass: 150}", ["from 0 to 100"]),
    ("deliverable", PLAN.replace("deliverables: [page.md]", "deliverables: [pgae.md]"),
     ['no task has an output "pgae.md"']),
    ("missing file", PLAN.replace("tasks:", "files: [data/*.csv]\ntasks:"), ["no file matches", "relative to the plan file"]),
    ("tab", PLAN.replace("    agent: editor", "\tagent: editor"), ["a tab is used for indentation", "spaces"]),
    ("indentation", PLAN.replace("    agent: editor", "   agent: editor"), ["indentation"]),
    ("open bracket", PLAN.replace("[facts.md]\n  - id", "[facts.md\n  - id"), ["["]),
    ("open quote", PLAN.replace("prompt: Write the page.", 'prompt: "Write the page.'), ["quot"]),
    ("colon", PLAN.replace("goal: A page about bees", "goal: Bees: a page"), ['": "', "in quotes"]),
    ("star", PLAN.replace("inputs: [facts.md]", "inputs: [*.md]"), ["in quotes", '"*.md"']),
    ("at sign", PLAN.replace("goal: A page", "goal: @home a page"), ["in quotes"]),
    ("key twice", PLAN.replace("    prompt: Write the page.\n", "    prompt: x\n    prompt: y\n"), ['"prompt" is given twice']),
    ("a number as agent", PLAN.replace("agent: editor", "agent: 7"), ["must be a string"]),
    ("empty", "", ["plan.yaml has errors; nothing was run", "the file is empty", "tasks:"]),
    ("a sentence", "A page about bees", ["this is not a plan"]),
    ("a word for a number", "plan: bees\ntasks:\n" + TASK % ", retry: two", ["must be an integer", "digits alone"]),
]

CONFIGS = [
    ("unknown key", CONFIG.replace("provider: offline\n", "providr: offline\n", 1), ['"providr" is not known', 'did you mean "provider"?']),
    ("agents as a list", "version: 1\nagents:\n  - {id: analyst, prompt: x}\n",
     ['"agents" must be a map, not a list', "agents: {analyst: {prompt: …}}"]),
    ("providers as a list", "version: 1\nproviders:\n  - {kind: openai}\n", ['"providers" must be a map, not a list']),
    ("unknown tool", CONFIG.replace("[read_file]", "[read_fiel]"), ['there is no tool "read_fiel"', 'did you mean "read_file"?']),
    ("unknown permission", CONFIG.replace("tools: [read_file]", "permissions: [apend_task]"),
     ['there is no permission "apend_task"', 'did you mean "append_task"?']),
    ("unknown agent", CONFIG.replace("tools: [read_file]", "visibility: [analist]"), ["analist", 'did you mean "analyst"?']),
    ("unknown provider", CONFIG.replace("provider: offline", "provider: ofline", 1), ['there is no provider "ofline"', 'did you mean "offline"?']),
    ("unknown kind", CONFIG.replace("kind: scripted", "kind: scriptd"), ["scriptd", "scripted"]),
    ("a key in the file", CONFIG.replace("answers: answers.yaml", "answers: answers.yaml, api_key: sk-1"), ["api_key_env"]),
    ("promt", CONFIG.replace("prompt: You edit.", "promt: You edit."), ['did you mean "prompt"?']),
    ("limits", CONFIG + "limits: {budget: 5}\n", ['"budget" is not known', "budget_usd"]),
    ("language", CONFIG + "language: english\n", ["en, zh"]),
    ("heartbeat", CONFIG + "heartbeat: 10\n", ["must be an object"]),
    ("version", CONFIG.replace("version: 1", "version: 2"), ["version: 1"]),
    ("tab", CONFIG.replace("  analyst", "\tanalyst"), ["a tab is used for indentation"]),
]


def make(box):
    box.write("hub/agenttalk.yaml", CONFIG)
    box.write("hub/answers.yaml", ANSWERS)
    box.write("hub/plan.yaml", PLAN)
    box.write("hub/notes.md", "Bees fly.")
    box.write("hub/notes/a.txt", "x")
    box.write("hub/wasp.yaml", PLAN.replace("plan: bees", "plan: wasp"))
    return box.dir / "hub"


def check(wrong, name, outcome, code, texts):
    """Notes what is not as it should be, so that one run shows everything."""
    said = outcome.err + outcome.out
    missing = [text for text in texts or [] if text not in said]
    if outcome.code != code or missing or "CLI::" in said:
        wrong.append(f"{name}: exit code {outcome.code} (expected {code}), not said: {missing}\n{outcome}")


def test_the_command_line(box):
    """Verbs, options, arguments, files and plans that are nearly right: refused with what was meant; nothing runs."""
    hub = make(box)
    assert box.run("run", "plan.yaml", "--yes", "--quiet", cwd=hub).expect(0).out.startswith("plan_bees: completed")
    before = box.run("log", "bees", cwd=hub).expect(0).out
    wrong = []
    for arguments, code, texts in COMMAND_LINE:
        check(wrong, " ".join(arguments), box.run(*arguments, cwd=hub), code, texts)
    assert not wrong, "\n".join(wrong)
    # What was asked of the plan and refused is on record, and nothing else is.
    more = box.run("log", "bees", cwd=hub).expect(0).out.removeprefix(before)
    assert more.count("\n") == 1 and "human  refused reset_task: TASK_UNKNOWN" in more and "colect" in more, more
    assert len(box.run("plans", "--json", cwd=hub).expect(0).json) == 1


def test_plan_files(box):
    """A plan that is not right is refused with the line and what to write; no task of it runs."""
    hub = make(box)
    wrong = []
    for name, text, texts in PLANS:
        box.write("hub/plan.yaml", text)
        check(wrong, name, box.run("run", "plan.yaml", "--yes", cwd=hub), 2, texts)
    assert not wrong, "\n".join(wrong)
    assert box.run("plans", "--json", cwd=hub).expect(0).json == []


def test_a_mistake_is_named_once(box):
    """The file, each mistake, and neither what follows from it nor the line a second time."""
    hub = make(box)
    box.write("hub/plan.yaml", PLAN.replace("    agent: editor", "    agnt: editor"))
    for said in (box.run("run", "plan.yaml", cwd=hub).expect(2).err, box.run("validate", "plan.yaml", cwd=hub).expect(2).out):
        assert "plan.yaml" in said and 'did you mean "agent"?' in said and "is missing" not in said, said
    box.write("hub/plan.yaml", PLAN.replace("    agent: editor", "\tagent: editor"))
    assert box.run("run", "plan.yaml", cwd=hub).expect(2).err.count("line 9") == 1
    box.write("hub/agenttalk.yaml", CONFIG.replace("  analyst", "\tanalyst"))
    assert box.run("serve", cwd=hub).expect(2).err.count("line 6") == 1


def test_a_missing_input_says_where_it_belongs(box):
    """A task that waits for a file names the folder; one that waits for its own output is told so before."""
    hub = make(box)
    box.write("hub/plan.yaml", "plan: bees\ntasks:\n" + TASK % ", inputs: [late.md], outputs: [a.md]")
    said = box.run("run", "plan.yaml", cwd=hub).expect(3).err
    assert "waits for late.md, to be put into agents/analyst/inbox/plan_bees/" in said, said
    box.write("hub/plan.yaml", "plan: own\ntasks:\n" + TASK % ", inputs: [a.md], outputs: [a.md]")
    said = box.run("validate", "plan.yaml", cwd=hub).out
    assert 'no other task makes "a.md"' in said and "cannot wait for its own output" in said, said


def test_configurations(box):
    """A configuration that is not right stops every verb that would run something, and validate says the same."""
    hub = make(box)
    wrong = []
    for name, text, texts in CONFIGS:
        box.write("hub/agenttalk.yaml", text)
        code = 4 if name == "unknown provider" else 2  # what is missing is in the environment
        for arguments in (["run", "plan.yaml", "--yes"], ["serve", "--until-idle"]):
            check(wrong, name, box.run(*arguments, cwd=hub), code, texts)
        if name != "unknown agent":  # known only when the profiles have been read
            check(wrong, name, box.run("validate", "agenttalk.yaml", cwd=hub), 2, texts)
    assert not wrong, "\n".join(wrong)
    assert not (hub / "plans").exists() or not os.listdir(hub / "plans")


def test_profiles_and_procedures(box):
    """The other files that people write are checked as strictly."""
    hub = make(box)
    wrong = []
    profile = box.write("hub/agents/editor/agent_profile.json", {"prompt": "x", "tols": ["read_file"]})
    check(wrong, "profile key", box.run("run", "plan.yaml", cwd=hub), 2, ["tols", 'did you mean "tools"?'])
    profile.write_text('{"prompt": "x", "tools": ["write_fil"]}')
    check(wrong, "profile tool", box.run("run", "plan.yaml", cwd=hub), 2, ["write_fil", 'did you mean "write_file"?'])
    profile.write_text('{"prompt": "x", "strategy": "template"}')
    box.write("hub/sops/a.yaml", "name: a\ndescription: d\nmatch: {keywords: [x]}\nstep: []\n")
    check(wrong, "sop key", box.run("run", "plan.yaml", cwd=hub), 2, ['"step" is not known', 'did you mean "steps"?'])
    assert not wrong, "\n".join(wrong)


def test_there_are_at_least_sixty(_box):
    assert len(COMMAND_LINE) + len(PLANS) + len(CONFIGS) >= 60


def test_an_unwritable_hub_says_what_to_do(box):
    """Permission denied: exit code 4 or 2, and what to look at."""
    hub = make(box)
    if os.geteuid() == 0:
        return  # root may write everywhere
    hub.chmod(0o555)
    try:
        outcome = box.run("run", "plan.yaml", cwd=hub).expect(4)
        assert "Permission denied" in outcome.err and "ls -ld" in outcome.err, outcome
    finally:
        hub.chmod(0o755)
