#pragma once

#include <optional>

#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/turn.h"
#include "model/events/event.h"

// Money and tokens: reserved with a call's intent, settled with its outcome, for the plan and for the hub.
namespace agenttalk {

// Which budget does not have room for a call: kBudget, the plan's, or kHubBudget. Nothing: there is room.
std::optional<QuestionPurpose> ExceededBudget(const HubState& state, const PlanState& plan,
                                              const Cost& wanted);

// What calls took whose outcome the state does not show yet.
struct Unrecorded {
  Cost of_plan = {};
  Cost of_hub = {};
};
// Which budget is less than what was spent already. A call that was not sent so far must not be sent any more
// then.
std::optional<QuestionPurpose> UsedUpBudget(const HubState& state, const PlanState& plan,
                                            const Unrecorded& more = {});

// The command waits for a person who raises the budget or stops the command.
void AskForBudget(Turn& turn, const PlanState& plan, const CommandRecord& record, QuestionPurpose budget,
                  const Cost& wanted);
void DecideBudget(Turn& turn, const PlanState& plan, const CommandRecord& record, QuestionPurpose budget,
                  Decision decision);

// The plan ends: its cost is written where it is counted when the plan is not loaded any more. Goes before
// the event that ends the plan.
void SettleSpending(Turn& turn, const PlanState& plan);

}  // namespace agenttalk
