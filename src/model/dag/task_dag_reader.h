#pragma once

#include <boost/json/fwd.hpp>
#include <cstddef>
#include <string_view>

#include "model/dag/checker.h"
#include "model/dag/task_dag.h"
#include "model/reading/checked.h"

namespace agenttalk {

// 200,000 nodes of a kilobyte each, and some room.
inline constexpr std::size_t kMaxDagBytes = std::size_t{256} << 20;

// Reads, validates and completes (see dag_checker.h) a task_dag.json of version 1.0 or 1.1.
Checked<TaskDag> ReadTaskDag(const boost::json::value& value, const DagContext& context = {});
Checked<TaskDag> ParseTaskDag(std::string_view text, const DagContext& context = {});

}  // namespace agenttalk
