#pragma once

#include "engine/turn/input.h"
#include "engine/turn/turn.h"

namespace agenttalk {

// A tool that is under way says how far it is.
void OnToolProgress(Turn& turn, const ToolProgress& told);

}  // namespace agenttalk
