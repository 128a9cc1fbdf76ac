"""Models behind HTTP and behind programs: asking, choosing, keys, budgets, recording and replaying."""

import json
import os

from model_server import ModelServer

CANARY = "canary-e2e-key-0123456789"


def make_hub(box, providers, provider="p", limits="", more=""):
    box.write("hub/agenttalk.yaml", f"""
version: 1
{f"provider: {provider}" if provider else ""}
providers:
{providers}
agents:
  ann: {{name: Ann, prompt: You are Ann.}}
  bob: {{name: Bob, prompt: You are Bob., runtime: external}}
{f"limits: {limits}" if limits else ""}
{more}
""")
    box.run("trust", "--hub", "hub")  # whose test these are; tests/attacks has hubs of strangers
    return box.dir / "hub"


def drop(hub, number, **fields):
    inbox = hub / "agents/ann/inbox"
    inbox.mkdir(parents=True, exist_ok=True)
    command = {"command_id": number, "plan_id": "plan_p", "prompt": f"Do {number}.", **fields}
    (inbox / f"{number}.json").write_text(json.dumps(command), encoding="utf-8")


def state_of(box, number):
    status = box.run("status", "plan_p", "--json", "--hub", "hub").json
    return next(item for item in status["commands"] if item["command_id"] == number)


def says(text):
    return lambda path, body, headers: (200, json.dumps({"result": text}))


def test_asks_each_kind_of_server(box):
    with ModelServer(says("fine")) as server:
        for kind, suffix in (("anthropic", ""), ("openai", "/v1"), ("ollama", "")):
            hub = make_hub(box, f"  p: {{kind: {kind}, base_url: \"{server.url}{suffix}\", model: m}}")
            drop(hub, f"cmd_{kind}")
            box.run("serve", "--until-idle", "--hub", "hub").expect(0)
            assert state_of(box, f"cmd_{kind}")["state"] == "succeeded"
        paths = [path for path, body, _ in server.requests if body is not None]
        assert paths == ["/v1/messages", "/v1/chat/completions", "/api/chat"], paths
        assert all("You are Ann." in json.dumps(body) for body in server.asked())


def test_tools_go_by_the_protocol_where_it_has_them(box):
    def answer(path, body, headers):
        last = body["messages"][-1]
        if last["role"] == "tool" or "tool_calls" not in json.dumps(body) and "tools" not in body:
            return 200, json.dumps({"result": last["content"]})
        if "tools" in body:
            return 200, {"name": "write_file", "arguments": {"path": "work/a.txt", "content": "from a tool"}}
        return 200, json.dumps({"result": "told in the text"})

    with ModelServer(answer) as server:
        url = f"base_url: \"{server.url}/v1\", model: m"
        hub = make_hub(box, f"  p: {{kind: openai, {url}}}\n  q: {{kind: openai, {url}, native_tools: false}}",
                       more="")
        text = (hub / "agenttalk.yaml").read_text()
        (hub / "agenttalk.yaml").write_text(text.replace("prompt: You are Ann.}", "prompt: You are Ann., tools: [write_file]}"))
        drop(hub, "cmd_1")
        box.run("serve", "--until-idle", "--hub", "hub").expect(0)
        assert state_of(box, "cmd_1")["state"] == "succeeded"
        first, second = server.asked()
        assert [tool["function"]["name"] for tool in first["tools"]] == ["write_file"], first
        assert '"tool_calls"' not in first["messages"][-1]["content"], "told once, by the protocol"
        assert second["messages"][-1]["role"] == "tool" and second["messages"][-1]["tool_call_id"] == "call_1", second
        assert (hub / "agents/ann/workspace/plan_p/cmd_1" / "work" / "a.txt").read_text() == "from a tool"
        server.requests.clear()
        drop(hub, "cmd_2")
        box.run("serve", "--until-idle", "--provider", "q", "--hub", "hub").expect(0)
        assert state_of(box, "cmd_2")["state"] == "succeeded"
        (only,) = server.asked()
        assert "tools" not in only and "write_file" in only["messages"][-1]["content"], only


def schema_in(body):
    """The schema that a request holds its answer to, whatever the vendor's place for it."""
    if "response_format" in body:
        return body["response_format"]["json_schema"]["schema"]
    return body["output_config"]["format"]["schema"] if "output_config" in body else body.get("format")


