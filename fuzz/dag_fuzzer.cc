// task_dag.json: whatever comes in, reading ends with a DAG or with errors that say something; what is
// accepted can be ordered, and is the same after it was written and read again.
#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/issue.h"
#include "base/json.h"
#include "model/dag/task_dag.h"
#include "model/dag/task_dag_reader.h"
#include "model/dag/task_graph.h"

namespace agenttalk {
namespace {

void CheckOrder(const TaskDag& dag) {
  const TaskGraph graph(dag);
  const std::vector<TaskGraph::Index> order = graph.TopologicalOrder();
  CHECK(order.size() == dag.nodes.size());
  std::vector<bool> done(order.size());
  for (const TaskGraph::Index node : order) {
    for (const TaskGraph::Index dependency : graph.DependenciesOf(node)) CHECK(done[dependency]);
    done[node] = true;
  }
}

void CheckReading(std::string_view text) {
  const auto dag = ParseTaskDag(text);
  CHECK(dag.value.has_value() == dag.issues.ok());
  for (const Issue& error : dag.issues.errors) CHECK(!error.message.empty());
  if (!dag) return;
  CheckOrder(*dag);
  const std::string written = CanonicalJson(ToJson(*dag));
  const auto again = ParseTaskDag(written);
  CHECK(again && *again == *dag);
  CHECK(CanonicalJson(ToJson(*again)) == written);
}

}  // namespace
}  // namespace agenttalk

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  agenttalk::CheckReading({reinterpret_cast<const char*>(data), size});
  return 0;
}
