#include "cli/verbs/plan_source.h"

#include <filesystem>
#include <utility>

#include "base/error.h"
#include "cli/text_file.h"
#include "cli/verbs/given_files.h"
#include "cli/verbs/hub_team.h"
#include "model/dag/checker.h"
#include "model/dag/plan_file.h"
#include "model/dag/task_dag_reader.h"

namespace agenttalk {

namespace fs = std::filesystem;

Result<PlanSource> LoadPlanSource(const fs::path& file, HubTeam& hub) {
  PlanSource source;
  source.is_dag = file.extension() == ".json";
  source.text = TRY(ReadTextFile(file.string(), source.is_dag ? kMaxDagBytes : kMaxPlanBytes));
  const DagContext context{.known_agents = hub.Agents()};
  if (source.is_dag) {
    auto dag = ParseTaskDag(source.text, context);
    source.issues = std::move(dag.issues);
    if (dag.value) source.plan_id = dag.value->plan_id;
    return source;
  }
  auto plan = ParsePlanFile(source.text, context);
  source.issues = std::move(plan.issues);
  if (!plan.value) return source;
  source.plan_id = plan.value->plan_id;
  source.files = TRY(LoadGivenFiles(file.parent_path(), plan.value->files,
                                    "correct `files` in the plan; paths are relative to the plan file"));
  return source;
}

}  // namespace agenttalk
