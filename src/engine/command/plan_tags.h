#pragma once

#include <optional>

#include "base/error.h"
#include "engine/state/plan_state.h"
#include "engine/turn/turn.h"
#include "model/content/plan_tags.h"

namespace agenttalk {

// What is wrong with the tags that a change leaves the plan with: each list may be short enough, and all of
// them too many.
std::optional<Error> RefuseTags(const PlanState& plan, const TagChange& change);

// Records the plan's tags if the change leaves it with others than it has.
void TagPlan(Turn& turn, const PlanState& plan, const TagChange& change);

}  // namespace agenttalk
