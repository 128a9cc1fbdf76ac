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

// Every event, with the name that people see in `agenttalk log`. The position in this list is the type's
// number in the journal: append only, never reorder.
// clang-format off
#define AGENTTALK_EVENTS(X) \
  X(NodeStarted, "node_started") \
  X(HubConfigured, "hub_configured") \
  X(AgentConfigured, "agent_configured") \
  X(AgentRemoved, "agent_removed") \
  X(CommandReceived, "command_received") \
  X(CommandRepeated, "command_repeated") \
  X(InputArrived, "input_arrived") \
  X(CommandReadied, "command_readied") \
  X(AttemptStarted, "attempt_started") \
  X(ModelCallIntended, "model_call_intended") \
  X(ModelCallFinished, "model_call_finished") \
  X(AnswerRefused, "answer_refused") \
  X(ToolCallIntended, "tool_call_intended") \
  X(ToolCallFinished, "tool_call_finished") \
  X(AttemptFailed, "attempt_failed") \
  X(CommandSucceeded, "command_succeeded") \
  X(CommandEnded, "command_ended") \
  X(MessageSent, "message_sent") \
  X(DeadLettered, "dead_lettered") \
  X(DeadLetterClosed, "dead_letter_closed") \
  X(QuestionAsked, "question_asked") \
  X(QuestionClosed, "question_closed") \
  X(BudgetRaised, "budget_raised") \
  X(PlanChanged, "plan_changed") \
  X(ControlAccepted, "control_accepted") \
  X(CommandRequeued, "command_requeued") \
  X(MirrorSynced, "mirror_synced") \
  X(OutputFound, "output_found") \
  X(DagAdopted, "dag_adopted") \
  X(TaskCompleted, "task_completed") \
  X(TaskChanged, "task_changed") \
  X(TasksReset, "tasks_reset") \
  X(StrategyChosen, "strategy_chosen") \
  X(InternalPlanMade, "internal_plan_made") \
  X(StepStarted, "step_started") \
  X(StepFinished, "step_finished") \
  X(StatusReported, "status_reported") \
  X(CollaborationRequested, "collaboration_requested") \
  X(CollaborationAnswered, "collaboration_answered") \
  X(PlanForked, "plan_forked") \
  X(SpendingSettled, "spending_settled") \
  X(ThinkingApplied, "thinking_applied") \
  X(ThinkingRefused, "thinking_refused") \
  X(MemoryWritten, "memory_written") \
  X(MemoryCleared, "memory_cleared") \
  X(GoalSet, "goal_set") \
  X(StageStarted, "stage_started") \
  X(StageFinished, "stage_finished") \
  X(RouteTaken, "route_taken") \
  X(RouteOverruled, "route_overruled") \
  X(WorkReviewed, "work_reviewed") \
  X(TasksMatched, "tasks_matched") \
  X(PhaseChanged, "phase_changed") \
  X(GoalNoted, "goal_noted") \
  X(RemarkMade, "remark_made") \
  X(RemarkSettled, "remark_settled") \
  X(ResultShared, "result_shared") \
  X(CallRestarted, "call_restarted") \
  X(NumberTaken, "number_taken") \
  X(PlanFileKept, "plan_file_kept") \
  X(ClockJumped, "clock_jumped") \
  X(PlanRemoved, "plan_removed") \
  X(PlanImported, "plan_imported") \
  X(ToolCallHeld, "tool_call_held") \
  X(PlanTagged, "plan_tagged")
// clang-format on

template <typename Skipped, typename... Bodies>
struct EventBodies {
  using Variant = std::variant<Bodies...>;
};
#define AGENTTALK_EVENT_TYPE(type, name) , type
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

struct Event {
  std::uint64_t number = 0;     // global, dense, from 1
  std::uint64_t caused_by = 0;  // the event that led to this one; 0: something outside
  Timestamp time;
  PlanId plan_id;  // empty: the hub's own stream
  EventBody body;
};

}  // namespace agenttalk
