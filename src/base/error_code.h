#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

// Every code that a file, a journal event, an API answer or a CLI error may carry. The spelling people and
// programs see (`JSON_INVALID`) is the one written here; a code exists only if somebody reacts to it
// differently.
//
// X(enumerator, "SPELLING"). Events store a code by its place in this list: add at the end only.
#define AGENTTALK_ERROR_CODES(X) \
  /* reading JSON and files */ \
  X(kJsonInvalid, "JSON_INVALID") \
  X(kJsonTooDeep, "JSON_TOO_DEEP") \
  X(kYamlInvalid, "YAML_INVALID") \
  X(kTooLarge, "TOO_LARGE") \
  X(kTypeMismatch, "TYPE_MISMATCH") \
  X(kValueInvalid, "VALUE_INVALID") \
  X(kFieldMissing, "FIELD_MISSING") \
  X(kUnknownField, "UNKNOWN_FIELD") \
  X(kNameUnsafe, "NAME_UNSAFE") \
  X(kFileUnsafe, "FILE_UNSAFE") \
  /* commands */ \
  X(kCommandIdMissing, "COMMAND_ID_MISSING") \
  X(kCommandIdFormat, "COMMAND_ID_FORMAT") \
  X(kCommandIdReused, "COMMAND_ID_REUSED") \
  X(kCommandSeqMissing, "COMMAND_SEQ_MISSING") \
  X(kCommandSeqMismatch, "COMMAND_SEQ_MISMATCH") \
  X(kCommandTaskMismatch, "COMMAND_TASK_MISMATCH") \
  X(kCommandDagMismatch, "COMMAND_DAG_MISMATCH") \
  X(kPlanIdMissing, "PLAN_ID_MISSING") \
  X(kPlanUnknown, "PLAN_UNKNOWN") \
  X(kTaskIdMissing, "TASK_ID_MISSING") \
  X(kTaskUnknown, "TASK_UNKNOWN") \
  X(kPromptEmpty, "PROMPT_EMPTY") \
  X(kTimeoutInvalid, "TIMEOUT_INVALID") \
  X(kRetryInvalid, "RETRY_INVALID") \
  X(kScoreCriteriaMissing, "SCORE_CRITERIA_MISSING") \
  X(kSchemaVersionUnsupported, "SCHEMA_VERSION_UNSUPPORTED") \
  X(kPayloadHashMismatch, "PAYLOAD_HASH_MISMATCH") \
  X(kIdempotencyConflict, "IDEMPOTENCY_CONFLICT") \
  X(kAgentUnknown, "AGENT_UNKNOWN") \
  X(kRoutingNoTarget, "ROUTING_NO_TARGET") \
  X(kHopLimit, "HOP_LIMIT") \
  X(kNotVisible, "NOT_VISIBLE") \
  /* task graphs */ \
  X(kDagCycle, "DAG_CYCLE") \
  X(kTaskIdDuplicate, "TASK_ID_DUPLICATE") \
  X(kDependencyUnknown, "DEPENDENCY_UNKNOWN") \
  X(kOutputNoReceiver, "OUTPUT_NO_RECEIVER") \
  X(kOutputDuplicate, "OUTPUT_DUPLICATE") \
  /* executing */ \
  X(kWaitTimeout, "WAIT_TIMEOUT") \
  X(kAttemptTimeout, "ATTEMPT_TIMEOUT") \
  X(kModelOutputInvalid, "MODEL_OUTPUT_INVALID") \
  X(kModelFailed, "MODEL_FAILED") \
  X(kScriptNoAnswer, "SCRIPT_NO_ANSWER") \
  X(kOutcomeUnknown, "OUTCOME_UNKNOWN") \
  X(kBudgetExceeded, "BUDGET_EXCEEDED") \
  X(kPermissionDenied, "PERMISSION_DENIED") \
  X(kCancelled, "CANCELLED") \
  X(kQuestionUnknown, "QUESTION_UNKNOWN") \
  X(kAnswerLate, "ANSWER_LATE") \
  X(kStateConflict, "STATE_CONFLICT") \
  /* the program's surroundings */ \
  X(kUsage, "USAGE") \
  X(kNotFound, "NOT_FOUND") \
  X(kAlreadyExists, "ALREADY_EXISTS") \
  X(kHubMissing, "HUB_MISSING") \
  X(kHubLocked, "HUB_LOCKED") \
  X(kProviderMissing, "PROVIDER_MISSING") \
  X(kJournalDamaged, "JOURNAL_DAMAGED") \
  X(kJournalVersion, "JOURNAL_VERSION") \
  X(kVersionConflict, "VERSION_CONFLICT") \
  X(kFenced, "FENCED") \
  X(kDiskFull, "DISK_FULL") \
  X(kIo, "IO") \
  X(kInternal, "INTERNAL") \
  /* tasks of a plan */ \
  X(kScoreBelowPass, "SCORE_BELOW_PASS") \
  X(kGateClosed, "GATE_CLOSED") \
  X(kDependencyFailed, "DEPENDENCY_FAILED") \
  X(kOutputConflict, "OUTPUT_CONFLICT") \
  X(kSentBack, "SENT_BACK") \
  /* what agents ask for */ \
  X(kCommandUnknown, "COMMAND_UNKNOWN") \
  X(kToolUnknown, "TOOL_UNKNOWN") \
  X(kToolFailed, "TOOL_FAILED") \
  X(kStepFailed, "STEP_FAILED") \
  X(kCollaborationCycle, "COLLABORATION_CYCLE") \
  X(kCollaborationLimit, "COLLABORATION_LIMIT") \
  X(kCollaborationTimeout, "COLLABORATION_TIMEOUT") \
  X(kCollaborationRejected, "COLLABORATION_REJECTED") \
  X(kCollaborationFailed, "COLLABORATION_FAILED") \
  X(kCapabilityMissing, "CAPABILITY_MISSING") \
  X(kPlanRejected, "PLAN_REJECTED") \
  X(kEscalated, "ESCALATED") \
  X(kAgentFailed, "AGENT_FAILED")

namespace agenttalk {

enum class ErrorCode : std::uint8_t {
#define X(name, text) name,
  AGENTTALK_ERROR_CODES(X)
#undef X
};

// The spelling for people and files, e.g. "JSON_INVALID".
std::string_view ToString(ErrorCode code);
// The code of that spelling; nothing when there is none.
std::optional<ErrorCode> CodeNamed(std::string_view name);

}  // namespace agenttalk
