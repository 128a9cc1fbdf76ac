#pragma once

#include <optional>

#include "engine/state/plan_state.h"
#include "engine/turn/turn.h"
#include "model/content/content.h"
#include "model/events/event.h"
#include "model/request/answer_contract.h"

// Agents that another program plays (docs/external_agents.md): what they are given. What they bring back is
// taken in by engine/command/file_intake.h.
namespace agenttalk {

// What the agent's result may and must hold: it is not asked by a request, calls no tools of ours, and
// changes no plan. Nothing: the command's texts cannot be read.
std::optional<AnswerContract> ExternalContract(Turn& turn, const PlanState& plan, const CommandRecord& record,
                                               const AgentSettings& agent);

// Keeps the file that the agent finds in its inbox: the command, with the outputs that the contract wants.
Content StoreDelivery(Turn& turn, const PlanState& plan, const CommandRecord& record,
                      const std::optional<AnswerContract>& contract);

}  // namespace agenttalk
