#include "model/dag/task_graph.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "base/ids.h"
#include "model/dag/task_dag.h"

namespace agenttalk {

TaskGraph::TaskGraph(const TaskDag& dag) : dependencies_(dag.nodes.size()), dependents_(dag.nodes.size()) {
  by_id_.reserve(dag.nodes.size());
  for (Index i = 0; i < size(); ++i) by_id_.try_emplace(dag.nodes[i].task_id, i);
  for (Index i = 0; i < size(); ++i) {
    for (const TaskId& id : dag.nodes[i].depends_on) {
      const Index dependency = Find(id);
      if (dependency == kNone) continue;
      dependencies_[i].push_back(dependency);
      dependents_[dependency].push_back(i);
    }
  }
}

TaskGraph::Index TaskGraph::Find(const TaskId& task_id) const {
  const auto found = by_id_.find(task_id);
  return found == by_id_.end() ? kNone : found->second;
}

void TaskGraph::AddDependency(Index node, Index dependency) {
  dependencies_[node].push_back(dependency);
  dependents_[dependency].push_back(node);
}

std::vector<TaskGraph::Index> TaskGraph::TopologicalOrder() const {
  std::vector<std::size_t> open(size());
  std::priority_queue<Index, std::vector<Index>, std::greater<>> ready;
  for (Index i = 0; i < size(); ++i) {
    open[i] = dependencies_[i].size();
    if (open[i] == 0) ready.push(i);
  }
  std::vector<Index> order;
  order.reserve(size());
  while (!ready.empty()) {
    const Index node = ready.top();
    ready.pop();
    order.push_back(node);
    for (const Index dependent : dependents_[node]) {
      if (--open[dependent] == 0) ready.push(dependent);
    }
  }
  return order;
}

std::vector<std::vector<TaskGraph::Index>> TaskGraph::FindCycles(std::size_t max_count) const {
  enum class Mark : std::uint8_t { kNew, kOnPath, kDone, kOnCycle };
  struct Step {
    Index node;
    std::size_t next;  // of its dependencies
  };
  std::vector<std::vector<Index>> cycles;
  std::vector<Mark> marks(size(), Mark::kNew);
  std::vector<Step> path;  // a stack of our own: a chain may be 200,000 long
  const auto enter = [&](Index node) {
    marks[node] = Mark::kOnPath;
    path.push_back({node, 0});
  };
  // The nodes from `first` to the end of the path are a cycle. They leave the search, so that each node is
  // walked once.
  const auto cut = [&](Index first) {
    auto& cycle = cycles.emplace_back();
    while (cycle.empty() || cycle.back() != first) {
      cycle.push_back(path.back().node);
      marks[path.back().node] = Mark::kOnCycle;
      path.pop_back();
    }
    std::ranges::reverse(cycle);
  };
  for (Index start = 0; start < size() && cycles.size() < max_count; ++start) {
    if (marks[start] == Mark::kNew) enter(start);
    while (!path.empty() && cycles.size() < max_count) {
      Step& step = path.back();
      if (step.next == dependencies_[step.node].size()) {
        marks[step.node] = Mark::kDone;
        path.pop_back();
        continue;
      }
      const Index dependency = dependencies_[step.node][step.next++];
      if (marks[dependency] == Mark::kNew) {
        enter(dependency);
      } else if (marks[dependency] == Mark::kOnPath) {
        cut(dependency);
      }
    }
  }
  return cycles;
}

}  // namespace agenttalk
