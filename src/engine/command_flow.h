#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "engine/input.h"
#include "engine/plan_state.h"
#include "engine/step.h"
#include "model/event.h"

// The life of a command:
//
//   received → waiting_inputs → ready → running → succeeded
//                    │                   │  ↑
//                    │                   ├─ retry_wait, waiting_human, waiting_collaboration (hold no slot)
//                    └─ timed_out        └─ failed | timed_out | cancelled
//
// Each function handles one input to its end: what follows from it (the next call, the messages, the next
// command of the agent) happens in the same step and so in the same commit.
namespace agenttalk {

void OnCommandFile(Step& step, CommandFile file);
void OnInputFile(Step& step, InputFile file);
void OnRejectedFile(Step& step, RejectedFile file);
void OnModelCallDone(Step& step, ModelCallDone done);
void OnToolCallDone(Step& step, ToolCallDone done);
void OnExternalResult(Step& step, ExternalResult result);
void OnOutputFile(Step& step, OutputFile file);
// A command's timer fired; it may be stale.
void OnCommandDue(Step& step, PlanState& plan, CommandRecord& record);

// Starts what the agent has free slots for.
void Dispatch(Step& step, const AgentId& agent);
// Binds a new command's inputs if all are there, or if it does not wait for them.
void BindIfComplete(Step& step, PlanState& plan, const CommandRecord& record);
// Binds the inputs of the commands whose last missing file has just come.
void WakeSatisfied(Step& step);
// A person has done the command of a task; declined or in vain waited for (nothing), it has failed.
void FinishForPerson(Step& step, PlanState& plan, CommandRecord& record, std::optional<AnswerFacts> answer);
// Puts a file into an agent's inbox for a plan, and wakes who waited for it.
void Deliver(Step& step, PlanState& plan, InputArrived arrived);
// Ends a command without a result: tells on_failure's targets and a person, and keeps a dead letter.
void EndCommand(Step& step, PlanState& plan, CommandRecord& record, EndState state, ErrorCode code,
                std::string message);
// The running command has its result.
void Succeed(Step& step, PlanState& plan, CommandRecord& record, AnswerFacts answer,
             std::optional<FileFingerprint> source = {});
// Makes the running command's next request: the first, a repair, a tool round, or the one that a failed
// attempt left unanswered.
void ContinueConversation(Step& step, PlanState& plan, CommandRecord& record);
// The answer cannot be used: the model is told why, or the attempt fails.
void RefuseAnswer(Step& step, PlanState& plan, CommandRecord& record, std::uint32_t call,
                  std::vector<std::string> errors);
// How long to wait before something of the command is tried again that has failed so often before.
Duration RetryPause(const PlanState& plan, const CommandRecord& record, std::uint32_t failures);
// The attempt has failed; it is repeated, or the command ends.
void FailAttempt(Step& step, PlanState& plan, CommandRecord& record, CallFailure failure, EndState end_state);
// A plan is completed when nothing in it is live; one with a DAG when, besides, no task can go on.
void CompleteIfIdle(Step& step, PlanState& plan);

}  // namespace agenttalk
