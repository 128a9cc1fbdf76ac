#pragma once

#include <vector>

#include "engine/state/plan_state.h"
#include "model/content/cost.h"
#include "model/content/cost_share.h"

// Sums of money and tokens.
namespace agenttalk {

void Add(Cost& to, const Cost& cost);
void Subtract(Cost& from, const Cost& cost);  // never below nothing

// What the plan has spent since the hub's own stream last heard of it.
Cost Unsettled(const PlanState& plan);
// The same, told apart by who spent it with which model.
std::vector<CostShare> UnsettledShares(const PlanState& plan);

}  // namespace agenttalk
