#pragma once

#include <string>

#include "base/ids.h"
#include "engine/state/plan_state.h"
#include "engine/turn/turn.h"

// What agents no longer have to keep in mind (engine/state/working_memory.h).
namespace agenttalk {

// The agent has done with a task.
void ForgetTask(Turn& turn, const PlanState& plan, const AgentId& agent, const TaskId& task,
                const std::string& reason);
// The plan ends, however it ends.
void ForgetPlan(Turn& turn, const PlanState& plan);

}  // namespace agenttalk
