"""Which fields the documents have, and what each refuses: the table the generator mutates valid documents by."""

HASH = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

# What a value of the wrong type can be.
SAMPLES = {"null": None, "true": True, "number": 7, "string": "text", "array": [], "object": {}}

# For each type of field, the samples that are not of the wrong type.
FITTING = {
    "string": ["string"], "text": ["string"], "name": ["string"], "output": ["string"], "pattern": ["string"],
    "choice": ["string"], "sha256": ["string"], "time": ["string"], "bool": ["true"], "int": ["number"],
    "number": ["number"], "strings": ["array"], "texts": ["array"], "names": ["array"], "objects": ["array"],
    "inputs": ["array"], "outputs": ["array"], "object": ["object"], "period": ["number", "string"],
    # plan.yaml takes one value where a list is meant, and short forms
    "one_or_names": ["array", "string"], "one_or_inputs": ["array", "string", "object"],
    "one_or_outputs": ["array", "string", "object"], "score": ["object", "string"],
    "gate": ["object", "string", "array"], "paths": ["array", "string"], "patterns": ["array", "string"],
}

UNSAFE_NAMES = ["../x", "a/b", ".hidden", "a..b", "x" * 129, "a b", "名字", "-x", "a\x00b", "a\nb", "/etc/passwd", "~"]


class Field:
    """One field of a document: where it is, what it holds, and the codes of its refusals."""

    def __init__(self, path, kind, required=None, invalid="VALUE_INVALID", low=None, high=None):
        self.path = path.split("/")
        self.kind = kind
        self.required = required  # the code when it is missing; None: it may be
        self.invalid = invalid
        self.low = low
        self.high = high


COMMAND = {
    "command_id": "cmd_review", "plan_id": "plan_a", "prompt": "Review it.", "schema_version": "1.0",
    "required_inputs": ["a.md", {"pattern": "feedback_*.json", "min": 3}], "wait_for_inputs": True,
    "score_required": True, "score_criteria": "quality, 0-100",
    "on_complete": {"send_to": ["manager"], "message_template": "done: {result}", "output_name": "review.md",
                    "send_to_condition": [{"min_score": 70, "send_to": ["manager"]}]},
    "on_failure": {"send_to": ["manager"], "message_template": "failed: {error}"},
    "timeout": 60, "retry_times": 2, "idempotency_key": "k", "priority": 1,
}
COMMAND_FIELDS = [
    Field("command_id", "name", "COMMAND_ID_MISSING"),
    Field("plan_id", "name", "PLAN_ID_MISSING"),
    Field("prompt", "text", "PROMPT_EMPTY"),
    Field("schema_version", "choice", invalid="SCHEMA_VERSION_UNSUPPORTED"),
    Field("required_inputs", "inputs"),
    Field("required_inputs/1/pattern", "pattern", "FIELD_MISSING"),
    Field("required_inputs/1/min", "int", low=1, high=1_000_000),
    Field("wait_for_inputs", "bool"),
    Field("score_required", "bool"),
    Field("score_criteria", "string"),
    Field("on_complete", "object"),
    Field("on_complete/send_to", "names"),
    Field("on_complete/message_template", "string"),
    Field("on_complete/output_name", "output"),
    Field("on_complete/send_to_condition", "objects"),
    Field("on_complete/send_to_condition/0/min_score", "number", "FIELD_MISSING", low=0, high=100),
    Field("on_complete/send_to_condition/0/send_to", "names", "ROUTING_NO_TARGET"),
    Field("on_failure", "object"),
    Field("on_failure/send_to", "names"),
    Field("on_failure/message_template", "string"),
    Field("timeout", "int", invalid="TIMEOUT_INVALID", low=1, high=3_155_760_000),
    Field("retry_times", "int", invalid="RETRY_INVALID", low=0, high=1000),
    Field("idempotency_key", "text"),
    Field("priority", "int", low=-2**31, high=2**31 - 1),
]

