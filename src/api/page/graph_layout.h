#pragma once

#include <cstdint>
#include <span>
#include <vector>

// Where the tasks of a DAG are drawn: in layers, each task right of everything it depends on. Pure.
namespace agenttalk {

struct GraphPlace {
  std::uint32_t column = 0;  // the layer
  float row = 0;             // within the layer; columns are centred on 0
};

struct GraphEdge {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
};

// `edges` must have no cycle. The cost is that of a few passes over the edges: 10,000 tasks take some
// milliseconds (dagre, the usual library, takes seconds).
std::vector<GraphPlace> LayOut(std::uint32_t size, std::span<const GraphEdge> edges);

}  // namespace agenttalk
