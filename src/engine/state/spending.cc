#include "engine/state/spending.h"

#include <algorithm>
#include <vector>

#include "engine/state/plan_state.h"
#include "model/content/cost.h"
#include "model/content/cost_share.h"

namespace agenttalk {

void Add(Cost& to, const Cost& cost) {
  to.input_tokens += cost.input_tokens;
  to.output_tokens += cost.output_tokens;
  to.micro_usd += cost.micro_usd;
  to.unpriced += cost.unpriced;
}

void Subtract(Cost& from, const Cost& cost) {
  from.input_tokens -= std::min(from.input_tokens, cost.input_tokens);
  from.output_tokens -= std::min(from.output_tokens, cost.output_tokens);
  from.micro_usd -= std::min(from.micro_usd, cost.micro_usd);
  from.unpriced -= std::min(from.unpriced, cost.unpriced);
}

Cost Unsettled(const PlanState& plan) {
  Cost rest = plan.spent;
  Subtract(rest, plan.settled);
  return rest;
}

std::vector<CostShare> UnsettledShares(const PlanState& plan) {
  std::vector<CostShare> shares;
  for (const auto& [agent, models] : plan.shares) {
    const auto settled = plan.settled_shares.find(agent);
    for (const auto& [model, cost] : models) {
      Cost rest = cost;
      if (settled != plan.settled_shares.end()) {
        if (const auto before = settled->second.find(model); before != settled->second.end())
          Subtract(rest, before->second);
      }
      if (rest != Cost{}) shares.push_back({agent, model, rest});
    }
  }
  return shares;
}

}  // namespace agenttalk
