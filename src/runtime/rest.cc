#include "runtime/rest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/ids.h"
#include "engine/hub_state.h"
#include "engine/plan_state.h"

namespace agenttalk {
namespace {

std::string MissingFiles(const CommandRecord& record) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < record.unmet.size(); ++i) {
    if (record.unmet[i] > 0) names.push_back(record.required[i].pattern);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

bool GoesOn(CommandState state) {
  return state == CommandState::kRunning || state == CommandState::kReady ||
         state == CommandState::kRetryWait;
}

void Assess(const PlanState& plan, Rest& rest) {
  if (plan.live_commands == 0) return;
  for (const CommandRecord& record : plan.commands) {
    if (!IsLive(record.state)) continue;
    const std::string who = fmt::format("{} {} ({})", plan.id.str(), record.id.str(), record.agent.str());
    if (record.state == CommandState::kRunning || (GoesOn(record.state) && !plan.paused)) {
      rest.busy = true;
    } else if (plan.paused) {
      rest.awaited.push_back(who + " waits for its plan to be resumed");
    } else if (record.state == CommandState::kWaitingInputs) {
      rest.awaited.push_back(fmt::format("{} waits for {}", who, MissingFiles(record)));
    } else {
      rest.awaited.push_back(who + " waits for an answer, see `agenttalk questions`");
    }
  }
}

}  // namespace

Rest AssessRest(const HubState& state) {
  Rest rest;
  for (const auto& [id, plan] : state.plans) Assess(*plan, rest);
  std::ranges::sort(rest.awaited);
  return rest;
}

bool HasFailed(const HubState& state, const std::set<PlanId>& plans) {
  return std::ranges::any_of(plans, [&](const PlanId& id) {
    const auto plan = state.plans.find(id);
    return plan != state.plans.end() &&
           std::ranges::any_of(plan->second->commands, [](const CommandRecord& record) {
             return record.state == CommandState::kFailed || record.state == CommandState::kTimedOut;
           });
  });
}

}  // namespace agenttalk
