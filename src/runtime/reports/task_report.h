#pragma once

#include <boost/json/fwd.hpp>

#include "engine/state/dag_state.h"
#include "engine/state/plan_state.h"

namespace agenttalk {

// The tasks of a plan as plan_status.json and `status` show them.
boost::json::array TasksJson(const PlanState& plan);
// One of them.
boost::json::object OneTaskJson(const PlanState& plan, TaskIndex task);
// A task's state in their spelling, e.g. "BLOCKED_WAITING_INPUT".
const char* TaskStateName(const PlanState& plan, TaskIndex task);

}  // namespace agenttalk
