#pragma once

#include <set>

#include "base/ids.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"

namespace agenttalk {

// A DAG is submitted. The plan's first one begins it. The same one again continues with it: what failed is
// executed again, and a plan that is done stays as it is. Another one is a revision: tasks that do the same
// work on the same inputs keep state and result, the others start again, and commands of tasks that are gone
// or changed are cancelled.
void OnPlanSubmission(Turn& turn, PlanSubmission submission);

// A revision that comes of a change to some tasks: those start again, whatever else there is stays as it is,
// also what has failed. The caller has reset what depends on them, and continues with AdvanceTasks.
void ReviseDag(Turn& turn, const PlanState& plan, PlanSubmission revision, const std::set<TaskId>& anew);

}  // namespace agenttalk
