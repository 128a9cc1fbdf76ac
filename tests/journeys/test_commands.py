"""Journeys of source 001: agents make their commands with generate_command and send them. The model knows only what the
request, the skill and the tool's answers say."""

import json

from journey import Journey, wait_for
from mindful_model import call, missing

PLANNER = {"name": "Planner", "prompt": "You plan.", "tools": ["generate_command", "get_plan_structure"],
           "permissions": ["send_command", "plan"]}
TEAM = {"planner": PLANNER, **{name: {"name": name, "prompt": f"You are {name}."} for name in ("bob", "cy", "dan")}}


def last_json(request):
    return json.loads(request.tool_results()[-1])


def learn(request):
    """The skill, as a model finds it: its description is in the prompt, its text behind a tool."""
    request.need("generate-command")
    schema = request.tool("read_skill")["parameters"]
    return call("read_skill", **{next(iter(schema["properties"])): "generate-command"})


def made(request):
    """The commands that the tool has made, by the names it gave them; and how it says to send them."""
    commands = {}
    for text in request.tool_results():
        answer = json.loads(text) if text.startswith("{") else {}
        if answer.get("ok") and "command" in answer:
            if '"outputs"' not in answer.get("send", ""):
                missing("how to send a command")
            commands[answer["file"]] = answer["command"]
    return commands


def successes(hub, plan):
    lines = hub.agenttalk("log", plan, "--json").expect(0).out.splitlines()
    return sorted(event["command_id"] for event in map(json.loads, lines) if event["type"] == "command_succeeded")


def no_letters(hub):
    assert hub.json("dead", "list") == [], hub.json("dead", "list")


PLAN = """
plan: facts
tasks:
  - {id: planning, agent: planner, prompt: Have every other task of the plan done in one sentence each., outputs: [plan.md]}
  - {id: task_of_bob_001, agent: bob, prompt: B, inputs: [plan.md], outputs: [bob.md]}
  - {id: task_of_cy_001, agent: cy, prompt: C, inputs: [plan.md], outputs: [cy.md]}
  - {id: task_of_dan_001, agent: dan, prompt: D, inputs: [plan.md], outputs: [dan.md]}
  - {id: summary, agent: planner, prompt: Join the sentences., inputs: [bob.md, cy.md, dan.md], outputs: [all.md]}
"""


def dag_planner(request, tasks_wanted, spoil=None):
    results = request.tool_results()
    if not results:
        return learn(request)
    if len(results) == 1:
        for needed in ("task_id", "outputs", "unchanged"):
            if needed not in results[0]:
                missing(f"{needed} in the skill")
        request.tool("get_plan_structure")
        return call("get_plan_structure")
    if len(results) == 2:
        structure = last_json(request)
        if not structure.get("dag", {}).get("sha256"):
            missing("the DAG's hash in get_plan_structure")
        tasks = [task["task_id"] for task in structure["tasks"] if task["task_id"] in tasks_wanted]
        properties = request.tool("generate_command")["parameters"]["properties"]
        for needed in ("task_id", "prompt", "assigned_agent_id", "command_params"):
            if needed not in properties:
                missing(f"the argument {needed} of generate_command")
        return [call("generate_command", task_id=task, prompt=f"Say a sentence for {task}.") for task in tasks]
    commands = made(request)
    return json.dumps({"result": "the plan", "outputs": {"plan.md": "the plan", **commands}})


TASKS = ["task_of_bob_001", "task_of_cy_001", "task_of_dan_001"]


def dag_mind(request):
    if "Have every other task" in request:
        return dag_planner(request, TASKS)
    if "Join the sentences." in request:
        said = [request.find(rf"SENTENCE (task_of_{name}_001)", f"the sentence of {name}") for name in ("bob", "cy", "dan")]
        return json.dumps({"result": " ".join(said)})
    task = request.find(r"Say a sentence for (\w+)\.", "the planner's own prompt")
    return json.dumps({"result": f"SENTENCE {task}"})


def test_a_planner_makes_and_sends_the_commands_of_a_dag_plan(box):
    for mirror in ("full", "lazy"):
        with Journey(box, dag_mind, TEAM, name=f"hub_{mirror}", mirror=mirror) as hub:
            hub.write("plan.yaml", PLAN)
            ended = hub.agenttalk("run", "--plan", "plan.yaml", "--json").expect(0).json
            assert ended["state"] == "completed", ended
            assert hub.read("plans/plan_facts/deliverables/all.md") == " ".join(TASKS)
            assert successes(hub, "plan_facts") == sorted(
                ["cmd_planning_001", "cmd_summary_001", *(f"cmd_{task}_001" for task in TASKS)])
            no_letters(hub)