TASK_COMMAND = {
    "command_id": "cmd_t1_001", "plan_id": "plan_a", "task_id": "t1", "command_seq": 1, "prompt": "Do it.",
    "score_required": True, "score_criteria": "quality, 0-100", "dag_ref": {"sha256": HASH, "revision": 1},
}
TASK_COMMAND_FIELDS = [
    Field("task_id", "name", invalid="TASK_ID_MISSING"),
    Field("command_seq", "int", "COMMAND_SEQ_MISSING", invalid="COMMAND_SEQ_MISMATCH", low=1, high=999_999_999_999),
    Field("score_criteria", "text", "SCORE_CRITERIA_MISSING"),
    Field("dag_ref", "object"),
    Field("dag_ref/sha256", "sha256", "COMMAND_DAG_MISMATCH", invalid="COMMAND_DAG_MISMATCH"),
    Field("dag_ref/revision", "int", low=0, high=2**63 - 1),
]

DAG = {
    "schema_version": "1.1", "plan_id": "plan_a", "routing_rules": [{"any": "thing"}],
    "nodes": [
        {"task_id": "t1", "name": "First", "prompt": "Do it.", "assigned_agent_id": "analyst", "timeout": 60,
         "retry_times": 1, "parameters": {"temperature": 0.5, "max_tokens": 100},
         "inputs": [{"name": "notes", "selector": {"type": "by_glob", "value": "*.md"}, "required": False,
                     "pick_policy": "first_seen", "min": 2}],
         "outputs": [{"name": "summary.md", "content_type": "text/markdown", "deliver_to": ["editor"],
                      "deliverable": True, "idempotency_key": "k", "when": {"min_score": 10, "max_score": 90},
                      "versioning": {"mode": "keep_latest", "conflict_policy": "newest"}}],
         "score": {"required": True, "criteria": "quality", "pass": 70, "max_rework": 2},
         "gates": {"required": True, "evidence_required": ["human"], "thresholds": {"human": 1}}},
        {"task_id": "t2", "prompt": "Go on.", "assigned_agent_id": "editor", "depends_on": ["t1"],
         "required_inputs": ["summary.md", {"pattern": "f_*", "min": 2}],
         "failure_policy": {"on_dependency_failed": "FALLBACK", "max_reexecute_times": 1, "fallback_task_id": "t3"}},
        {"task_id": "t3", "instruction": "Help out.", "assigned_agent_id": "editor"},
        {"task_id": "t4", "prompt": "Stand aside.", "assigned_agent_id": "editor"},
    ],
}
DAG_FIELDS = [
    Field("schema_version", "choice", invalid="SCHEMA_VERSION_UNSUPPORTED"),
    Field("plan_id", "name", "PLAN_ID_MISSING"),
    Field("nodes", "objects", "FIELD_MISSING"),
    Field("routing_rules", "objects"),
    Field("nodes/3/task_id", "name", "TASK_ID_MISSING"),
    Field("nodes/0/name", "string"),
    Field("nodes/0/prompt", "text", "PROMPT_EMPTY"),
    Field("nodes/2/instruction", "text", "PROMPT_EMPTY"),
    Field("nodes/0/assigned_agent_id", "name", "FIELD_MISSING"),
    Field("nodes/0/parameters", "object"),
    Field("nodes/0/parameters/temperature", "number", low=0, high=2),
    Field("nodes/1/depends_on", "names"),
    Field("nodes/1/required_inputs", "inputs"),
    Field("nodes/1/required_inputs/1/pattern", "pattern", "FIELD_MISSING"),
    Field("nodes/1/required_inputs/1/min", "int", low=1, high=1_000_000),
    Field("nodes/0/inputs", "inputs"),
    Field("nodes/0/inputs/0/name", "pattern", "FIELD_MISSING"),
    Field("nodes/0/inputs/0/selector", "object"),
    Field("nodes/0/inputs/0/selector/type", "choice", "FIELD_MISSING"),
    Field("nodes/0/inputs/0/selector/value", "pattern"),
    Field("nodes/0/inputs/0/required", "bool"),
    Field("nodes/0/inputs/0/pick_policy", "choice"),
    Field("nodes/0/inputs/0/min", "int", low=1, high=1_000_000),
    Field("nodes/0/outputs", "outputs"),
    Field("nodes/0/outputs/0/name", "output", "FIELD_MISSING"),
    Field("nodes/0/outputs/0/content_type", "string"),
    Field("nodes/0/outputs/0/deliver_to", "names"),
    Field("nodes/0/outputs/0/deliverable", "bool"),
    Field("nodes/0/outputs/0/idempotency_key", "text"),
    Field("nodes/0/outputs/0/when", "object"),
    Field("nodes/0/outputs/0/when/min_score", "number", low=0, high=100),
    Field("nodes/0/outputs/0/when/max_score", "number", low=0, high=100),
    Field("nodes/0/outputs/0/versioning", "object"),
    Field("nodes/0/outputs/0/versioning/mode", "choice"),
    Field("nodes/0/outputs/0/versioning/conflict_policy", "string"),
    Field("nodes/0/score", "object"),
    Field("nodes/0/score/required", "bool"),
    Field("nodes/0/score/criteria", "text"),
    Field("nodes/0/score/pass", "number", low=0, high=100),
    Field("nodes/0/score/max_rework", "int", low=0, high=1000),
    Field("nodes/1/failure_policy", "object"),
    Field("nodes/1/failure_policy/on_dependency_failed", "choice"),
    Field("nodes/1/failure_policy/max_reexecute_times", "int", low=0, high=1000),
    Field("nodes/1/failure_policy/fallback_task_id", "name", "FIELD_MISSING"),
    Field("nodes/0/gates", "object"),
    Field("nodes/0/gates/required", "bool"),
    Field("nodes/0/gates/evidence_required", "names"),
    Field("nodes/0/gates/thresholds", "object"),
    Field("nodes/0/gates/thresholds/human", "number"),
    Field("nodes/0/timeout", "int", invalid="TIMEOUT_INVALID", low=1, high=3_155_760_000),
    Field("nodes/0/retry_times", "int", invalid="RETRY_INVALID", low=0, high=1000),
]

