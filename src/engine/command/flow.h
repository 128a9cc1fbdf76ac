#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/error_code.h"
#include "base/ids.h"
#include "base/time.h"
#include "engine/command/owner.h"
#include "engine/state/dag_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/events/event.h"

// The life of a command:
//
//   received → waiting_inputs → ready → running → succeeded
//                    │                   │  ↑
//                    │                   ├─ retry_wait, waiting_human, waiting_collaboration (hold no slot)
//                    └─ timed_out        └─ failed | timed_out | cancelled
//
// It is received in engine/command/file_intake.h and gets its inputs in engine/command/input_binding.h; what
// it says to its model while it runs is in engine/command/conversation.h. Here are its attempts and its end.
//
// Each function handles one input to its end: what follows from it (the next call, the messages, the next
// command of the agent) happens in the same step and so in the same commit.
namespace agenttalk {

// Starts what the agent has free slots for.
void Dispatch(Turn& turn, const AgentId& agent);
// A command's timer fired; it may be stale.
void OnCommandDue(Turn& turn, const PlanState& plan, const CommandRecord& record);
// How long to wait before something of the command is tried again that has failed so often before.
Duration RetryPause(const PlanState& plan, const CommandRecord& record, std::uint32_t failures);
// The attempt has failed; it is repeated, or the command ends.
void FailAttempt(Turn& turn, const PlanState& plan, const CommandRecord& record, CallFailure failure,
                 EndState end_state);
// The running command has its result; its owner knows what follows.
void Succeed(Turn& turn, const PlanState& plan, const CommandRecord& record, AnswerFacts&& answer,
             std::optional<FileFingerprint> source = {});
// Ends a command without a result; its owner knows what follows.
void EndCommand(Turn& turn, const PlanState& plan, const CommandRecord& record, EndState state,
                ErrorCode code, std::string message);
// Nobody wants it any more, and nothing follows from that.
void CancelCommand(Turn& turn, const PlanState& plan, const CommandRecord& record, ErrorCode code,
                   const std::string& reason);

// For owners: the result is an event from here on, and the agent has a free slot.
void RecordSuccess(Turn& turn, const PlanState& plan, const CommandRecord& record,
                   CommandSucceeded&& succeeded);
// A result that was recorded before, as the command's own.
CommandSucceeded RecordedBefore(const CommandId& command, const TaskResult& known);
// Sends a failure along `on_failure`, and keeps a letter with which it can be tried again.
void KeepDeadLetter(Turn& turn, const PlanState& plan, const CommandRecord& record, const CommandEnd& end);
void AlertOfEnd(Turn& turn, const PlanState& plan, const CommandRecord& record, const CommandEnd& end);

// A plan is completed when nothing in it is live and its rules (engine/command/plan_rules.h) let it end.
void CompleteIfIdle(Turn& turn, const PlanState& plan);

}  // namespace agenttalk
