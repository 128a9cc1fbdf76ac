#pragma once

#include <string>

#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"

// Holding a plan, letting it continue, giving it up.
namespace agenttalk {

void OnPlanControl(Turn& turn, const PlanControl& control);

// Of a plan that is open and not in that state already.
void PausePlan(Turn& turn, const PlanState& plan, const std::string& reason);
void ResumePlan(Turn& turn, const PlanState& plan, const std::string& reason);
void CancelPlan(Turn& turn, const PlanState& plan, const std::string& reason);

}  // namespace agenttalk
