#include "engine/thinking/plan_draft.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/issue.h"
#include "engine/state/dag_state.h"
#include "engine/state/plan_state.h"
#include "model/dag/checker.h"
#include "model/dag/task_dag.h"
#include "model/dag/task_graph.h"

namespace agenttalk {
namespace {

constexpr std::size_t kMostIdsShown = 12;

// Which node an issue of the checker is about: "/nodes/<n>/…".
std::optional<std::size_t> NodeNumberIn(std::string_view path) {
  constexpr std::string_view kPrefix = "/nodes/";
  if (!path.starts_with(kPrefix)) return std::nullopt;
  path.remove_prefix(kPrefix.size());
  std::size_t node = 0;
  const auto [end, error] = std::from_chars(path.data(), path.data() + path.size(), node);
  return error == std::errc() ? std::optional(node) : std::nullopt;
}

bool NamesOneFile(const TaskInput& input) {
  return input.selector == SelectorType::kFileName || input.selector == SelectorType::kOutputName;
}

TaskGraph BareGraph(const std::vector<std::pair<TaskId, std::vector<TaskId>>>& edges) {
  TaskDag bare;
  for (const auto& [id, needs] : edges) {
    TaskNode& node = bare.nodes.emplace_back();
    node.task_id = id;
    node.depends_on = needs;
  }
  return TaskGraph(bare);
}

// What to do about a DAG that cannot be.
std::string HintFor(const Issue& issue, const std::string& ids) {
  if (issue.code == ErrorCode::kDependencyUnknown) {
    return fmt::format("append the task that is missing in the same batch, or depend on one of: {}", ids);
  }
  return issue.code == ErrorCode::kDagCycle ? "leave out one of these dependencies" : issue.hint;
}

}  // namespace

bool IsFinished(const DagState& dag, TaskIndex task) {
  return dag.Task(task).phase == TaskPhase::kCompleted || dag.Task(task).not_needed;
}

std::vector<TaskIndex> TopologicalOrder(const DagState& dag) {
  std::vector<std::pair<TaskId, std::vector<TaskId>>> edges;
  for (TaskIndex task = 0; task < dag.size(); ++task) {
    std::vector<TaskId>& needs = edges.emplace_back(dag.IdOf(task), std::vector<TaskId>()).second;
    for (const TaskIndex dependency : dag.DependenciesOf(task)) needs.push_back(dag.IdOf(dependency));
  }
  return BareGraph(edges).TopologicalOrder();
}

PlanDraft::PlanDraft(const PlanState& plan) : plan_id_(plan.id) {
  if (!plan.dag) return;
  const DagState& dag = *plan.dag;
  routing_rules_ = dag.routing_rules();
  tasks_.reserve(dag.size());
  for (TaskIndex i = 0; i < dag.size(); ++i) {
    Task task;
    task.node = dag.Node(i);
    task.before = i;
    // A fallback whose turn has not come is nobody's current task.
    task.finished = IsFinished(dag, i) || dag.IsDormant(i);
    by_id_.emplace(task.node.task_id, tasks_.size());
    tasks_.push_back(std::move(task));
    AddEdges(tasks_.size() - 1);
  }
}

const PlanDraft::Task* PlanDraft::Find(const TaskId& id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : &tasks_[found->second];
}

std::string PlanDraft::SomeIds() const {
  std::vector<std::string_view> ids;
  for (std::size_t i = 0; i < std::min(tasks_.size(), kMostIdsShown); ++i) {
    ids.push_back(tasks_[i].node.task_id.str());
  }
  if (tasks_.size() > kMostIdsShown) ids.emplace_back("…");
  return fmt::format("{}", fmt::join(ids, ", "));
}

const std::vector<PlanDraft::Place>& PlanDraft::Order() {
  if (!order_) {
    std::vector<std::pair<TaskId, std::vector<TaskId>>> edges;
    edges.reserve(tasks_.size());
    for (const Task& task : tasks_) edges.emplace_back(task.node.task_id, task.node.depends_on);
    const auto order = BareGraph(edges).TopologicalOrder();
    order_.emplace(order.begin(), order.end());
  }
  return *order_;
}

const PlanDraft::Task* PlanDraft::Current() {
  for (const Place place : Order()) {
    if (!tasks_[place].finished) return &tasks_[place];
  }
  return nullptr;
}

void PlanDraft::AddEdges(Place place) {
  for (const TaskId& id : tasks_[place].node.depends_on) dependents_[id].push_back(place);
}

void PlanDraft::RemoveEdges(Place place) {
  for (const TaskId& id : tasks_[place].node.depends_on) std::erase(dependents_[id], place);
}

void PlanDraft::ResetDownstream(Place place) {
  std::vector<Place> open = {place};
  std::vector<bool> seen(tasks_.size());
  seen[place] = true;
  while (!open.empty()) {
    Task& task = tasks_[open.back()];
    open.pop_back();
    task.reset = true;
    task.finished = false;
    task.result.reset();
    const auto dependents = dependents_.find(task.node.task_id);
    if (dependents == dependents_.end()) continue;
    for (const Place next : dependents->second) {
      if (seen[next]) continue;
      seen[next] = true;
      open.push_back(next);
    }
  }
  changes_state_ = true;
}

void PlanDraft::Append(TaskNode node, std::string at) {
  CHECK(Find(node.task_id) == nullptr);
  Task task;
  task.node = std::move(node);
  task.changed = true;
  task.at = std::move(at);
  by_id_.emplace(task.node.task_id, tasks_.size());
  tasks_.push_back(std::move(task));
  AddEdges(tasks_.size() - 1);
  order_.reset();
  changes_dag_ = true;
}

void PlanDraft::Replace(const TaskId& id, std::vector<TaskId> depends_on, std::string prompt, AgentId agent,
                        std::string at) {
  const Place place = by_id_.at(id);
  RemoveEdges(place);
  Task& task = tasks_[place];
  task.node.depends_on = std::move(depends_on);
  task.node.prompt = std::move(prompt);
  task.node.assigned_agent_id = std::move(agent);
  task.changed = task.named = true;
  task.at = std::move(at);
  AddEdges(place);
  order_.reset();
  changes_dag_ = true;
  ResetDownstream(place);
}

void PlanDraft::Reset(const TaskId& id) {
  const Place place = by_id_.at(id);
  tasks_[place].named = true;
  ResetDownstream(place);
}

void PlanDraft::Finish(const TaskId& id, std::string result) {
  Task& task = tasks_[by_id_.at(id)];
  task.finished = true;
  task.result = std::move(result);
  changes_state_ = true;
}

// A task that says nothing about its inputs gets what the tasks make that it needs, and nothing of others.
void PlanDraft::TakeOutputs(TaskNode& node) const {
  const auto needs = [&](const TaskId& id) {
    return std::ranges::find(node.depends_on, id) != node.depends_on.end();
  };
  std::erase_if(node.inputs, [&](const TaskInput& input) {
    return NamesOneFile(input) && std::ranges::any_of(tasks_, [&](const Task& maker) {
             return !needs(maker.node.task_id) &&
                    std::ranges::find(maker.node.outputs, input.value, &TaskOutput::name) !=
                        maker.node.outputs.end();
           });
  });
  for (const TaskId& id : node.depends_on) {
    const Task* maker = Find(id);
    if (maker == nullptr) continue;
    for (const TaskOutput& output : maker->node.outputs) {
      if (std::ranges::find(node.inputs, output.name, &TaskInput::value) != node.inputs.end()) continue;
      TaskInput input = PlainInput(output.name);
      input.required = !output.when;
      node.inputs.push_back(std::move(input));
    }
  }
}

TaskDag PlanDraft::Complete(std::vector<Issue>& errors) {
  TaskDag dag;
  dag.plan_id = plan_id_;
  dag.routing_rules = routing_rules_;
  dag.nodes.reserve(tasks_.size());
  std::string last;
  for (const Task& task : tasks_) {
    dag.nodes.push_back(task.node);
    if (!task.changed) continue;
    TakeOutputs(dag.nodes.back());
    last = task.at;
  }
  Issues issues;
  CheckAndCompleteDag(dag, {}, {}, issues);
  for (Issue& issue : issues.errors) {
    const auto node = NodeNumberIn(issue.path);
    const bool known = node && *node < tasks_.size() && tasks_[*node].changed;
    issue.path = known ? tasks_[*node].at : last;
    issue.hint = HintFor(issue, SomeIds());
    errors.push_back(std::move(issue));
  }
  return dag;
}

}  // namespace agenttalk
