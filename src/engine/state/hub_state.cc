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
  if (id.empty()) return hub_plan;
  if (PlanState* found = FindPlan(id)) return *found;
  auto plan = std::make_unique<PlanState>();
  plan->id = id;
  plan->number = first_number_ + static_cast<std::uint32_t>(by_number_.size());
  by_number_.push_back(plan.get());
  return *plans.emplace(id, std::move(plan)).first->second;
}

PlanState* HubState::FindPlan(const PlanId& id) {
  if (id.empty()) return &hub_plan;
  return std::as_const(*this).FindPlan(id) == nullptr ? nullptr : recent_;
}

const PlanState* HubState::FindPlan(const PlanId& id) const {
  if (id.empty()) return &hub_plan;
  if (recent_ != nullptr && recent_->id == id) return recent_;
  const auto found = plans.find(id);
  if (found == plans.end()) return nullptr;
  recent_ = by_number_[found->second->number - first_number_];
  return recent_;
}

PlanState* HubState::ByNumber(std::uint32_t number) {
  if (number == kHubNumber) return &hub_plan;
  const std::uint32_t at = number - first_number_;
  return number >= first_number_ && at < by_number_.size() ? by_number_[at] : nullptr;
}

const PlanState* HubState::ByNumber(std::uint32_t number) const {
  if (number == kHubNumber) return &hub_plan;
  const std::uint32_t at = number - first_number_;
  return number >= first_number_ && at < by_number_.size() ? by_number_[at] : nullptr;
}

void HubState::Restore(HubRecord&& record) {
  has_recent_agent_ = false;
  static_cast<HubRecord&>(*this) = std::move(record);
}

const AgentState* HubState::FindAgent(const AgentId& id) const {
  if (has_recent_agent_ && recent_agent_->first == id) return &recent_agent_->second;
  const auto found = agents.find(id);
  return found == agents.end() ? nullptr : &found->second;
}

AgentState& HubState::Agent(const AgentId& id) {
  if (!has_recent_agent_ || recent_agent_->first != id) recent_agent_ = agents.try_emplace(id).first;
  has_recent_agent_ = true;
  return recent_agent_->second;
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
  by_number_[found->second->number - first_number_] = nullptr;
  for (; !by_number_.empty() && by_number_.front() == nullptr; ++first_number_) by_number_.pop_front();
  if (recent_ == found->second.get()) recent_ = nullptr;
  plans.erase(found);
  timers.DropStale([this](const Timers::Entry& entry) { return ByNumber(entry.plan) == nullptr; });
}

}  // namespace agenttalk
