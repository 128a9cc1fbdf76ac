#pragma once

#include <string>

#include "base/ids.h"
#include "engine/state/plan_state.h"
#include "engine/turn/step.h"

// What agents no longer have to keep in mind (engine/state/working_memory.h).
namespace agenttalk {

// The agent has done with a task.
void ForgetTask(Step& step, PlanState& plan, const AgentId& agent, const TaskId& task,
                const std::string& reason);
// The plan ends, however it ends.
void ForgetPlan(Step& step, PlanState& plan);

}  // namespace agenttalk
