#pragma once

#include "base/error.h"
#include "engine/state/plan_state.h"
#include "engine/turn/turn.h"
#include "model/command/brief.h"

namespace agenttalk {

// The texts of a command.
Result<CommandBrief> ReadBrief(Turn& turn, const CommandRecord& record);

}  // namespace agenttalk