PLAN = {
    "plan": "weekly-report", "goal": "One page.", "files": ["notes/*.md"], "deliverables": ["report.md"],
    "tasks": [
        {"id": "summarise", "agent": "analyst", "prompt": "Summarise the notes.", "inputs": ["*.md"],
         "outputs": [{"name": "summary.md", "to": ["editor"]}], "timeout": "10m", "retry": 2,
         "score": {"criteria": "0-100", "pass": 70, "rework": 2}},
        {"id": "publish", "agent": "editor", "prompt": "Publish it.", "needs": ["summarise"],
         "inputs": ["summary.md"], "outputs": ["report.md"], "gate": "human"},
    ],
}
PLAN_FIELDS = [
    Field("plan", "name", "PLAN_ID_MISSING"),
    Field("goal", "string"),
    Field("files", "paths"),
    Field("deliverables", "patterns"),
    Field("tasks", "objects", "FIELD_MISSING"),
    Field("tasks/1/id", "name", "TASK_ID_MISSING"),
    Field("tasks/0/agent", "name", "FIELD_MISSING"),
    Field("tasks/0/prompt", "text", "PROMPT_EMPTY"),
    Field("tasks/0/inputs", "one_or_inputs"),
    Field("tasks/0/outputs", "one_or_outputs"),
    Field("tasks/0/outputs/0/name", "output", "FIELD_MISSING"),
    Field("tasks/0/outputs/0/to", "one_or_names"),
    Field("tasks/0/timeout", "period", invalid="TIMEOUT_INVALID"),
    Field("tasks/0/retry", "int", invalid="RETRY_INVALID", low=0, high=1000),
    Field("tasks/0/score", "score"),
    Field("tasks/0/score/criteria", "text"),
    Field("tasks/0/score/pass", "number", low=0, high=100),
    Field("tasks/0/score/rework", "int", low=0, high=1000),
    Field("tasks/1/needs", "one_or_names"),
    Field("tasks/1/gate", "gate"),
]

