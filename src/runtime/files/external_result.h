#pragma once

#include <string>

#include "base/ids.h"
#include "engine/turn/input.h"
#include "runtime/core/core.h"

namespace agenttalk {

// What an external agent's result file says; what is wrong with it is in its answer's errors.
ExternalResult ReadExternalResult(Core& core, const AgentId& agent, const PlanId& plan,
                                  const CommandId& command, std::string bytes);

}  // namespace agenttalk
