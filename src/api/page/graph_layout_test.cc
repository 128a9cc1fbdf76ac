#include "api/page/graph_layout.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace agenttalk {
namespace {

TEST(GraphLayout, PutsEveryTaskRightOfWhatItDependsOn) {
  std::vector<GraphEdge> edges;
  for (std::uint32_t task = 1; task < 500; ++task) {
    edges.push_back({task / 2, task});
    if (task > 7) edges.push_back({task - 7, task});
  }
  const auto places = LayOut(500, edges);
  for (const GraphEdge& edge : edges) EXPECT_LT(places[edge.from].column, places[edge.to].column);
  std::set<std::pair<std::uint32_t, float>> taken;
  for (const GraphPlace& place : places) EXPECT_TRUE(taken.emplace(place.column, place.row).second);
}

TEST(GraphLayout, DoesNotCrossWhatNeedNotCross) {
  // Two chains whose second tasks are listed the other way round.
  const std::vector<GraphEdge> edges = {{0, 3}, {1, 2}};
  const auto places = LayOut(4, edges);
  EXPECT_EQ(places[0].row < places[1].row, places[3].row < places[2].row);
}

TEST(GraphLayout, TakesAnEmptyPlan) {
  EXPECT_TRUE(LayOut(0, {}).empty());
}

}  // namespace
}  // namespace agenttalk
