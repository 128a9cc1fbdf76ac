#pragma once

#include <string>
#include <vector>

#include "base/issue.h"
#include "engine/state/dag_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/content/named_content.h"
#include "model/dag/task_dag.h"
#include "model/events/event.h"

// The files that somebody gave with a goal, and how they and the tasks' outputs pass through the plan that is
// made for it.
namespace agenttalk {

// Stores the files that came with a goal.
std::vector<NamedContent> KeepGoalFiles(Turn& turn, const PlanState& plan, GoalSubmission& submission);
// Whether a goal that is run again has come with files, and with others than before.
bool HasOtherFiles(const PlanState& plan, const GoalSubmission& submission);

// What a planner's tasks may name as inputs beside the outputs of one another: files, and what the tasks make
// that stay.
std::vector<std::string> FilesForPlanner(const PlanState& plan, const std::vector<std::string>& staying);

// Says which task gets what: a task that names none of the outputs of one it depends on gets all of them;
// files that no task names go to every task; what nobody takes is a deliverable. The issues say what cannot
// be.
Issues CompleteGoalDag(const PlanState& plan, TaskDag& dag);

// What a reviewer of a task's result sees: what it made, and what it was given.
std::vector<BoundInput> ReviewedFiles(const PlanState& plan, TaskIndex task);

}  // namespace agenttalk
