#include "engine/state/hub_state.h"

#include <cstdint>
#include <memory>
#include <utility>

#include "base/check.h"
#include "base/ids.h"
#include "engine/state/plan_state.h"
#include "engine/state/spending.h"

namespace agenttalk {

PlanState& HubState::Plan(const PlanId& id) {
  if (id.empty()) return own;
  if (PlanState* found = FindPlan(id)) return *found;
  auto plan = std::make_unique<PlanState>();
  plan->id = id;
  plan->number = static_cast<std::uint32_t>(by_number.size());
  by_number.push_back(plan.get());
  return *plans.emplace(id, std::move(plan)).first->second;
}

PlanState* HubState::FindPlan(const PlanId& id) {
  if (id.empty()) return &own;
  if (recent_ != nullptr && recent_->id == id) return recent_;
  const auto found = plans.find(id);
  if (found == plans.end()) return nullptr;
  recent_ = found->second.get();
  return recent_;
}

PlanState* HubState::ByNumber(std::uint32_t number) {
  if (number == kOwnNumber) return &own;
  return number < by_number.size() ? by_number[number] : nullptr;
}

void HubState::Unload(const PlanId& id) {
  const auto found = plans.find(id);
  if (found == plans.end()) return;
  CHECK(!found->second->IsLivePlan());
  Subtract(unsettled, Unsettled(*found->second));
  by_number[found->second->number] = nullptr;
  if (recent_ == found->second.get()) recent_ = nullptr;
  plans.erase(found);
}

}  // namespace agenttalk