def test_unknown_tasks_and_old_dags_come_back_and_the_model_corrects_them(box):
    seen = []

    def mind(request):
        if "Have every other task" not in request:
            return dag_mind(request)
        results = request.tool_results()
        if len(results) < 2:
            return dag_planner(request, TASKS)
        if len(results) == 2:  # a name that does not exist, and the seed's own form
            return [call("generate_command", command_params={"task_id": "task_of_nobody", "prompt": "x"}),
                    *dag_planner(request, TASKS)]
        if len(results) == 6:
            refused = json.loads(results[2])
            assert refused["ok"] is False and refused["errors"][0]["code"] == "TASK_UNKNOWN", refused
        if "COMMAND_DAG_MISMATCH" in request and len(results) == 6:
            seen.append("stale")
            return [call("generate_command", task_id=TASKS[0], prompt=f"Say a sentence for {TASKS[0]}.")]
        commands = made(request)
        if len(results) == 6:  # as if the DAG had changed since
            first = next(name for name in commands if "bob" in name)
            commands[first]["dag_ref"]["sha256"] = "0" * 64
            del commands[first]["payload_hash"]
        else:
            old = sorted(name for name in commands if "bob" in name)
            assert old == ["cmd_task_of_bob_001_001.json", "cmd_task_of_bob_001_002.json"], "the same number twice"
            del commands[old[0]]
        return json.dumps({"result": "the plan", "outputs": {"plan.md": "the plan", **commands}})

    with Journey(box, mind, TEAM) as hub:
        hub.write("plan.yaml", PLAN)
        hub.agenttalk("run", "--plan", "plan.yaml", "--json").expect(0)
        assert seen == ["stale"]
        assert "cmd_task_of_bob_001_002" in successes(hub, "plan_facts")
        assert hub.read("plans/plan_facts/deliverables/all.md") == " ".join(TASKS)
        no_letters(hub)


def open_mind(request):
    if "Ask bob, cy and dan" in request:
        results = request.tool_results()
        if not results:
            return learn(request)
        if len(results) == 1:
            if "assigned_agent_id" not in results[0]:
                missing("assigned_agent_id in the skill")
            return [call("generate_command", assigned_agent_id=name, prompt=f"Say a word, {name}.",
                         on_complete={"output_name": f"{name}.md"}) for name in ("bob", "cy", "dan")]
        return json.dumps({"result": "asked", "outputs": made(request)})
    name = request.find(r"Say a word, (\w+)\.", "the prompt")
    return json.dumps({"result": f"WORD {name}"})


OPEN = {"command_id": "cmd_ask", "plan_id": "plan_words", "prompt": "Ask bob, cy and dan for a word each.",
        "on_complete": {"send_to": ["human"]}}


def test_a_planner_makes_and_sends_commands_in_an_open_plan(box):
    with Journey(box, open_mind, TEAM) as hub:
        hub.start()
        hub.write("cmd_ask.json", json.dumps(OPEN))
        hub.agenttalk("send", "cmd_ask.json", "--to", "planner").expect(0)
        inbox = hub.dir / "agents/planner/inbox/plan_words"
        wait_for(lambda: len(list(inbox.glob("*.md"))) == 3 if inbox.exists() else False, "the words")
        words = {path.name: path.read_text() for path in inbox.glob("*.md")}
        assert words == {f"{name}.md": f"WORD {name}" for name in ("bob", "cy", "dan")}, words
        # A message and the file that comes with it are two files, one after the other.
        wait_for(lambda: len(list(inbox.glob("msg_cmd_*.json"))) == 3, "the messages")
        done = successes(hub, "plan_words")
        assert len(done) == 4 and len(set(done)) == 4, done
        hub.restart("kill")
        hub.restart("stop")
        assert successes(hub, "plan_words") == done
        no_letters(hub)