PROFILE = {
    "agent_id": "analyst", "name": "Analyst", "prompt": "You analyse.", "capabilities": ["analysis"],
    "tools": ["read_file"], "permissions": ["publish_message"], "visibility": ["editor"], "provider": "local",
    "model": "m", "max_parallel": 2, "heartbeat": {"interval_seconds": 5}, "repair_attempts": 1,
    "runtime": "builtin", "strategy": "auto", "parameters": {"top_p": 0.5, "num_ctx": 4096},
}
PROFILE_FIELDS = [
    Field("agent_id", "name", "FIELD_MISSING"),
    Field("name", "text"),
    Field("prompt", "text", invalid="PROMPT_EMPTY"),
    Field("capabilities", "texts"),
    Field("tools", "names"),
    Field("permissions", "texts"),
    Field("visibility", "names"),
    Field("provider", "name"),
    Field("model", "text"),
    Field("max_parallel", "int", low=1, high=1000),
    Field("heartbeat", "object"),
    Field("heartbeat/interval_seconds", "period"),
    Field("repair_attempts", "int", low=0, high=100),
    Field("runtime", "choice"),
    Field("strategy", "choice"),
    Field("parameters", "object"),
    Field("parameters/top_p", "number", low=0, high=1),
    Field("parameters/num_ctx", "int", low=1, high=100_000_000),
]

CONFIG = {
    "version": 1, "provider": "local",
    "providers": {
        "local": {"kind": "openai", "base_url": "http://127.0.0.1:8080/v1", "model": "qwen3", "api_key_env": "KEY",
                  "max_tokens": 1000, "temperature": 0.5, "top_p": 0.9, "seed": 7, "reasoning_effort": "low",
                  "tool_choice": "auto", "max_tokens_as": "max_tokens", "headers": {"x-team": "blue"}, "timeout": "2m", "max_retries": 2,
                  "requests_per_minute": 60, "tokens_per_minute": 1000, "structured_output": True,
                  "native_tools": False, "prices": {"input": 1, "output": 2, "cache_read": 0.1, "cache_write": 1.2}},
        "cli": {"kind": "exec", "argv": ["claude", "-p"], "answer_at": "/result", "prompt_via": "stdin"},
        "offline": {"kind": "scripted", "answers": "answers.yaml"},
    },
    "agents": {"analyst": {"name": "Analyst", "prompt": "You analyse.", "tools": ["read_file"], "provider": "cli"}},
    "limits": {"budget_usd": 5, "budget_tokens": 1000, "max_parallel_calls": 8, "max_command_bytes": 4096,
               "max_json_depth": 64, "max_nodes": 100, "max_hops": 32},
    "human": {"name": "Ada", "question_deadline": "2h"}, "paths": {"sops": "sops"},
    "heartbeat": {"interval_seconds": 10}, "language": "en", "mirror": "full", "reuse": "plan",
}
CONFIG_FIELDS = [
    Field("version", "int", invalid="SCHEMA_VERSION_UNSUPPORTED", low=1, high=1),
    Field("provider", "name"),
    Field("providers", "object"),
    Field("providers/offline", "object"),
    Field("providers/offline/kind", "choice", "FIELD_MISSING"),
    Field("providers/local/base_url", "choice"),
    Field("providers/local/model", "text"),
    Field("providers/local/api_key_env", "name"),
    Field("providers/local/max_tokens", "int", low=1, high=1_000_000),
    Field("providers/local/temperature", "number", low=0, high=2),
    Field("providers/local/top_p", "number", low=0, high=1),
    Field("providers/local/seed", "int", low=-2**63, high=2**63 - 1),
    Field("providers/local/reasoning_effort", "name"),
    Field("providers/local/tool_choice", "name"),
    Field("providers/local/max_tokens_as", "choice"),
    Field("providers/local/headers", "object"),
    Field("providers/local/timeout", "period"),
    Field("providers/local/max_retries", "int", low=0, high=100),
    Field("providers/local/requests_per_minute", "int", low=0, high=1_000_000_000),
    Field("providers/local/structured_output", "bool"),
    Field("providers/local/prices", "object"),
    Field("providers/local/prices/input", "number", "FIELD_MISSING", low=0, high=1e12),
    Field("providers/cli/argv", "strings", "FIELD_MISSING"),
    Field("providers/cli/prompt_via", "choice"),
    Field("providers/offline/answers", "text"),
    Field("agents", "object"),
    Field("agents/analyst", "object"),
    Field("agents/analyst/prompt", "text", invalid="PROMPT_EMPTY"),
    Field("agents/analyst/tools", "names"),
    Field("limits", "object"),
    Field("limits/budget_usd", "number", low=0, high=1e12),
    Field("limits/budget_tokens", "int", low=0, high=2**63 - 1),
    Field("limits/max_parallel_calls", "int", low=1, high=1_000_000),
    Field("limits/max_command_bytes", "int", low=1024, high=2**40),
    Field("limits/max_json_depth", "int", low=8, high=256),
    Field("limits/max_nodes", "int", low=1, high=10_000_000),
    Field("human", "object"),
    Field("human/name", "text"),
    Field("human/question_deadline", "period"),
    Field("paths", "object"),
    Field("paths/sops", "text"),
    Field("heartbeat/interval_seconds", "period"),
    Field("language", "choice"),
    Field("mirror", "choice"),
    Field("reuse", "choice"),
]

