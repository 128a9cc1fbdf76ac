#include "model/events/event.h"

#include <array>
#include <cstddef>

#include "model/answer/agent_output.h"
#include "model/config/agent_profile.h"
#include "model/events/role_events.h"
#include "model/events/stage_events.h"
#include "model/request/model_request.h"

namespace agenttalk {
namespace {

// Values come from the journal, so one from a newer version must not index past the table.
template <typename E, std::size_t N>
const char* NameIn(const std::array<const char*, N>& names, E value) {
  const auto index = static_cast<std::size_t>(value);
  return index < N ? names[index] : "unknown";
}

}  // namespace

const char* EnumName(EndState value) {
  return NameIn(std::array{"failed", "timed_out", "cancelled", "superseded"}, value);
}
const char* EnumName(OwnerKind value) {
  return NameIn(std::array{"unrecorded", "open_plan", "task", "stage", "collaboration"}, value);
}
const char* EnumName(QuestionKind value) {
  return NameIn(
      std::array{"ask", "approve", "confirm", "clarify", "missing_input", "outcome_unknown", "alert"}, value);
}
const char* EnumName(QuestionPurpose value) {
  return NameIn(std::array{"notice", "budget", "outcome", "gate", "replan", "task", "hub_budget", "ask_human",
                           "goal", "tool_call"},
                value);
}
const char* EnumName(Decision value) {
  return NameIn(std::array{"none", "approve", "reject"}, value);
}
const char* EnumName(PlanChange value) {
  return NameIn(std::array{"opened", "paused", "resumed", "cancelled", "completed", "reopened"}, value);
}
const char* EnumName(TaskChange value) {
  return NameIn(
      std::array{"reworked", "reexecuted", "waits_for_evidence", "waits_for_approval", "failed", "skipped",
                 "not_needed", "activated", "blocked", "asks_to_replan", "released", "waits_for_review"},
      value);
}

const char* EnumName(Speaker value) {
  return NameIn(std::array{"engine", "person", "reviewer", "agent", "orchestrator"}, value);
}
const char* EnumName(Language value) {
  return NameIn(std::array{"en", "zh"}, value);
}

const char* EnumName(Stage value) {
  return ToString(value).data();  // of a literal
}
const char* EnumName(RiskLevel value) {
  return NameIn(std::array{"low", "medium", "high"}, value);
}
const char* EnumName(Route value) {
  return NameIn(std::array{"continue_execution", "minor_replan", "full_replan", "new_task", "control_action",
                           "wait_user_decision"},
                value);
}
const char* EnumName(GoalPhase value) {
  return NameIn(std::array{"understanding", "routing", "planning", "reviewing", "matching", "executing",
                           "closing", "ended"},
                value);
}
const char* EnumName(StageMatter value) {
  return NameIn(std::array{"goal", "remark", "result", "exception", "phase_end"}, value);
}
const char* EnumName(GoalMatter value) {
  return NameIn(std::array{"none", "clarify", "escalation", "route", "plan", "capability", "result",
                           "exception", "tool"},
                value);
}

const char* EnumName(StepOutcome value) {
  return NameIn(std::array{"done", "failed", "skipped"}, value);
}
const char* EnumName(ReportedStatus value) {
  return NameIn(std::array{"in_progress", "completed", "failed"}, value);
}
const char* EnumName(CollaborationStatus value) {
  return NameIn(std::array{"completed", "error", "rejected", "timed_out"}, value);
}
const char* EnumName(MemoryKind value) {
  return NameIn(std::array{"done", "question", "answer", "message"}, value);
}

const char* EnumName(Strategy value) {
  return NameIn(std::array{"simple", "template", "freeform", "auto"}, value);
}

}  // namespace agenttalk
