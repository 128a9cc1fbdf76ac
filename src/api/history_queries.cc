#include "api/history_queries.h"

#include <boost/json.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

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

Result<json::value> QueryReplay(Hub& hub, const json::object& parameters) {
  const PlanId id = TRY(PlanOf(parameters));
  const std::uint64_t at =
      TRY(OptionalNumber(parameters, "at", std::numeric_limits<std::uint64_t>::max() - 1));
  TRY(FindPlan(hub, id));
  const PastPlan past = TRY(FoldUntil(hub.journal(), id, at));
  json::object status = PlanStatusJson(*past.plan);
  status["at"] = json::object{{"seq", past.event}, {"time", ToRfc3339(past.time)}, {"type", past.type}};
  return json::value(std::move(status));
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
