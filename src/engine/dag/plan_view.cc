#include "engine/dag/plan_view.h"

#include <cstddef>
#include <deque>
#include <optional>
#include <vector>

#include "base/ids.h"
#include "engine/dag/outputs.h"
#include "engine/state/dag_state.h"
#include "engine/state/plan_state.h"
#include "model/dag/task_dag.h"

namespace agenttalk {
namespace {

bool WaitsForItsCommand(const PlanState& plan, TaskIndex task) {
  if (plan.dag->IsReady(task)) return true;
  const TaskRecord& record = plan.dag->Task(task);
  if (record.phase != TaskPhase::kActive || record.command == TaskRecord::kNoCommand) return false;
  return plan.commands[record.command].state == CommandState::kReady;
}

TaskView ViewOf(const PlanState& plan, TaskIndex task) {
  const DagState& dag = *plan.dag;
  const TaskRecord& record = dag.Task(task);
  const TaskNode node = dag.Node(task);
  TaskView view;
  view.task_id = dag.IdOf(task);
  view.agent = dag.AgentOf(task);
  view.description = node.prompt;
  view.state = WaitsForItsCommand(plan, task) ? "READY" : EnumName(record.phase);
  for (const TaskIndex one : dag.DependenciesOf(task)) view.depends_on.push_back(dag.IdOf(one));
  view.outputs = OutputNames(node);
  if (record.result) {
    view.score = record.result->score;
    view.result = record.result->result;
  }
  return view;
}

template <typename Want>
std::vector<TaskView> Select(const PlanState& plan, const Want& want) {
  std::vector<TaskView> views;
  if (!plan.dag) return views;
  for (TaskIndex task = 0; task < plan.dag->size(); ++task) {
    if (want(task)) views.push_back(ViewOf(plan, task));
  }
  return views;
}

// Counts down dependencies, so that it is one pass over tasks and edges.
std::vector<TaskIndex> InOrder(const DagState& dag) {
  std::vector<std::size_t> missing(dag.size());
  std::deque<TaskIndex> ready;
  for (TaskIndex task = 0; task < dag.size(); ++task) {
    missing[task] = dag.DependenciesOf(task).size();
    if (missing[task] == 0) ready.push_back(task);
  }
  std::vector<TaskIndex> order;
  order.reserve(dag.size());
  while (!ready.empty()) {
    order.push_back(ready.front());
    ready.pop_front();
    for (const TaskIndex next : dag.DependentsOf(order.back())) {
      if (--missing[next] == 0) ready.push_back(next);
    }
  }
  return order;
}

}  // namespace

std::optional<TaskView> GetTask(const PlanState& plan, const TaskId& task) {
  const TaskIndex found = plan.dag ? plan.dag->Find(task) : DagState::kNone;
  if (found == DagState::kNone) return std::nullopt;
  return ViewOf(plan, found);
}

std::vector<TaskView> GetReadyTasks(const PlanState& plan) {
  return Select(plan, [&](TaskIndex task) { return WaitsForItsCommand(plan, task); });
}

std::vector<TaskView> GetTasksForRole(const PlanState& plan, const AgentId& agent) {
  return Select(plan, [&](TaskIndex task) { return plan.dag->AgentOf(task) == agent; });
}

PlanView GetPlanStatus(const PlanState& plan) {
  PlanView view;
  view.plan_id = plan.id;
  view.is_completed = plan.completed;
  if (!plan.dag) return view;
  const DagState& dag = *plan.dag;
  view.goal = dag.goal();
  view.revision = dag.revision();
  view.failure = dag.failure();
  view.total = dag.size();
  view.completed = dag.completed();
  for (TaskIndex task = 0; task < dag.size(); ++task) {
    const TaskPhase phase = dag.Task(task).phase;
    if (WaitsForItsCommand(plan, task)) {
      ++view.ready;
    } else if (phase == TaskPhase::kActive || phase == TaskPhase::kEvidence ||
               phase == TaskPhase::kApproval) {
      ++view.active;
    } else if (phase == TaskPhase::kFailed || phase == TaskPhase::kBlocked || phase == TaskPhase::kReplan) {
      ++view.failed;
    }
  }
  return view;
}

std::vector<TaskView> GetPlanStructure(const PlanState& plan) {
  std::vector<TaskView> views;
  if (!plan.dag) return views;
  for (const TaskIndex task : InOrder(*plan.dag)) views.push_back(ViewOf(plan, task));
  return views;
}

}  // namespace agenttalk
