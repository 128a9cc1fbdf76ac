#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/ids.h"
#include "model/dag/task_dag.h"

namespace agenttalk {

// The edges of a DAG by node index. Ids that are unknown or stand twice are passed over (the first node with
// an id has it): the checker reports them, and the rest of the graph can still be looked at.
class TaskGraph {
 public:
  using Index = std::uint32_t;

  explicit TaskGraph(const TaskDag& dag);

  // The index of the node, or kNone.
  static constexpr Index kNone = UINT32_MAX;
  [[nodiscard]] Index Find(const TaskId& task_id) const;

  [[nodiscard]] const std::vector<Index>& DependenciesOf(Index node) const { return dependencies_[node]; }
  [[nodiscard]] const std::vector<Index>& DependentsOf(Index node) const { return dependents_[node]; }
  // A duty to wait that is not in the DAG itself, e.g. for a gate's evidence.
  void AddDependency(Index node, Index dependency);

  [[nodiscard]] Index size() const { return static_cast<Index>(dependencies_.size()); }

  // Dependencies first; among those that could stand next, the one written first. Nodes on a cycle, and what
  // depends on them, are missing.
  [[nodiscard]] std::vector<Index> TopologicalOrder() const;

  // Up to `max_count` cycles that share no node with each other, each node depending on the next and the last
  // on the first. Empty only if there is none. Linear.
  [[nodiscard]] std::vector<std::vector<Index>> FindCycles(std::size_t max_count) const;

 private:
  std::unordered_map<TaskId, Index> by_id_;
  std::vector<std::vector<Index>> dependencies_;
  std::vector<std::vector<Index>> dependents_;
};

}  // namespace agenttalk
