#include "api/page/graph_layout.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace agenttalk {
namespace {

constexpr int kSweeps = 6;

using Lists = std::vector<std::vector<std::uint32_t>>;

// The longest way from a task without dependencies.
std::vector<std::uint32_t> Columns(std::uint32_t size, std::span<const GraphEdge> edges, const Lists& after) {
  std::vector<std::uint32_t> open(size, 0);
  for (const GraphEdge& edge : edges) ++open[edge.to];
  std::vector<std::uint32_t> column(size, 0);
  std::vector<std::uint32_t> ready;
  for (std::uint32_t task = 0; task < size; ++task) {
    if (open[task] == 0) ready.push_back(task);
  }
  while (!ready.empty()) {
    const std::uint32_t task = ready.back();
    ready.pop_back();
    for (const std::uint32_t next : after[task]) {
      column[next] = std::max(column[next], column[task] + 1);
      if (--open[next] == 0) ready.push_back(next);
    }
  }
  return column;
}

// The mean place of the neighbours; of a task without any, its own.
float Mean(const std::vector<std::uint32_t>& neighbours, const std::vector<GraphPlace>& places, float own) {
  if (neighbours.empty()) return own;
  const float sum =
      std::accumulate(neighbours.begin(), neighbours.end(), 0.0F,
                      [&](float so_far, std::uint32_t one) { return so_far + places[one].row; });
  return sum / static_cast<float>(neighbours.size());
}

void Spread(const std::vector<std::uint32_t>& layer, std::vector<GraphPlace>& places) {
  const float first = -(static_cast<float>(layer.size()) - 1) / 2;
  for (std::size_t i = 0; i < layer.size(); ++i) places[layer[i]].row = first + static_cast<float>(i);
}

// One sweep: every layer is put in the order of its neighbours' means, which takes most crossings away.
void Sweep(Lists& layers, const Lists& neighbours, std::vector<GraphPlace>& places, bool forward) {
  std::vector<float> wanted(places.size(), 0);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    auto& layer = layers[forward ? i : layers.size() - 1 - i];
    for (const std::uint32_t task : layer) wanted[task] = Mean(neighbours[task], places, places[task].row);
    std::ranges::stable_sort(layer, {}, [&](std::uint32_t task) { return wanted[task]; });
    Spread(layer, places);
  }
}

}  // namespace

std::vector<GraphPlace> LayOut(std::uint32_t size, std::span<const GraphEdge> edges) {
  Lists before(size);
  Lists after(size);
  for (const GraphEdge& edge : edges) {
    before[edge.to].push_back(edge.from);
    after[edge.from].push_back(edge.to);
  }
  const std::vector<std::uint32_t> columns = Columns(size, edges, after);
  const std::uint32_t last = size == 0 ? 0 : *std::ranges::max_element(columns);
  std::vector<GraphPlace> places(size);
  Lists layers(size == 0 ? 0 : last + 1);
  for (std::uint32_t task = 0; task < size; ++task) {
    places[task].column = columns[task];
    layers[columns[task]].push_back(task);
  }
  for (const auto& layer : layers) Spread(layer, places);
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    const bool forward = sweep % 2 == 0;
    Sweep(layers, forward ? before : after, places, forward);
  }
  return places;
}

}  // namespace agenttalk
