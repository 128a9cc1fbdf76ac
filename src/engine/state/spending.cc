#include "engine/state/spending.h"

#include <algorithm>

#include "engine/state/plan_state.h"
#include "model/events/cost.h"

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

}  // namespace agenttalk
