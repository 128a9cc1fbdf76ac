#pragma once

#include "engine/command/parts.h"

namespace agenttalk {

// The owners and strategies there are; the one place that knows all of them.
const CommandParts& BuiltinParts();

}  // namespace agenttalk
