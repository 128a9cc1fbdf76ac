#include "api/plan_lookup.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/parameters.h"
#include "api/plan_list.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/suggestion.h"
#include "engine/state/dag_state.h"
#include "engine/state/plan_state.h"
#include "runtime/hub.h"

namespace agenttalk {
namespace {

// Comparing a name with very many others is not worth the while.
constexpr std::size_t kMostCompared = 10'000;
constexpr std::string_view kPlanPrefix = "plan_";

std::string Hint(std::string_view word, const std::vector<std::string>& known, std::string otherwise) {
  std::vector<std::string_view> names(known.begin(), known.end());
  if (names.size() > kMostCompared) names.resize(kMostCompared);
  std::string meant = DidYouMean(word, names);
  // "bees2" may be meant for "plan_bees": the prefix that people leave out is no difference.
  if (meant.empty() && !word.starts_with(kPlanPrefix))
    meant = DidYouMean(fmt::format("{}{}", kPlanPrefix, word), names);
  return meant.empty() ? std::move(otherwise) : meant;
}

bool IsThere(Hub& hub, const PlanId& id) {
  const PlanState* loaded = hub.core().FindLoaded(id);
  if (loaded != nullptr && loaded->opened) return true;
  const auto stream = hub.journal().FindStream(id);
  return stream && stream->has_value();
}

}  // namespace

PlanId FullPlanId(Hub& hub, const std::string& word) {
  const PlanId given(word);
  if (!IsSafeName(word)) return given;
  const PlanId full(std::string(kPlanPrefix) + word);
  return !IsThere(hub, given) && IsSafeName(full.str()) && IsThere(hub, full) ? full : given;
}

PlanId PlanBeginningWith(Hub& hub, const PlanId& id) {
  constexpr std::size_t kShortest = 4;  // of what is more than the prefix
  const std::string given =
      id.str().starts_with(kPlanPrefix) ? id.str() : std::string(kPlanPrefix) + id.str();
  if (given.size() < kPlanPrefix.size() + kShortest || IsThere(hub, id)) return id;
  const auto plans = NewestPlans(hub, kMostCompared);
  // Where there are more, another one could begin so too.
  if (!plans || plans->size() == kMostCompared) return id;
  std::vector<std::string> begun;
  std::ranges::copy_if(*plans, std::back_inserter(begun),
                       [&](const std::string& name) { return name.starts_with(given); });
  return begun.size() == 1 ? PlanId(begun.front()) : id;
}

std::unexpected<Error> NoPlan(Hub& hub, const PlanId& id) {
  std::vector<std::string> names;
  if (auto newest = NewestPlans(hub, kMostCompared)) {
    names = *std::move(newest);
    // A stream of that very name holds no plan: letters about files that named it, for instance.
    std::erase(names, id.str());
  }
  return Fail(ErrorCode::kPlanUnknown, fmt::format("there is no plan {}", id.str()),
              Hint(id.str(), names, "see `agenttalk plans`"));
}

Result<const PlanState*> FindPlan(Hub& hub, const PlanId& id) {
  const PlanState* plan = TRY(hub.core().LookUp(id));
  if (plan == nullptr || !plan->opened) return NoPlan(hub, id);
  return plan;
}

Result<PlanMoment> MomentOf(Hub& hub, const boost::json::object& parameters, std::uint64_t usual) {
  const PlanId id = TRY(PlanOf(parameters));
  const std::uint64_t at = TRY(OptionalNumber(parameters, "at", usual));
  return PlanMoment{TRY(FindPlan(hub, id)), at};
}

Result<TaskIndex> FindTask(const PlanState& plan, const TaskId& id) {
  const TaskIndex task = plan.dag ? plan.dag->Find(id) : DagState::kNone;
  if (task != DagState::kNone) return task;
  std::vector<std::string> names;
  for (TaskIndex i = 0; plan.dag && i < plan.dag->size(); ++i) names.push_back(plan.dag->IdOf(i).str());
  return Fail(ErrorCode::kTaskUnknown, fmt::format("{} has no task {}", plan.id.str(), id.str()),
              Hint(id.str(), names, fmt::format("see `agenttalk status {}`", plan.id.str())));
}

std::unexpected<Error> NoAgent(const Hub& hub, const AgentId& id) {
  std::vector<std::string> names;
  for (const auto& [agent, profile] : hub.team().agents) names.push_back(agent.str());
  return Fail(ErrorCode::kAgentUnknown, fmt::format("there is no agent {}", id.str()),
              Hint(id.str(), names, "see `agenttalk agents`"));
}

}  // namespace agenttalk
