#pragma once

#include <cstdint>
#include <variant>

#include "base/ids.h"
#include "base/time.h"
#include "model/command/brief.h"         // IWYU pragma: export
#include "model/command/sent_command.h"  // IWYU pragma: export
#include "model/config/agent_profile.h"
#include "model/content/cost.h"              // IWYU pragma: export
#include "model/content/cost_share.h"        // IWYU pragma: export
#include "model/content/file_fingerprint.h"  // IWYU pragma: export
#include "model/content/named_content.h"     // IWYU pragma: export
#include "model/dag/task_outcome.h"          // IWYU pragma: export
#include "model/events/call_events.h"        // IWYU pragma: export
#include "model/events/command_events.h"     // IWYU pragma: export
#include "model/events/fork_event.h"         // IWYU pragma: export
#include "model/events/hub_events.h"         // IWYU pragma: export
#include "model/events/message_events.h"     // IWYU pragma: export
#include "model/events/plan_events.h"        // IWYU pragma: export
#include "model/events/question_events.h"    // IWYU pragma: export
#include "model/events/role_events.h"        // IWYU pragma: export
#include "model/events/stage_events.h"       // IWYU pragma: export
#include "model/events/task_events.h"        // IWYU pragma: export
#include "model/events/thinking_events.h"    // IWYU pragma: export

// What can happen. State is the fold of these and nothing else, so an event carries everything that applying
// it needs. Fields are only ever added at the end of a struct (base/codec.h says why that is safe).
namespace agenttalk {

// Whose stream an event may be in.
enum class EventHome : std::uint8_t {
  kHub,  // the hub's own alone: it changes the hub as a whole, and a plan from elsewhere must not
  kAny,
};

// Every event, with the name that people see in `agenttalk log` and whose stream it may be in. The position
// in this list is the type's number in the journal: append only, never reorder.
// clang-format off
#define AGENTTALK_EVENTS(X) \
  X(NodeStarted, "node_started", kHub) \
  X(HubConfigured, "hub_configured", kHub) \
  X(AgentConfigured, "agent_configured", kHub) \
  X(AgentRemoved, "agent_removed", kHub) \
  X(CommandReceived, "command_received", kAny) \
  X(CommandRepeated, "command_repeated", kAny) \
  X(InputArrived, "input_arrived", kAny) \
  X(CommandReadied, "command_readied", kAny) \
  X(AttemptStarted, "attempt_started", kAny) \
  X(ModelCallIntended, "model_call_intended", kAny) \
  X(ModelCallFinished, "model_call_finished", kAny) \
  X(AnswerRefused, "answer_refused", kAny) \
  X(ToolCallIntended, "tool_call_intended", kAny) \
  X(ToolCallFinished, "tool_call_finished", kAny) \
  X(AttemptFailed, "attempt_failed", kAny) \
  X(CommandSucceeded, "command_succeeded", kAny) \
  X(CommandEnded, "command_ended", kAny) \
  X(MessageSent, "message_sent", kAny) \
  X(DeadLettered, "dead_lettered", kAny) \
  X(DeadLetterClosed, "dead_letter_closed", kAny) \
  X(QuestionAsked, "question_asked", kAny) \
  X(QuestionClosed, "question_closed", kAny) \
  X(BudgetRaised, "budget_raised", kAny) \
  X(PlanChanged, "plan_changed", kAny) \
  X(ControlAccepted, "control_accepted", kAny) \
  X(CommandRequeued, "command_requeued", kAny) \
  X(MirrorSynced, "mirror_synced", kHub) \
  X(OutputFound, "output_found", kAny) \
  X(DagAdopted, "dag_adopted", kAny) \
  X(TaskCompleted, "task_completed", kAny) \
  X(TaskChanged, "task_changed", kAny) \
  X(TasksReset, "tasks_reset", kAny) \
  X(StrategyChosen, "strategy_chosen", kAny) \
  X(InternalPlanMade, "internal_plan_made", kAny) \
  X(StepStarted, "step_started", kAny) \
  X(StepFinished, "step_finished", kAny) \
  X(StatusReported, "status_reported", kAny) \
  X(CollaborationRequested, "collaboration_requested", kAny) \
  X(CollaborationAnswered, "collaboration_answered", kAny) \
  X(PlanForked, "plan_forked", kAny) \
  X(SpendingSettled, "spending_settled", kHub) \
  X(ThinkingApplied, "thinking_applied", kAny) \
  X(ThinkingRefused, "thinking_refused", kAny) \
  X(MemoryWritten, "memory_written", kAny) \
  X(MemoryCleared, "memory_cleared", kAny) \
  X(GoalSet, "goal_set", kAny) \
  X(StageStarted, "stage_started", kAny) \
  X(StageFinished, "stage_finished", kAny) \
  X(RouteTaken, "route_taken", kAny) \
  X(RouteOverruled, "route_overruled", kAny) \
  X(WorkReviewed, "work_reviewed", kAny) \
  X(TasksMatched, "tasks_matched", kAny) \
  X(PhaseChanged, "phase_changed", kAny) \
  X(GoalNoted, "goal_noted", kAny) \
  X(RemarkMade, "remark_made", kAny) \
  X(RemarkSettled, "remark_settled", kAny) \
  X(ResultShared, "result_shared", kHub) \
  X(CallRestarted, "call_restarted", kAny) \
  X(NumberTaken, "number_taken", kAny) \
  X(PlanFileKept, "plan_file_kept", kAny) \
  X(ClockJumped, "clock_jumped", kHub) \
  X(PlanRemoved, "plan_removed", kHub) \
  X(PlanImported, "plan_imported", kHub) \
  X(ToolCallHeld, "tool_call_held", kAny) \
  X(PlanTagged, "plan_tagged", kAny)
// clang-format on

template <typename Skipped, typename... Bodies>
struct EventBodies {
  using Variant = std::variant<Bodies...>;
};
#define AGENTTALK_EVENT_TYPE(type, name, home) , type
using EventBody = EventBodies<void AGENTTALK_EVENTS(AGENTTALK_EVENT_TYPE)>::Variant;
#undef AGENTTALK_EVENT_TYPE

// How enumerations are spelled in JSON.
const char* EnumName(EndState value);
const char* EnumName(OwnerKind value);
const char* EnumName(QuestionKind value);
const char* EnumName(QuestionPurpose value);
const char* EnumName(Decision value);
const char* EnumName(PlanChange value);
const char* EnumName(TaskChange value);
const char* EnumName(Strategy value);
const char* EnumName(Speaker value);
const char* EnumName(Language value);

// The name people see in `agenttalk log`, e.g. "command_received".
const char* EventName(const EventBody& body);

EventHome HomeOf(const EventBody& body);

struct Event {
  std::uint64_t number = 0;     // global, dense, from 1
  std::uint64_t caused_by = 0;  // the event that led to this one; 0: something outside
  Timestamp time;
  PlanId plan_id;  // empty: the hub's own stream
  EventBody body;
};

}  // namespace agenttalk
