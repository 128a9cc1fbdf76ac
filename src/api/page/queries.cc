#include "api/page/queries.h"

#include <boost/json.hpp>
#include <cstddef>
#include <set>
#include <string>
#include <utility>

#include "api/page/spent_json.h"
#include "api/parameters.h"
#include "base/error.h"
#include "base/ids.h"
#include "base/issue.h"
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "engine/state/spending.h"
#include "journal/journal.h"
#include "journal/plan_summary.h"
#include "model/config/hub_config.h"
#include "model/content/cost.h"
#include "model/content/cost_share.h"
#include "model/document.h"
#include "runtime/history/cost_json.h"
#include "runtime/hub.h"

namespace agenttalk {
namespace {

constexpr std::size_t kMostSpending = 1000;  // plans whose spending is told apart

}  // namespace

namespace json = boost::json;

Result<json::value> QueryHub(Hub& hub, const json::object& /*parameters*/) {
  return json::value{{"name", hub.directory().filename().string()},
                     {"language", ToString(hub.team().config.language)},
                     {"last_event", hub.core().committed()}};
}

Result<json::value> QuerySpending(Hub& hub, const json::object& /*parameters*/) {
  const HubState& state = hub.core().state();
  CostShares shares = state.shares;
  for (const auto& [id, plan] : state.plans) {
    if (!plan->opened || plan->spent == Cost{}) continue;
    for (const CostShare& share : UnsettledShares(*plan))
      Add(shares[share.agent_id][share.model], share.cost);
  }
  // The newest plans, of which those that have ended are in the journal's index alone.
  json::array plans;
  SummaryQuery newest;
  newest.limit = kMostSpending;
  for (const PlanSummary& summary : TRY(hub.journal().Summaries(newest))) {
    const PlanState* loaded = hub.core().FindLoaded(summary.plan);
    const Cost& cost = loaded != nullptr ? loaded->spent : summary.cost;
    if (!summary.opened || cost == Cost{}) continue;
    plans.push_back(json::object{{"plan_id", summary.plan.str()},
                                 {"tokens", cost.input_tokens + cost.output_tokens},
                                 {"cost_usd", CostUsd(cost)}});
  }
  Cost total = state.settled;
  Add(total, state.unsettled);
  return json::value{{"shares", SharesJson(shares)},
                     {"plans", std::move(plans)},
                     {"tokens", total.input_tokens + total.output_tokens},
                     {"cost_usd", CostUsd(total)}};
}

Result<json::value> QueryPlanCheck(Hub& hub, const json::object& parameters) {
  const std::string text = TRY(Text(parameters, "text"));
  std::set<AgentId> known;
  for (const auto& [id, profile] : hub.team().agents) known.insert(id);
  DocumentContext context;
  context.known_agents = &known;
  const Issues issues = CheckDocumentOf(DocumentKind::kPlan, text, context);
  return json::value{
      {"ok", issues.ok()}, {"errors", ToJson(issues.errors)}, {"warnings", ToJson(issues.warnings)}};
}

}  // namespace agenttalk
