#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/issue.h"
#include "model/dag/task_dag.h"

namespace agenttalk {

inline constexpr std::size_t kMaxDagNodes = 200'000;

// What is known around a DAG while it is checked.
struct DagContext {
  const std::set<AgentId>* known_agents = nullptr;  // null: not checked; `human` is always known
  std::size_t max_nodes = kMaxDagNodes;
};

// A field of a node in the text it was read from. task_dag.json and plan.yaml spell some of them differently,
// and plan.yaml allows a single value where a list is meant.
struct SourceField {
  std::string_view key;  // static text
  bool is_list = true;
};

struct NodeSource {
  SourceField task_id{"task_id", false};
  SourceField agent{"assigned_agent_id", false};
  SourceField depends_on{"depends_on"};
  SourceField inputs{"inputs"};
  SourceField outputs{"outputs"};
  std::vector<SourceField> receivers;  // `deliver_to` of each output; none: as in task_dag.json
  SourceField gates{"gates", false};
};

// Where the parts of a DAG stand, for pointing at them, and the rules that differ.
struct DagSource {
  std::string_view nodes_key = "nodes";
  std::vector<NodeSource> nodes;  // one for each node, or none: all as in task_dag.json

  // plan.yaml: an output that nobody takes is a deliverable. Otherwise that is refused.
  bool untaken_is_deliverable = false;
  // plan.yaml: the plan's files (paths, perhaps with globs). Given, an input that nothing makes is a warning.
  const std::vector<std::string>* files = nullptr;
};

// Everything about a DAG that no node shows alone: ids, edges, cycles, agents, who makes what and who gets
// it. Completes the DAG on the way, so that nobody needs to infer anything later:
// - `depends_on` gets the tasks whose output is an exact input name,
// - `deliver_to` gets the agents of the tasks that take the output by its exact name and, where nothing is
//   written, of those that match it with a glob and are downstream.
// The cost is linear in the size of the DAG, except for globs: each different pair of agent and glob walks
// what is upstream of it once, within a bound (TOO_LARGE).
void CheckAndCompleteDag(TaskDag& dag, const DagSource& source, const DagContext& context, Issues& issues);

}  // namespace agenttalk
