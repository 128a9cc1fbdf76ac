#pragma once

#include <cstdint>
#include <string_view>

#include "model/dag/checker.h"
#include "model/dag/task_dag.h"
#include "model/reading/object_reader.h"

namespace agenttalk {

// How a node is written. A plan file may say everything as task_dag.json does, and shorter: `id`, `agent`,
// `needs`, `retry`, `gate`, `to`, `rework`, durations like 10m, one value where a list is meant.
enum class NodeDialect : std::uint8_t { kDagFile, kPlanFile };

// Reads what a node says on its own; what it has to do with other nodes is the checker's (dag_checker.h). The
// source tells where the fields stood.
TaskNode ReadTaskNode(ObjectReader& reader, NodeDialect dialect, NodeSource& source);

// Reads the required list of nodes under `key` into dag and source; more nodes than the context allows are
// TOO_LARGE and not read. Items that are no objects leave an empty node, so that positions stay those of the
// text.
void ReadNodes(ObjectReader& reader, std::string_view key, NodeDialect dialect, const DagContext& context,
               TaskDag& dag, DagSource& source);

}  // namespace agenttalk
