#include "api/history_queries.h"

#include <boost/json.hpp>
#include <cstdint>
#include <expected>
#include <limits>
#include <string>
#include <utility>

#include "api/hub_service.h"
#include "api/parameters.h"
#include "api/plan_lookup.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/time.h"
#include "engine/state/plan_state.h"
#include "runtime/hub.h"
#include "runtime/reports/past_plan.h"
#include "runtime/reports/plan_diff.h"
#include "runtime/reports/plan_report.h"

namespace agenttalk {

namespace json = boost::json;

namespace {

Result<json::value> StatusThen(const PastPlan& past) {
  json::object status = PlanStatusJson(*past.plan);
  status["at"] = json::object{{"seq", past.event}, {"time", ToRfc3339(past.time)}, {"type", past.type}};
  return json::value(std::move(status));
}

}  // namespace

void TellReplay(Hub& hub, const json::object& parameters, HubService::Done done) {
  const std::uint64_t last = std::numeric_limits<std::uint64_t>::max() - 1;
  const auto moment = MomentOf(hub, parameters, last);
  if (!moment) {
    done(std::unexpected(moment.error()));
    return;
  }
  hub.TellOfPast(moment->plan->id, moment->at, &StatusThen, std::move(done));
}

Result<json::value> QueryDiff(Hub& hub, const json::object& parameters) {
  const std::string a = TRY(Text(parameters, "a"));
  const std::string b = TRY(Text(parameters, "b"));
  if (!IsSafeName(a) || !IsSafeName(b)) {
    return Fail(ErrorCode::kNameUnsafe, "that cannot be the id of a plan");
  }
  const PlanState* first = TRY(FindPlan(hub, PlanId(a)));
  const PlanState* second = TRY(FindPlan(hub, PlanId(b)));
  return json::value(TRY(PlanDiffJson(*first, *second, hub.core().contents())));
}

}  // namespace agenttalk
