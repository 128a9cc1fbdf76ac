#pragma once

#include <boost/json/fwd.hpp>

#include "model/answer/agent_output.h"
#include "model/reading/object_reader.h"

// The params of a TASK_PLAN: the tasks that the planner proposes.
namespace agenttalk {

// Form alone.
TaskPlan ReadPlannedTasks(ObjectReader& params);
// The planned tasks have to be a DAG of their own: the same faults, the same codes.
void CheckTaskPlan(ObjectReader& params, const OutputContract& contract, const TaskPlan& plan);
boost::json::object TaskPlanSchema();

}  // namespace agenttalk
