#pragma once

#include <string>

#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/step.h"

// Holding a plan, letting it go on, giving it up.
namespace agenttalk {

void OnPlanControl(Step& step, const PlanControl& control);

// Of a plan that is open and not in that state already.
void PausePlan(Step& step, PlanState& plan, const std::string& reason);
void ResumePlan(Step& step, PlanState& plan, const std::string& reason);
void CancelPlan(Step& step, PlanState& plan, const std::string& reason);

}  // namespace agenttalk
