#pragma once

#include <boost/json/fwd.hpp>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "engine/state/plan_state.h"
#include "runtime/hub.h"

// Lists of plans, from the journal's index of summaries: plans that have ended are not read for it.
namespace agenttalk {

// `state`, `since`, `text`, `limit`, `after`: newest first, a page at a time.
Result<boost::json::value> QueryPlans(Hub& hub, const boost::json::object& parameters);

// The hub's own stream and every plan that may have open dead letters, by id. The plan is valid during the
// call.
Result<void> ForEachPlanWithLetters(Hub& hub, const std::function<void(const PlanState&)>& visit);

// The newest plans' ids, at most `limit`.
Result<std::vector<std::string>> NewestPlans(Hub& hub, std::size_t limit);

}  // namespace agenttalk
