"""agenttalk validate"""

COMMAND = {"command_id": "cmd_001", "plan_id": "plan_x", "prompt": "Summarise."}
PLAN = """
plan: demo
tasks:
  - id: one
    agent: writer
    prompt: Write.
    outputs: [text.md]
"""


def test_good_files_of_every_kind(box):
    files = {
        "command": box.write("one.json", COMMAND),
        "plan": box.write("p.yaml", PLAN),
        "profile": box.write("profile.json", {"agent_id": "writer", "name": "Writer", "prompt": "You write."}),
        "config": box.write("conf/settings.yaml", "version: 1\nagents:\n  writer: {prompt: You write.}\n"),
        "dag": box.write("dag.json", {
            "schema_version": "1.0", "plan_id": "plan_x",
            "nodes": [{"task_id": "a", "name": "A", "prompt": "Do.", "assigned_agent_id": "writer",
                       "depends_on": [], "outputs": [{"name": "a.md", "deliverable": True}]}]}),
        "output": box.write("output.json", {
            "thought": "t", "action": "REVIEW_RESULT",
            "params": {"approved": True, "score": 90, "feedback": "f", "requiredFixes": []},
            "expectedOutcome": "e", "risk": {"level": "low", "description": "d"}, "confidence": 80}),
    }
    checks = box.run("validate", "--json", *files.values()).expect(0).json
    assert [check["kind"] for check in checks] == list(files), checks
    for check in checks:
        assert set(check) == {"file", "kind", "ok", "errors", "warnings"} and check["ok"], check


def test_every_error_is_reported_at_once_with_place_and_hint(box):
    box.write("bad.json", {"command_id": "cmd_1", "prompt": "  ", "timeout": 0})
    outcome = box.run("validate", "bad.json", "--json").expect(2)
    (check,) = outcome.json
    assert check["kind"] == "command" and not check["ok"], check
    codes = {error["code"]: error for error in check["errors"]}
    assert {"PLAN_ID_MISSING", "PROMPT_EMPTY", "TIMEOUT_INVALID"} <= set(codes), check
    assert codes["PROMPT_EMPTY"]["path"] == "/prompt", check
    for error in check["errors"]:
        assert {"code", "path", "message", "hint"} <= set(error) and error["message"], error


def test_one_bad_file_among_good_ones_makes_exit_code_2(box):
    box.write("good.json", COMMAND)
    box.write("bad.json", "{")
    checks = box.run("validate", "good.json", "bad.json", "missing.json", "--json").expect(2).json
    assert [check["ok"] for check in checks] == [True, False, False], checks
    assert checks[1]["errors"][0]["code"] == "JSON_INVALID", checks
    assert checks[2]["errors"][0]["code"] == "NOT_FOUND", checks


def test_people_read_the_verdict_on_standard_output(box):
    box.write("good.json", COMMAND)
    assert box.run("validate", "good.json").expect(0).out.startswith("ok good.json (command)\n")
    outcome = box.run("validate", "-", stdin="{").expect(2)
    assert "INVALID - (command)\n  error JSON_INVALID" in outcome.out, outcome


def test_strict_refuses_what_an_inbox_completes(box):
    box.write("scored.json", {**COMMAND, "score_required": True})
    (check,) = box.run("validate", "scored.json", "--json").expect(0).json
    assert [warning["code"] for warning in check["warnings"]] == ["SCORE_CRITERIA_MISSING"], check
    (check,) = box.run("validate", "scored.json", "--json", "--strict").expect(2).json
    assert [error["code"] for error in check["errors"]] == ["SCORE_CRITERIA_MISSING"], check


def test_kind_can_be_told(box):
    box.write("x.json", {})
    for kind in ("command", "dag", "plan", "profile", "config", "output"):
        (check,) = box.run("validate", "x.json", "--kind", kind, "--json").json
        assert check["kind"] == kind, check
    assert box.run("validate", "x.json", "--kind", "nope").code == 2


def test_in_a_hub_agents_must_be_known(box):
    box.run("init", "hub", "--template", "report").expect(0)
    hub = box.dir / "hub"
    box.run("validate", "plan.yaml", "agenttalk.yaml", cwd=hub).expect(0)
    box.write("hub/other.yaml", PLAN)
    (check,) = box.run("validate", "other.yaml", "--json", cwd=hub).expect(2).json
    assert [error["code"] for error in check["errors"]] == ["AGENT_UNKNOWN"], check
    box.run("validate", "hub/other.yaml").expect(0)  # outside the hub nobody knows the team
    box.write("hub/agents/writer/agent_profile.json", {"agent_id": "writer", "prompt": "You write."})
    box.run("validate", "other.yaml", "agents/writer/agent_profile.json", cwd=hub).expect(0)


def test_yaml_errors_name_the_line(box):
    box.write("p.yaml", PLAN.replace("agent: writer", "agent: ../x"))
    (check,) = box.run("validate", "p.yaml", "--json").expect(2).json
    assert check["errors"][0]["line"] == 5, check


def test_every_template_is_valid(box):
    for template in ("blank", "consensus", "report", "software"):
        made = box.run("init", template, "--template", template, "--json").expect(0).json
        checked = [file for file in made["files"] if file in ("agenttalk.yaml", "plan.yaml")]
        (*checks,) = box.run("validate", *checked, "--json", cwd=box.dir / template).expect(0).json
        assert all(not check["warnings"] for check in checks), checks
