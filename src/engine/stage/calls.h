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

// Each makes the command; its answer comes to ContinueAfterStage (engine/stage/flow.h).
void AskUnderstanding(Turn& turn, const PlanState& plan, StageMatter matter);
void AskRouter(Turn& turn, const PlanState& plan, StageMatter matter);
void AskPlanner(Turn& turn, const PlanState& plan, StageMatter matter);
void AskPlanReview(Turn& turn, const PlanState& plan, StageMatter matter);
void AskResultReview(Turn& turn, const PlanState& plan, TaskIndex task);
void AskOrchestrator(Turn& turn, const PlanState& plan, StageMatter matter);

// Asks once more what this stage was asked.
void AskAgain(Turn& turn, const PlanState& plan, const StageCall& call);

// What the executor of a task has to know.
void BriefExecutor(Turn& turn, const PlanState& plan, TaskIndex task, const TaskNode& node,
                   CommandBrief& brief);

// How the plan stands, as JSON: its phase, its tasks and their states.
std::string StandOf(Turn& turn, const PlanState& plan);

}  // namespace agenttalk