MESSAGE = {
    "message_id": "msg_1", "plan_id": "plan_a", "command_id": "cmd_1", "from": "analyst", "to": "editor",
    "content": "done", "result": {"any": "thing"}, "score": 85, "outputs": [{"name": "a.md", "sha256": HASH}],
    "hops": 1, "sent_at": "2026-11-15T12:00:00Z",
}
MESSAGE_FIELDS = [
    Field("message_id", "name", "FIELD_MISSING"),
    Field("plan_id", "name", "PLAN_ID_MISSING"),
    Field("command_id", "name"),
    Field("from", "name", "FIELD_MISSING"),
    Field("to", "name", "FIELD_MISSING"),
    Field("content", "string", "FIELD_MISSING"),
    Field("score", "number", low=0, high=100),
    Field("outputs", "objects"),
    Field("outputs/0/name", "name", "FIELD_MISSING"),
    Field("outputs/0/sha256", "sha256", "FIELD_MISSING"),
    Field("hops", "int", low=0, high=1_000_000),
    Field("sent_at", "time"),
]


def output(action, params, confidence=90):
    return {"thought": "because", "action": action, "params": params, "expectedOutcome": "done",
            "risk": {"level": "low", "description": "none", "mitigation": "none"}, "confidence": confidence,
            "alternativeActions": ["FAIL"], "requiresUserConfirmation": False, "userMessage": "hello"}


OUTPUT = output("COMPLETE", {"result": "text"})
OUTPUT_FIELDS = [
    Field("thought", "text", "FIELD_MISSING"),
    Field("params", "object", "FIELD_MISSING"),
    Field("expectedOutcome", "text", "FIELD_MISSING"),
    Field("risk", "object", "FIELD_MISSING"),
    Field("risk/level", "choice", "FIELD_MISSING"),
    Field("risk/description", "text", "FIELD_MISSING"),
    Field("risk/mitigation", "string"),
    Field("confidence", "number", "FIELD_MISSING", low=0, high=100),
    Field("alternativeActions", "strings"),
    Field("requiresUserConfirmation", "bool"),
    Field("userMessage", "string"),
]
INTENT = output("INTENT_ANALYSIS", {
    "normalizedIntent": {"goal": "g", "action": "create", "scope": "full_task", "urgency": "high"},
    "taskRelation": {"type": "different_task", "confidence": 0.9, "reasoning": "r"},
    "contextDependency": {"needsCurrentTaskContext": True, "needsExecutionHistory": False,
                          "referencedEntities": ["e"]}})
