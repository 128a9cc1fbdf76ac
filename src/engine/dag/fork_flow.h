#pragma once

#include "engine/state/dag_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"

// A plan that shares the past of another one. Its tasks go their usual way, each with a command of its own;
// one whose result was taken over is done when its turn comes: nobody is asked, and what was decided about
// the result there (score, gate) is decided.
namespace agenttalk {

// Right after the plan's first DAG was adopted.
void BeginFork(Turn& turn, const PlanState& plan, Inheritance inherits);
// Completes the task with what it inherited. False: it has to be executed.
bool TakeOver(Turn& turn, const PlanState& plan, TaskIndex task);

}  // namespace agenttalk
