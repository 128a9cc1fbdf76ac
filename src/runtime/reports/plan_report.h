#pragma once

#include <boost/json/fwd.hpp>
#include <string>

#include "engine/state/plan_state.h"
#include "runtime/core/plan_summaries.h"  // IWYU pragma: export

namespace agenttalk {

// A plan as `status --json` and plan_status.json show it.
boost::json::object PlanStatusJson(const PlanState& plan);
// The same as a text for people, made with little memory however many tasks there are.
std::string PlanStatusText(const PlanState& plan);
// One of its commands.
boost::json::object OneCommandJson(const PlanState& plan, const CommandRecord& record);

}  // namespace agenttalk
