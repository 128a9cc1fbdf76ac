#pragma once

#include <filesystem>
#include <string>

#include "base/error.h"
#include "base/ids.h"
#include "base/issue.h"
#include "cli/verbs/given_files.h"
#include "cli/verbs/hub_team.h"

namespace agenttalk {

// A plan as it lies on the disk: a plan.yaml with the files that it names, or a task_dag.json.
struct PlanSource {
  std::string text;
  bool is_dag = false;  // a task_dag.json
  PlanId plan_id;
  LoadedFiles files;
  Issues issues;  // errors: the rest is not filled in
};

// Checked against the hub's team. An error: the file itself, or one that it names, cannot be read.
Result<PlanSource> LoadPlanSource(const std::filesystem::path& file, HubTeam& hub);

}  // namespace agenttalk
