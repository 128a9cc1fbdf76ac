#pragma once

#include <optional>
#include <string>

#include "base/error.h"
#include "engine/state/dag_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/command/brief.h"
#include "model/command/command.h"
#include "model/dag/task_dag.h"

// The commands of tasks: those the engine makes, and those a planner sends.
namespace agenttalk {

// The task's next command, made with `generate_command`, is there; nothing is done with it yet.
Result<CommandId> ReceiveTaskCommand(Turn& turn, const PlanState& plan, TaskIndex task,
                                     const std::string& reason);
// Makes the task's next command with `generate_command` and hands it to its agent. `reason` goes with work
// that is sent back.
Result<void> MakeTaskCommand(Turn& turn, const PlanState& plan, TaskIndex task, const std::string& reason);

// What the model is told for a command of the task (a CommandBrief), and by what its answer is read; takes
// the command's texts.
CommandBrief TaskBrief(Turn& turn, const PlanState& plan, TaskIndex task, const TaskNode& node,
                       Command& command, const std::string& reason);

// Whether a command that came from outside may be executed for its task, and by whom; the error says why not.
Result<AgentId> CheckTaskCommand(const PlanState& plan, const Command& command);

// Keeps a number of a task's commands for whoever makes one.
void OnNumberRequest(Turn& turn, const NumberRequest& request);

}  // namespace agenttalk