def test_answers_are_held_to_the_schema_of_their_contract(box):
    scored = json.dumps({"result": "fine", "score": 80, "score_explanation": "good"})
    with ModelServer(lambda path, body, headers: (200, scored)) as server:
        for kind, suffix in (("anthropic", ""), ("openai", "/v1"), ("ollama", "")):
            url = f"kind: {kind}, base_url: \"{server.url}{suffix}\", model: m"
            hub = make_hub(box, f"  p: {{{url}}}\n  plain: {{{url}, structured_output: false}}")
            server.requests.clear()
            drop(hub, f"cmd_{kind}", score_required=True, score_criteria="0-100")
            box.run("serve", "--until-idle", "--hub", "hub").expect(0)
            drop(hub, f"cmd_{kind}_plain", score_required=True, score_criteria="0-100")
            box.run("serve", "--until-idle", "--provider", "plain", "--hub", "hub").expect(0)
            held, plain = server.asked()
            assert schema_in(held)["required"] == ["result", "score", "score_explanation"], held
            assert schema_in(held)["additionalProperties"] is False
            assert schema_in(plain) is None and "JSON Schema" not in json.dumps(plain), plain


def test_a_stage_is_held_to_its_own_actions(box):
    asks = {"thought": "unclear", "action": "CLARIFICATION_REQUIRED", "params": {"question": "which bees?"},
            "expectedOutcome": "a clear goal", "risk": {"level": "low", "description": "none"}, "confidence": 40}
    with ModelServer(lambda path, body, headers: (200, json.dumps(asks))) as server:
        make_hub(box, f"  p: {{kind: openai, base_url: \"{server.url}/v1\", model: m}}")
        box.run("run", "Something about bees", "--hub", "hub").expect(3)
        schema = schema_in(server.asked()[0])
        assert "INTENT_ANALYSIS" in schema["properties"]["action"]["enum"], schema
        assert schema["properties"]["params"]["anyOf"][0]["required"] == ["normalizedIntent", "taskRelation", "contextDependency"]


def test_a_server_that_refuses_schemas_is_asked_without_one(box):
    def answer(path, body, headers):
        if schema_in(body) is not None:
            return 400, "This response_format type is unavailable now"
        return 200, json.dumps({"result": "fine"})

    with ModelServer(answer) as server:
        hub = make_hub(box, f"  p: {{kind: openai, base_url: \"{server.url}/v1\", model: m}}")
        for number in ("cmd_1", "cmd_2", "cmd_3"):
            drop(hub, number)
        box.run("serve", "--until-idle", "--hub", "hub").expect(0)
        assert [state_of(box, f"cmd_{i}")["state"] for i in (1, 2, 3)] == ["succeeded"] * 3
        assert [schema_in(body) is not None for body in server.asked()] == [True, False, False, False], server.asked()


def test_a_cassette_holds_the_schema_and_does_not_depend_on_it(box):
    with ModelServer(says("fine")) as server:
        url = f"kind: openai, base_url: \"{server.url}/v1\", model: m"
        hub = make_hub(box, f"  p: {{{url}}}")
        drop(hub, "cmd_1")
        box.run("serve", "--until-idle", "--hub", "hub", "--record", "tape.jsonl").expect(0)
    recorded = json.loads((box.dir / "tape.jsonl").read_text())
    assert json.loads(recorded["request"]["answer_schema"])["required"] == ["result"], recorded
    again = box.dir / "again/agents/ann/inbox"
    again.mkdir(parents=True)
    text = (hub / "agenttalk.yaml").read_text().replace("model: m}", "model: m, structured_output: false}")
    (box.dir / "again/agenttalk.yaml").write_text(text)
    (again / "cmd_1.json").write_text(json.dumps({"command_id": "cmd_1", "plan_id": "plan_p", "prompt": "Do cmd_1."}))
    box.run("serve", "--until-idle", "--hub", "again", "--replay", "tape.jsonl").expect(0)


