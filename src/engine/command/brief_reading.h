#pragma once

#include "base/error.h"
#include "engine/state/plan_state.h"
#include "engine/turn/step.h"
#include "model/command/brief.h"

namespace agenttalk {

// The texts of a command.
Result<CommandBrief> ReadBrief(Step& step, const CommandRecord& record);

}  // namespace agenttalk
