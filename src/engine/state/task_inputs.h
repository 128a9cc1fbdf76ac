#pragma once

#include <string>
#include <vector>

#include "engine/state/dag_state.h"
#include "engine/state/plan_state.h"
#include "model/command/command.h"
#include "model/dag/task_dag.h"
#include "model/events/event.h"

// What a task sees: the plan's files, what strangers gave its agent for this plan, and the outputs of the
// tasks upstream of it, each in the version that the task wants.
namespace agenttalk {

// The requirements of the command that is made for a task.
std::vector<RequiredInput> RequirementsOf(const DagState& dag, TaskIndex task, const TaskNode& node);

struct TaskInputs {
  std::vector<BoundInput> inputs;  // by name
  std::vector<std::string> missing;
};
TaskInputs BindTaskInputs(const PlanState& plan, const CommandRecord& record, TaskIndex task);

// What a task that has been executed could see.
std::vector<BoundInput> VisibleInputs(const PlanState& plan, TaskIndex task);

// A required input, made by tasks upstream alone, which will not come: none of them delivered it. Empty:
// there is none.
std::string UndeliveredInput(const PlanState& plan, TaskIndex task, const TaskNode& node);

// How many files are there for each requirement of a waiting command, of those that its task may see.
std::vector<std::size_t> CountTaskInputs(const PlanState& plan, const CommandRecord& record, TaskIndex task);
// Whether a file counts for a requirement of a waiting command.
bool CountsFor(const PlanState& plan, const CommandRecord& record, const std::string& pattern,
               const InputVersion& file);

}  // namespace agenttalk
