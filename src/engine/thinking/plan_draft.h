#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/ids.h"
#include "base/issue.h"
#include "engine/state/dag_state.h"
#include "engine/state/plan_state.h"
#include "model/dag/task_dag.h"

// A plan's tasks as a batch of changes would make them. Nothing of it has happened: the draft is checked, and
// then becomes a revision of the DAG (engine/dag/revision.h), or is thrown away.
namespace agenttalk {

class PlanDraft {
 public:
  using Place = std::size_t;

  struct Task {
    TaskNode node;
    TaskIndex before = DagState::kNone;  // where it is in the plan; kNone: it is new
    bool finished = false;
    bool changed = false;               // appended or replaced
    bool named = false;                 // reset or replaced by its own name, not because of another
    bool reset = false;                 // loses state and result
    std::optional<std::string> result;  // finished by this batch
    std::string at = {};                // JSON Pointer of the argument that names its dependencies
  };

  // A plan without a DAG gives an empty draft.
  explicit PlanDraft(const PlanState& plan);

  [[nodiscard]] const std::vector<Task>& tasks() const { return tasks_; }
  [[nodiscard]] const Task* Find(const TaskId& id) const;
  // The first task that is not finished, in topological order; null: all are.
  [[nodiscard]] const Task* Current();
  // A few of the ids there are, for a message.
  [[nodiscard]] std::string SomeIds() const;

  // The task must be new.
  void Append(TaskNode node, std::string at);
  // The others need the task.
  void Replace(const TaskId& id, std::vector<TaskId> depends_on, std::string prompt, AgentId agent,
               std::string at);
  void Reset(const TaskId& id);
  void Finish(const TaskId& id, std::string result);

  // Whether the DAG itself would be another one; whether anything would change.
  [[nodiscard]] bool ChangesDag() const { return changes_dag_; }
  [[nodiscard]] bool ChangesPlan() const { return changes_dag_ || changes_state_; }

  // The DAG, checked and complete; what is wrong is reported at the arguments that brought it.
  TaskDag Complete(std::vector<Issue>& errors);

 private:
  void AddEdges(Place place);
  void RemoveEdges(Place place);
  void ResetDownstream(Place place);
  void TakeOutputs(TaskNode& node) const;
  const std::vector<Place>& Order();

  PlanId plan_id_;
  std::vector<std::string> routing_rules_;
  std::vector<Task> tasks_;
  std::unordered_map<TaskId, Place> by_id_;
  std::unordered_map<TaskId, std::vector<Place>> dependents_;  // also of ids that are not there (yet)
  std::optional<std::vector<Place>> order_;
  bool changes_dag_ = false;
  bool changes_state_ = false;
};

// A task counts as finished: completed, or not needed.
bool IsFinished(const DagState& dag, TaskIndex task);
// The tasks in topological order; among those that could stand next, the one written first.
std::vector<TaskIndex> TopologicalOrder(const DagState& dag);

}  // namespace agenttalk
