#pragma once

#include <vector>

#include "engine/state/plan_state.h"
#include "engine/turn/turn.h"
#include "model/command/sent_command.h"

namespace agenttalk {

// Takes in the commands that the sender's result brought. One that is refused becomes a dead letter.
void RouteSentCommands(Turn& turn, const PlanState& plan, const CommandRecord& sender,
                       const std::vector<SentCommand>& commands);

}  // namespace agenttalk
