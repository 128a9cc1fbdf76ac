#pragma once

#include "engine/state/plan_state.h"
#include "engine/turn/turn.h"
#include "model/content/plan_tags.h"

namespace agenttalk {

// Records the plan's tags if the change leaves it with others than it has.
void TagPlan(Turn& turn, const PlanState& plan, const TagChange& change);

}  // namespace agenttalk