def test_an_agent_without_the_permission_is_told_and_sends_nothing(box):
    def mind(request):
        if "Ask bob" not in request:
            return json.dumps({"result": "x"})
        results = request.tool_results()
        if not results:
            return call("generate_command", assigned_agent_id="bob", prompt="Say a word, bob.")
        if "send_command" not in last_json(request)["send"]:
            missing("that commands may not be sent")
        return json.dumps({"result": json.dumps(last_json(request)["command"])})

    team = {**TEAM, "planner": {**PLANNER, "permissions": []}}
    with Journey(box, mind, team) as hub:
        hub.write("cmd_ask.json", json.dumps(OPEN))
        hub.agenttalk("send", "cmd_ask.json", "--to", "planner").expect(0)
        hub.agenttalk("serve", "--until-idle").expect(0)
        assert successes(hub, "plan_words") == ["cmd_ask"]


def test_an_external_agent_sends_commands_and_learns_what_became_of_them(box):
    team = {"eve": {"name": "Eve", "prompt": "x", "runtime": "external", "permissions": ["send_command"]},
            "bob": TEAM["bob"]}
    with Journey(box, open_mind, team) as hub:
        hub.start()
        outbox = "agents/eve/outbox/plan_words"
        command = {"command_id": "cmd_1", "plan_id": "plan_words", "prompt": "Say a word, bob.",
                   "on_complete": {"send_to": ["eve"], "output_name": "word.md"}}
        hub.drop(f"{outbox}/cmd_1.json", command)
        reason = hub.dir / "agents/eve/inbox/plan_words/refused_cmd_1.json"
        wait_for(reason.exists, "the reason")
        assert "assigned_agent_id" in reason.read_text(), reason.read_text()
        hub.drop(f"{outbox}/cmd_1.json", {**command, "assigned_agent_id": "bob"})
        word = hub.dir / "agents/eve/inbox/plan_words/word.md"
        wait_for(word.exists, "the word")
        assert word.read_text() == "WORD bob"
        wait_for(lambda: not reason.exists(), "the end of the reason")
        assert (hub.dir / "agents/eve/outbox/.processed/plan_words/cmd_1.json").exists()
        assert successes(hub, "plan_words") == ["cmd_1"]


WAITING = """
plan: two
tasks:
  - {id: first, agent: eve, prompt: Begin., outputs: [first.md], timeout: 600}
  - {id: a_rather_long_task_name_001, agent: bob, prompt: End., inputs: [first.md], outputs: [end.md]}
"""
TASK = "a_rather_long_task_name_001"


def test_two_commands_for_one_task_have_two_numbers_in_whichever_order_they_are_sent(box):
    team = {"eve": {"name": "Eve", "prompt": "x", "runtime": "external"}, "bob": TEAM["bob"]}
    for mirror in ("full", "lazy"):
        for served in (False, True):
            for order in ((0, 1), (1, 0)):
                name = f"{mirror}_{served}_{order[0]}"
                with Journey(box, open_mind, team, name=name, mirror=mirror) as hub:
                    hub.write("plan.yaml", WAITING)
                    runner = hub.spawn("run", "--plan", "plan.yaml", "--quiet")
                    wait_for(lambda: list(hub.dir.glob("agents/eve/inbox/plan_two/cmd_*.json")), "the first command")
                    runner.terminate()
                    runner.wait(30)
                    if served:
                        hub.start()
                    commands = []
                    for number in (1, 2):
                        made_one = hub.json("command", "new", "--set", "plan_id=plan_two", "--set", f"task_id={TASK}",
                                            "--set", f"prompt=Version {number}.")
                        assert made_one["ok"], made_one
                        assert made_one["command"]["command_id"] == f"cmd_{TASK}_{number:03}", (name, made_one)
                        commands.append(hub.write(f"cmd_{number}.json", json.dumps(made_one["command"])))
                        hub.agenttalk("validate", "--strict", commands[-1]).expect(0)
                    for index in order:
                        hub.agenttalk("send", commands[index], "--to", "bob", "--json").expect(0)
                    states = {one["command_id"]: one["state"] for one in hub.json("status", "plan_two")["commands"]}
                    assert states[f"cmd_{TASK}_001"] == "superseded", (name, states)
                    assert states[f"cmd_{TASK}_002"] == "waiting_inputs", (name, states)
                    # The same id with another text is found before it is sent.
                    again = json.loads(commands[0].read_text())
                    again.update(prompt="Something else.")
                    del again["payload_hash"]
                    clash = hub.agenttalk("validate", "--strict", "--json", hub.write("cmd_3.json", json.dumps(again)))
                    assert clash.expect(2).json[0]["errors"][0]["code"] == "IDEMPOTENCY_CONFLICT", clash
