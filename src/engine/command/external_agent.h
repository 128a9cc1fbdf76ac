#pragma once

#include <string>
#include <vector>

#include "engine/state/plan_state.h"
#include "engine/turn/step.h"
#include "model/events/content.h"

// Agents that another program plays (docs/external_agents.md): what they are given. What they bring back is
// taken in by engine/command/file_intake.h.
namespace agenttalk {

// The names that the command's result must bring; empty: its result alone.
std::vector<std::string> DeclaredOutputs(const PlanState& plan, const CommandRecord& record);

// Keeps the file that the agent finds in its inbox: the command, with the outputs that are expected of it.
Content StoreDelivery(Step& step, PlanState& plan, const CommandRecord& record);

}  // namespace agenttalk
