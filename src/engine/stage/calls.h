#pragma once

#include <string>
#include <vector>

#include "base/ids.h"
#include "engine/state/dag_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/step.h"
#include "model/answer/agent_output.h"
#include "model/dag/task_dag.h"
#include "model/events/event.h"
#include "model/request/model_request.h"

// Asking a stage: a command like any other, given to the stage's agent, with what the stage has to know.
namespace agenttalk {

// Each makes the command; its answer comes to ContinueAfterStage (engine/stage/flow.h).
void AskUnderstanding(Step& step, PlanState& plan, StageMatter matter);
void AskRouter(Step& step, PlanState& plan, StageMatter matter);
void AskPlanner(Step& step, PlanState& plan, StageMatter matter);
void AskPlanReview(Step& step, PlanState& plan, StageMatter matter);
void AskResultReview(Step& step, PlanState& plan, TaskIndex task);
void AskOrchestrator(Step& step, PlanState& plan, StageMatter matter);

// Asks once more what this stage was asked.
void AskAgain(Step& step, PlanState& plan, const StageCall& call);

// What the executor of a task has to know.
void BriefExecutor(Step& step, const PlanState& plan, TaskIndex task, const TaskNode& node,
                   CommandBrief& brief);

// What a stage said, read from the params that an event holds. They met their contract when they came.
IntentAnalysis IntentOf(const std::string& params);
TaskPlan TaskPlanOf(const std::string& params);

// How the plan stands, as JSON: its phase, its tasks and their states.
std::string StandOf(Step& step, const PlanState& plan);

}  // namespace agenttalk
