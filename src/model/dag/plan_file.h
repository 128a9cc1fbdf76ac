#pragma once

#include <boost/json/fwd.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "model/content/plan_tags.h"
#include "model/dag/checker.h"
#include "model/dag/task_dag.h"
#include "model/reading/checked.h"

namespace agenttalk {

inline constexpr std::size_t kMaxPlanBytes = std::size_t{64} << 20;

// What people write as plan.yaml (docs/formats/plan.md), compiled: the DAG is complete and valid.
struct PlanFile {
  PlanId plan_id;
  std::string goal;
  std::vector<std::string> files;  // paths or globs, relative to the plan file
  std::optional<PlanTags> tags = {};
  TaskDag dag;

  bool operator==(const PlanFile&) const = default;
};

// The issues carry the line they stand on.
Checked<PlanFile> ParsePlanFile(std::string_view yaml, const DagContext& context = {});
// The same from a value; pointers, no lines.
Checked<PlanFile> ReadPlanFile(const boost::json::value& value, const DagContext& context = {});

// The agents whose tasks list a file of this base name as an input, each once, in the order of the tasks: who
// gets one of the plan's files.
std::vector<AgentId> AgentsTaking(const TaskDag& dag, std::string_view file_name);

}  // namespace agenttalk
