#pragma once

#include <boost/json/fwd.hpp>

#include "engine/state/dag_state.h"
#include "engine/state/plan_state.h"
#include "runtime/core/shown_task.h"

namespace agenttalk {

// The tasks of a plan as plan_status.json and `status` show them.
boost::json::array TasksJson(const PlanState& plan);
// One of them.
boost::json::object OneTaskJson(const PlanState& plan, TaskIndex task);
boost::json::object ShownTaskJson(const ShownTask& facts);

}  // namespace agenttalk
