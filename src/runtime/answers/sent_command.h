#pragma once

#include <string>

#include "base/ids.h"
#include "engine/turn/input.h"

namespace agenttalk {

// A command that an agent's model answered with as the file `file`, checked in form: as one from an outbox
// would be. What is wrong with it is in the draft.
CommandDraft ReadSentCommand(const PlanId& plan, std::string file, std::string body);

}  // namespace agenttalk
