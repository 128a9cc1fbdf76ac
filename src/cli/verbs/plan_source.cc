#include "cli/verbs/plan_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/glob.h"
#include "cli/text_file.h"
#include "cli/verbs/hub_team.h"
#include "model/config/hub_config.h"
#include "model/dag/checker.h"
#include "model/dag/plan_file.h"
#include "model/dag/task_dag_reader.h"

namespace agenttalk {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestFile = 64 * kMebibyte;

// The files that a path, perhaps with a glob as its last part, stands for, in order.
Result<std::vector<fs::path>> Expand(const fs::path& directory, const std::string& pattern) {
  const fs::path path = directory / pattern;
  const std::string name = path.filename().string();
  if (!IsGlob(name)) return std::vector<fs::path>{path};
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator at(path.parent_path(), error), end; !error && at != end; at.increment(error)) {
    const std::string entry = at->path().filename().string();
    if (GlobMatches(name, entry) && fs::is_regular_file(at->path(), error)) found.push_back(at->path());
  }
  if (found.empty()) {
    return Fail(ErrorCode::kNotFound, fmt::format("no file matches {}", path.string()),
                "correct `files` in the plan; paths are relative to the plan file");
  }
  std::ranges::sort(found);
  return found;
}

Result<void> LoadFiles(const fs::path& directory, const std::vector<std::string>& patterns,
                       PlanSource& source) {
  std::set<std::string> names;
  std::set<fs::path> read;
  for (const std::string& pattern : patterns) {
    for (const fs::path& file : TRY(Expand(directory, pattern))) {
      if (!read.insert(file).second) continue;
      const std::string name = file.filename().string();
      if (!names.insert(name).second) {
        return Fail(ErrorCode::kValueInvalid, fmt::format("two files of the plan are called {}", name),
                    "tasks know files by their base name: rename one");
      }
      source.files.emplace_back(name, TRY(ReadTextFile(file.string(), kLargestFile)));
    }
  }
  return {};
}

}  // namespace

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
  TRY(LoadFiles(file.parent_path(), plan.value->files, source));
  return source;
}

}  // namespace agenttalk
