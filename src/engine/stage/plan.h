#pragma once

#include <string>
#include <vector>

#include "base/ids.h"
#include "base/language.h"
#include "engine/state/plan_state.h"
#include "engine/turn/turn.h"
#include "model/answer/agent_output.h"
#include "model/dag/task_dag.h"
#include "model/events/stage_events.h"

// From a plan in a planner's words to tasks that run.
namespace agenttalk {

// Whether what is planned is put over the DAG there is, so that tasks which are not named stay.
bool PatchesPlan(const PlanState& plan, StageMatter matter);
// The tasks that a plan may depend on without listing them: those of the DAG that this planner's answer
// patches.
std::vector<std::string> KeptTasks(const PlanState& plan, const CommandId& planner);
// Why the planned tasks cannot become the plan's; empty: they can.
std::string ObstacleTo(const PlanState& plan, StageMatter matter, const TaskPlan& wanted, Language language);

// Every task has somebody who can do it: they become the plan's DAG. For a remark that changes little they
// are put over the DAG there is; otherwise they take its place, and what is unchanged keeps its results.
void AdoptPlan(Turn& turn, const PlanState& plan, StageMatter matter, const TaskPlan& wanted,
               const std::vector<TaskMatch>& matches);

// A task goes to another agent; false: there is no such task or agent.
bool Reassign(Turn& turn, const PlanState& plan, const TaskId& task, const AgentId& agent,
              const std::string& reason);
// The capabilities that the task requires and the agent does not have; empty: it has all.
std::string LackedBy(Turn& turn, const PlanState& plan, const TaskId& task, const AgentId& agent);

}  // namespace agenttalk
