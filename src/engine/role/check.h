#pragma once

#include <vector>

#include "base/issue.h"
#include "engine/state/plan_state.h"
#include "engine/turn/turn.h"
#include "model/steps/internal_plan.h"

namespace agenttalk {

// Everything in a plan that this agent may not do: actions and tools it does not have, arguments that do not
// fit, permissions it lacks, agents that are not there or that it may not see. Empty: the plan may run.
std::vector<Issue> CheckFits(Turn& turn, const PlanState& plan, const CommandRecord& record,
                             const InternalPlan& internal);

}  // namespace agenttalk
