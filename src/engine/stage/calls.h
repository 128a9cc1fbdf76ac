#pragma once

#include <string>
#include <vector>

#include "base/ids.h"
#include "engine/state/dag_state.h"
#include "engine/state/goal_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/turn.h"
#include "model/dag/task_dag.h"
#include "model/events/event.h"
#include "model/request/model_request.h"

// Asking a stage: a command like any other, given to the stage's agent, with what the stage has to know.
namespace agenttalk {

// Each makes the command; its answer comes to ContinueAfterStage (engine/stage/flow.h). The reviewer is asked
// about a plan by the first, about a task's result by the second.
void AskStage(Turn& turn, const PlanState& plan, Stage stage, StageMatter matter);
void AskResultReview(Turn& turn, const PlanState& plan, TaskIndex task);

// Asks once more what this stage was asked.
void AskAgain(Turn& turn, const PlanState& plan, const StageCall& call);

// What the executor of a task has to know.
void BriefExecutor(Turn& turn, const PlanState& plan, TaskIndex task, const TaskNode& node,
                   CommandBrief& brief);

// How the plan stands, as JSON: its phase, its tasks and their states.
std::string PlanStateText(Turn& turn, const PlanState& plan);

}  // namespace agenttalk