def test_takes_the_first_provider_that_the_environment_offers(box):
    with ModelServer(says("fine")) as server:
        hub = make_hub(box, "  other: {kind: scripted, answers: none.yaml}", provider="")
        drop(hub, "cmd_1")
        env = {"ANTHROPIC_API_KEY": "key-one-1", "ANTHROPIC_BASE_URL": server.url,
               "OPENAI_API_KEY": "key-two-2", "OPENAI_BASE_URL": server.url + "/v1"}
        box.run("serve", "--until-idle", "--hub", "hub", env=env).expect(0)
        assert server.requests[-1][0] == "/v1/messages"
        drop(hub, "cmd_2")
        del env["ANTHROPIC_API_KEY"]
        box.run("serve", "--until-idle", "--hub", "hub", env=env).expect(0)
        assert server.requests[-1][0] == "/v1/chat/completions"
        drop(hub, "cmd_3")
        box.run("serve", "--until-idle", "--hub", "hub", env={"OLLAMA_HOST": server.url}).expect(0)
        assert server.requests[-1][0] == "/api/chat" and server.requests[-1][1]["model"] == "test-model"


def test_without_any_provider_it_says_what_to_set(box):
    make_hub(box, "  other: {kind: scripted, answers: none.yaml}", provider="")
    outcome = box.run("serve", "--until-idle", "--hub", "hub", "--json", env={"OLLAMA_HOST": "127.0.0.1:1"}).expect(4)
    error = outcome.json["error"]
    assert error["code"] == "PROVIDER_MISSING"
    for word in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL", "Ollama", "--provider scripted --answers FILE"):
        assert word in error["hint"], error


def test_repeats_what_may_pass(box):
    answers = iter([(503, "busy"), (200, json.dumps({"result": "at last"}))])
    with ModelServer(lambda *_: next(answers)) as server:
        hub = make_hub(box, f"  p: {{kind: openai, base_url: \"{server.url}/v1\"}}")
        drop(hub, "cmd_1")
        box.run("serve", "--until-idle", "--hub", "hub").expect(0)
        assert len(server.asked()) == 2


def test_a_key_is_seen_by_nobody_but_its_server(box):
    def answer(path, body, headers):
        key = headers["authorization"].removeprefix("Bearer ")
        return (401, f"the key {key} is wrong") if "cmd_bad" in json.dumps(body) else (200, json.dumps({"result": f"I saw {key}"}))

    with ModelServer(answer) as server:
        hub = make_hub(box, f"  p: {{kind: openai, base_url: \"{server.url}/v1\", api_key_env: CANARY_KEY}}")
        drop(hub, "cmd_good", prompt="Say something.")
        drop(hub, "cmd_bad")
        outcome = box.run("serve", "--until-idle", "--hub", "hub", "--record", "tape.jsonl", env={"CANARY_KEY": CANARY})
        outcome.expect(1)
        shown = box.run("providers", "--hub", "hub", env={"CANARY_KEY": CANARY}).expect(0)
        assert server.requests[0][2]["authorization"] == f"Bearer {CANARY}"
        assert all(CANARY not in json.dumps(body) for body in server.asked())
        for text in (outcome.out, outcome.err, shown.out, shown.err):
            assert CANARY not in text
        seen = 0
        for folder, _, names in os.walk(box.dir):
            for name in names:
                data = open(os.path.join(folder, name), "rb").read()
                seen += 1
                assert CANARY.encode() not in data, f"{folder}/{name} holds the key"
        assert seen > 10


def test_a_key_file_must_be_private(box):
    with ModelServer(says("fine")) as server:
        hub = make_hub(box, f"  p: {{kind: openai, base_url: \"{server.url}/v1\", api_key_file: key}}")
        key = box.write("hub/key", CANARY + "\n")
        os.chmod(key, 0o644)
        refused = box.run("serve", "--until-idle", "--hub", "hub")
        assert refused.code != 0 and "chmod 600" in refused.err and CANARY not in refused.err, refused
        os.chmod(key, 0o600)
        drop(hub, "cmd_1")
        box.run("serve", "--until-idle", "--hub", "hub").expect(0)
        assert server.requests[-1][2]["authorization"] == f"Bearer {CANARY}"


