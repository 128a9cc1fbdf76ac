#include "model/dag/task_graph.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "model/dag/task_dag.h"

namespace agenttalk {
namespace {

// Nodes 0, 1, 2, … named "0", "1", "2", …, each with the list of those it depends on.
TaskDag Dag(const std::vector<std::vector<int>>& dependencies) {
  TaskDag dag;
  for (std::size_t i = 0; i < dependencies.size(); ++i) {
    TaskNode node;
    node.task_id = TaskId(std::to_string(i));
    for (const int dependency : dependencies[i]) node.depends_on.emplace_back(std::to_string(dependency));
    dag.nodes.push_back(std::move(node));
  }
  return dag;
}

using Order = std::vector<TaskGraph::Index>;

TEST(TaskGraph, OrdersDependenciesFirstAndKeepsTheWrittenOrderOtherwise) {
  EXPECT_EQ(TaskGraph(Dag({{2}, {}, {}, {0, 1}})).TopologicalOrder(), (Order{1, 2, 0, 3}));
  EXPECT_EQ(TaskGraph(Dag({})).TopologicalOrder(), Order{});
}

TEST(TaskGraph, KnowsBothEndsOfAnEdge) {
  const TaskGraph graph(Dag({{}, {0}, {0, 1}}));
  EXPECT_EQ(graph.DependenciesOf(2), (Order{0, 1}));
  EXPECT_EQ(graph.DependentsOf(0), (Order{1, 2}));
  EXPECT_EQ(graph.Find(TaskId("1")), 1U);
  EXPECT_EQ(graph.Find(TaskId("9")), TaskGraph::kNone);
}

TEST(TaskGraph, PassesOverUnknownDependencies) {
  EXPECT_EQ(TaskGraph(Dag({{7}, {0}})).TopologicalOrder(), (Order{0, 1}));
}

TEST(TaskGraph, FindsACycleInTheOrderOfDependence) {
  const TaskGraph graph(Dag({{}, {0, 3}, {1}, {2}, {3}}));
  EXPECT_EQ(graph.FindCycles(10), (std::vector<Order>{{1, 3, 2}}));
  EXPECT_EQ(graph.TopologicalOrder(), (Order{0}));
}

TEST(TaskGraph, FindsATaskThatWaitsForItself) {
  EXPECT_EQ(TaskGraph(Dag({{}, {1}})).FindCycles(10), (std::vector<Order>{{1}}));
}

TEST(TaskGraph, FindsSeveralSeparateCyclesUpToTheCount) {
  const TaskGraph graph(Dag({{1}, {0}, {3}, {2}, {5}, {4}}));
  EXPECT_EQ(graph.FindCycles(10).size(), 3U);
  EXPECT_EQ(graph.FindCycles(2).size(), 2U);
}

TEST(TaskGraph, FindsNoCycleWherePathsOnlyMeet) {
  EXPECT_TRUE(TaskGraph(Dag({{}, {0}, {0}, {1, 2}})).FindCycles(10).empty());
}

TEST(TaskGraph, WalksAChainOfTwoHundredThousandWithoutRecursion) {
  constexpr int kLength = 200'000;
  std::vector<std::vector<int>> chain(kLength);
  for (int i = 0; i + 1 < kLength; ++i) chain[static_cast<std::size_t>(i)] = {i + 1};
  EXPECT_TRUE(TaskGraph(Dag(chain)).FindCycles(1).empty());
  chain.back() = {0};
  const auto cycles = TaskGraph(Dag(chain)).FindCycles(1);
  ASSERT_EQ(cycles.size(), 1U);
  EXPECT_EQ(cycles[0].size(), static_cast<std::size_t>(kLength));
}

}  // namespace
}  // namespace agenttalk
