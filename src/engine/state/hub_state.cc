#include "engine/state/hub_state.h"

#include <cstdint>
#include <memory>
#include <utility>

#include "base/check.h"
#include "base/ids.h"
#include "engine/state/plan_state.h"
#include "engine/state/spending.h"
#include "model/events/hub_events.h"

namespace agenttalk {

PlanState& HubState::Plan(const PlanId& id) {
  if (id.empty()) return own;
  if (PlanState* found = FindPlan(id)) return *found;
  auto plan = std::make_unique<PlanState>();
  plan->id = id;
  plan->number = static_cast<std::uint32_t>(by_number_.size());
  by_number_.push_back(plan.get());
  return *plans.emplace(id, std::move(plan)).first->second;
}

PlanState* HubState::FindPlan(const PlanId& id) {
  if (id.empty()) return &own;
  return std::as_const(*this).FindPlan(id) == nullptr ? nullptr : recent_;
}

const PlanState* HubState::FindPlan(const PlanId& id) const {
  if (id.empty()) return &own;
  if (recent_ != nullptr && recent_->id == id) return recent_;
  const auto found = plans.find(id);
  if (found == plans.end()) return nullptr;
  recent_ = by_number_[found->second->number];
  return recent_;
}

PlanState* HubState::ByNumber(std::uint32_t number) {
  if (number == kOwnNumber) return &own;
  return number < by_number_.size() ? by_number_[number] : nullptr;
}

const PlanState* HubState::ByNumber(std::uint32_t number) const {
  if (number == kOwnNumber) return &own;
  return number < by_number_.size() ? by_number_[number] : nullptr;
}

const AgentState* HubState::FindAgent(const AgentId& id) const {
  const auto found = agents.find(id);
  return found == agents.end() ? nullptr : &found->second;
}

const AgentSettings& HubState::SettingsOf(const AgentId& agent) const {
  static const AgentSettings kUnknown;
  const AgentState* known = FindAgent(agent);
  return known == nullptr ? kUnknown : known->settings;
}

void HubState::Unload(const PlanId& id) {
  const auto found = plans.find(id);
  if (found == plans.end()) return;
  CHECK(!found->second->IsLivePlan());
  Subtract(unsettled, Unsettled(*found->second));
  by_number_[found->second->number] = nullptr;
  if (recent_ == found->second.get()) recent_ = nullptr;
  plans.erase(found);
}

}  // namespace agenttalk
