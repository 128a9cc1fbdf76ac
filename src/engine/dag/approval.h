#pragma once

#include <cstdint>

#include "engine/state/dag_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/turn.h"
#include "model/dag/task_dag.h"
#include "model/events/event.h"

// Asking a person whether a task's result passes.
namespace agenttalk {

// How often a person may send a task back; the task's own bound where it has one.
std::uint32_t MostRejections(const TaskNode& node);

// Fills in what is to be judged and what each choice leads to. The question must be the next event. What is
// asked is in its text already.
void ShowResult(Turn& turn, const PlanState& plan, TaskIndex task, const TaskNode& node,
                QuestionAsked& question);

void AskForApproval(Turn& turn, const PlanState& plan, TaskIndex task, const TaskNode& node);

}  // namespace agenttalk