def test_a_recorded_run_can_be_replayed_without_the_server(box):
    hub = make_hub(box, "  p: {kind: openai, base_url: \"http://127.0.0.1:1/v1\"}")
    with ModelServer(says("recorded")) as server:
        make_hub(box, f"  p: {{kind: openai, base_url: \"{server.url}/v1\"}}")
        drop(hub, "cmd_1", on_complete={"output_name": "out.md", "send_to": ["bob"]})
        box.run("serve", "--until-idle", "--hub", "hub", "--record", "tape.jsonl").expect(0)
    assert (hub / "agents/bob/inbox/plan_p/out.md").read_text(encoding="utf-8") == "recorded"
    (box.dir / "hub").rename(box.dir / "old")
    hub = make_hub(box, "  p: {kind: openai, base_url: \"http://127.0.0.1:1/v1\"}")
    drop(hub, "cmd_1", on_complete={"output_name": "out.md", "send_to": ["bob"]})
    box.run("serve", "--until-idle", "--hub", "hub", "--replay", "tape.jsonl").expect(0)
    assert (hub / "agents/bob/inbox/plan_p/out.md").read_text(encoding="utf-8") == "recorded"
    drop(hub, "cmd_2")
    box.run("serve", "--until-idle", "--hub", "hub", "--replay", "tape.jsonl").expect(1)
    message = state_of(box, "cmd_2")["error"]["message"]
    assert "Do cmd_1" in message and "Do cmd_2" in message, message
    box.run("serve", "--hub", "hub", "--replay", "tape.jsonl", "--record", "x").expect(2)


def test_a_program_plays_the_model(box):
    program = box.write("model.py", """
import json, os, sys
prompt = sys.stdin.read()
print(json.dumps({"answer": json.dumps({"result": f"{len(prompt) > 20} {os.getcwd()}"})}))
""")
    hub = make_hub(box, f"  p: {{kind: exec, argv: [python3, \"{program}\"], answer_at: /answer}}")
    drop(hub, "cmd_1", on_complete={"output_name": "out.md", "send_to": ["bob"]})
    box.run("serve", "--until-idle", "--hub", "hub").expect(0)
    text = (hub / "agents/bob/inbox/plan_p/out.md").read_text(encoding="utf-8")
    assert text.startswith("True ") and text.endswith("agents/ann/workspace/plan_p/cmd_1/work"), text


def test_a_used_up_budget_is_a_question(box):
    with ModelServer(says("fine")) as server:
        hub = make_hub(box, f"  p: {{kind: openai, base_url: \"{server.url}/v1\", max_tokens: 100, prices: {{input: 1000, output: 1000}}}}",
                       limits="{budget_usd: 1.2}")
        drop(hub, "cmd_1")
        box.run("serve", "--until-idle", "--hub", "hub").expect(0)
        drop(hub, "cmd_2")
        box.run("serve", "--until-idle", "--hub", "hub").expect(3)
        assert len(server.asked()) == 1
        question = box.run("questions", "--json", "--hub", "hub").json[0]
        assert question["kind"] == "confirm" and "1.1000 of 1.2000 USD" in question["text"], question
        box.run("answer", question["id"], "--approve", "--hub", "hub").expect(0)
        box.run("serve", "--until-idle", "--hub", "hub").expect(0)
        assert len(server.asked()) == 2


def test_providers_tells_what_can_be_used(box):
    with ModelServer(says("fine")) as server:
        box.write("hub/answers.yaml", "- echo: true\n")
        make_hub(box, f"""  p: {{kind: openai, base_url: "{server.url}/v1", model: test-model}}
  gone: {{kind: ollama, base_url: "http://127.0.0.1:1", model: x}}
  keyless: {{kind: anthropic}}
  program: {{kind: exec, argv: [no-such-program-here]}}
  script: {{kind: scripted, answers: answers.yaml}}""")
        found = {item["name"]: item for item in box.run("providers", "--json", "--hub", "hub").expect(0).json}
        assert found["p"]["usable"] and found["p"]["models"] == ["test-model"] and found["p"]["default"]
        assert found["p"]["agents"] == ["ann"] and found["script"]["usable"]
        for name in ("gone", "keyless", "program"):
            assert not found[name]["usable"] and found[name]["problem"]["hint"], found[name]
        assert "set ANTHROPIC_API_KEY" in found["keyless"]["problem"]["hint"]
        make_hub(box, "  p: {kind: anthropic}")
        box.run("providers", "--hub", "hub").expect(4)
