#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "engine/state/dag_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/turn.h"
#include "model/command/command.h"

// Tasks that are given up, and tasks that begin once more (engine/dag/flow.h).
namespace agenttalk {

// Ends the live commands of a task, and the questions about it.
void CancelTask(Turn& turn, const PlanState& plan, TaskIndex task, const std::string& reason);

// Resets what failed, and what was given up because of it.
void RestartTasks(Turn& turn, const PlanState& plan, std::vector<TaskIndex> failed, std::string reason);

// A failed task, and what was given up because of it, starts again, so that a command sent for it is
// executed; the error says why not.
Result<void> ReopenFailed(Turn& turn, const PlanState& plan, const Command& command);

}  // namespace agenttalk
