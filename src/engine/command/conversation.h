#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"

// What a running command says to its model, and what is made of the answers: tools that are run, commands
// that are carried out, errors that the model is told, at last a result.
namespace agenttalk {

void OnModelCallDone(Turn& turn, ModelCallDone&& done);
void OnToolCallDone(Turn& turn, ToolCallDone&& done);

// Makes the running command's next request: the first, a repair, a tool round, or the one that a failed
// attempt left unanswered.
void ContinueConversation(Turn& turn, const PlanState& plan, const CommandRecord& record);
// The answer cannot be used: the model is told why, or the attempt fails.
void RefuseAnswer(Turn& turn, const PlanState& plan, const CommandRecord& record, std::uint32_t call,
                  std::vector<std::string> errors);

}  // namespace agenttalk
