#pragma once

#include <optional>
#include <string>

#include "base/ids.h"
#include "model/command/reading.h"
#include "runtime/core/core.h"
#include "runtime/team.h"

namespace agenttalk {

// What a command may refer to, as the journal has it at the moment of each question: plans, their DAGs and
// tasks, the numbers and ids that are taken. The team is the configured one. The tool, the verbs, the control
// interface and the reading of answers all ask here; the router asks the same state.
CommandContext CommandFacts(Core& core, const Team& team);

// The same for an agent that makes a command to be sent from its outbox.
CommandContext CommandFactsFor(Core& core, const Team& team, const AgentId& sender);

}  // namespace agenttalk
