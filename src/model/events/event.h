#pragma once

#include <cstdint>
#include <variant>

#include "base/ids.h"
#include "base/time.h"
#include "model/command/brief.h"  // IWYU pragma: export
#include "model/config/agent_profile.h"
#include "model/dag/task_outcome.h"         // IWYU pragma: export
#include "model/events/call_events.h"       // IWYU pragma: export
#include "model/events/command_events.h"    // IWYU pragma: export
#include "model/events/cost.h"              // IWYU pragma: export
#include "model/events/cost_share.h"        // IWYU pragma: export
#include "model/events/file_fingerprint.h"  // IWYU pragma: export
#include "model/events/fork_event.h"        // IWYU pragma: export
#include "model/events/hub_events.h"        // IWYU pragma: export
#include "model/events/message_events.h"    // IWYU pragma: export
#include "model/events/named_content.h"     // IWYU pragma: export
#include "model/events/plan_events.h"       // IWYU pragma: export
#include "model/events/question_events.h"   // IWYU pragma: export
#include "model/events/role_events.h"       // IWYU pragma: export
#include "model/events/stage_events.h"      // IWYU pragma: export
#include "model/events/task_events.h"       // IWYU pragma: export
#include "model/events/thinking_events.h"   // IWYU pragma: export

// What can happen. State is the fold of these and nothing else, so an event carries everything that applying
// it needs. Fields are only ever added at the end of a struct (base/codec.h says why that is safe).
namespace agenttalk {

// The position in this list is the type's number in the journal: append only, never reorder.
using EventBody =
    std::variant<NodeStarted, HubConfigured, AgentConfigured, AgentRemoved, CommandReceived, CommandRepeated,
                 InputArrived, CommandReadied, AttemptStarted, ModelCallIntended, ModelCallFinished,
                 AnswerRefused, ToolCallIntended, ToolCallFinished, AttemptFailed, CommandSucceeded,
                 CommandEnded, MessageSent, DeadLettered, DeadLetterClosed, QuestionAsked, QuestionClosed,
                 BudgetRaised, PlanChanged, ControlAccepted, CommandRequeued, MirrorSynced, OutputFound,
                 DagAdopted, TaskCompleted, TaskChanged, TasksReset, StrategyChosen, InternalPlanMade,
                 StepStarted, StepFinished, StatusReported, CollaborationRequested, CollaborationAnswered,
                 PlanForked, SpendingSettled, ThinkingApplied, ThinkingRefused, MemoryWritten, MemoryCleared,
                 GoalSet, StageStarted, StageFinished, RouteTaken, RouteOverruled, WorkReviewed, TasksMatched,
                 PhaseChanged, GoalNoted, RemarkMade, RemarkSettled, ResultShared, CallRestarted, NumberTaken,
                 PlanFileKept, ClockJumped, PlanRemoved, PlanImported>;

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