INTENT_FIELDS = [
    Field("params/normalizedIntent", "object", "FIELD_MISSING"),
    Field("params/normalizedIntent/goal", "text", "FIELD_MISSING"),
    Field("params/normalizedIntent/action", "choice", "FIELD_MISSING"),
    Field("params/normalizedIntent/scope", "choice", "FIELD_MISSING"),
    Field("params/normalizedIntent/urgency", "choice", "FIELD_MISSING"),
    Field("params/taskRelation/type", "choice", "FIELD_MISSING"),
    Field("params/taskRelation/confidence", "number", "FIELD_MISSING", low=0, high=1),
    Field("params/contextDependency/needsExecutionHistory", "bool", "FIELD_MISSING"),
    Field("params/contextDependency/referencedEntities", "strings", "FIELD_MISSING"),
]
ROUTE = output("ROUTE_DECISION", {"route": "control_action", "payload": {
    "reason": "r", "requiresConfirmation": True, "controlAction": "pause"}})
ROUTE_FIELDS = [
    Field("params/route", "choice", "FIELD_MISSING"),
    Field("params/payload", "object", "FIELD_MISSING"),
    Field("params/payload/reason", "text", "FIELD_MISSING"),
    Field("params/payload/requiresConfirmation", "bool", "FIELD_MISSING"),
    Field("params/payload/controlAction", "choice"),
]
TASK_PLAN = output("TASK_PLAN", {"tasks": [{"id": "a", "description": "d", "dependencies": [],
                                            "requiredCapabilities": ["web_search"], "estimatedDuration": 300000}],
                                 "executionOrder": ["a"]})
TASK_PLAN_FIELDS = [
    Field("params/tasks", "objects", "FIELD_MISSING"),
    Field("params/tasks/0/id", "name", "TASK_ID_MISSING"),
    Field("params/tasks/0/description", "text", "FIELD_MISSING"),
    Field("params/tasks/0/dependencies", "names"),
    Field("params/tasks/0/requiredCapabilities", "texts"),
    Field("params/tasks/0/estimatedDuration", "int", low=0, high=10**12),
    Field("params/executionOrder", "strings"),
]
REVIEW = output("REVIEW_RESULT", {"approved": True, "score": 85, "feedback": "f", "requiredFixes": []})
REVIEW_FIELDS = [
    Field("params/approved", "bool", "FIELD_MISSING"),
    Field("params/score", "number", "FIELD_MISSING", low=0, high=100),
    Field("params/feedback", "string", "FIELD_MISSING"),
    Field("params/requiredFixes", "strings"),
]
FAILURE = output("ERROR", {"errorType": "parse_error", "message": "m", "suggestion": "s"}, 0)
FAILURE_FIELDS = [
    Field("params/errorType", "choice", "FIELD_MISSING"),
    Field("params/message", "text", "FIELD_MISSING"),
    Field("params/suggestion", "string"),
]

# kind, name of the base, the valid document, its fields
DOCUMENTS = [
    ("command", "open", COMMAND, COMMAND_FIELDS), ("command", "task", TASK_COMMAND, TASK_COMMAND_FIELDS),
    ("dag", "dag", DAG, DAG_FIELDS), ("plan", "plan", PLAN, PLAN_FIELDS),
    ("profile", "profile", PROFILE, PROFILE_FIELDS), ("config", "config", CONFIG, CONFIG_FIELDS),
    ("message", "message", MESSAGE, MESSAGE_FIELDS), ("output", "output", OUTPUT, OUTPUT_FIELDS),
    ("output", "intent", INTENT, INTENT_FIELDS), ("output", "route", ROUTE, ROUTE_FIELDS),
    ("output", "tasks", TASK_PLAN, TASK_PLAN_FIELDS), ("output", "review", REVIEW, REVIEW_FIELDS),
    ("output", "failure", FAILURE, FAILURE_FIELDS),
]
