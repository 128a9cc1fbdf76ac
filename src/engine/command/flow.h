#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/error_code.h"
#include "base/ids.h"
#include "base/time.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/step.h"
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
void Dispatch(Step& step, const AgentId& agent);
// A command's timer fired; it may be stale.
void OnCommandDue(Step& step, PlanState& plan, CommandRecord& record);
// How long to wait before something of the command is tried again that has failed so often before.
Duration RetryPause(const PlanState& plan, const CommandRecord& record, std::uint32_t failures);
// The attempt has failed; it is repeated, or the command ends.
void FailAttempt(Step& step, PlanState& plan, CommandRecord& record, CallFailure failure, EndState end_state);
// The running command has its result.
void Succeed(Step& step, PlanState& plan, CommandRecord& record, AnswerFacts answer,
             std::optional<FileFingerprint> source = {});
// A person has done the command of a task; declined or in vain waited for (nothing), it has failed.
void FinishForPerson(Step& step, PlanState& plan, CommandRecord& record, std::optional<AnswerFacts> answer);
// Ends a command without a result: tells on_failure's targets and a person, and keeps a dead letter.
void EndCommand(Step& step, PlanState& plan, CommandRecord& record, EndState state, ErrorCode code,
                std::string message);
// A plan is completed when nothing in it is live; one with a DAG when, besides, no task can go on.
void CompleteIfIdle(Step& step, PlanState& plan);

}  // namespace agenttalk
