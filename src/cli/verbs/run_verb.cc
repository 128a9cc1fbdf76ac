#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "api/goal_requests.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/issue.h"
#include "base/json.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/text/issue_text.h"
#include "cli/verb.h"
#include "cli/verbs/given_files.h"
#include "cli/verbs/hub_team.h"
#include "cli/verbs/plan_run.h"
#include "cli/verbs/plan_source.h"
#include "cli/verbs/run_target.h"
#include "cli/verbs/verbs.h"

namespace agenttalk {
namespace {

namespace json = boost::json;
namespace fs = std::filesystem;

std::string Author() {
  const char* user = std::getenv("USER");
  return user == nullptr || *user == 0 ? "run" : user;
}

json::array TagsOf(const Invocation& call) {
  const std::vector<std::string> tags = call.arguments.All("--tag");
  return json::array(tags.begin(), tags.end());
}

json::object RequestOf(const Invocation& call, const PlanSource& source) {
  json::object request{{source.is_dag ? "dag" : "plan", source.text},
                       {"fresh", call.arguments.Has("--fresh")},
                       {"reason", call.arguments.Get("--reason")}};
  request["author"] = Author();
  if (call.arguments.Has("--keep")) request["if_changed"] = "keep";
  if (call.arguments.Has("--replace")) request["if_changed"] = "replace";
  request["files"] = FilesOfRequest(source.files);
  request["tags"] = TagsOf(call);
  return request;
}

ExitCode Refuse(const Invocation& call, const std::string& file, const PlanSource& source) {
  const Issue& first = source.issues.errors.front();
  if (call.json) {
    const json::object report{
        {"error", {{"code", ToString(first.code)}, {"message", first.message}, {"hint", first.hint}}},
        {"errors", ToJson(source.issues.errors)},
        {"warnings", ToJson(source.issues.warnings)}};
    call.console.Out(CompactJson(report) + "\n");
  } else {
    call.console.Err(fmt::format("agenttalk: {} has errors; nothing was run\n", file));
    for (const Issue& issue : WithoutConsequences(source.issues.errors)) {
      call.console.Err(ToText(issue, true, call.console.colors_err()));
    }
  }
  return ExitCode::kInvalid;
}

constexpr const char* kFileHint = "give --file a file, a folder, or a pattern such as 'notes/*.md'";

// --file beside --plan: a file takes the place of the plan's own of that name.
Result<void> AddFiles(const Invocation& call, LoadedFiles& files) {
  for (auto& [name, bytes] : TRY(LoadGivenFiles({}, call.arguments.All("--file"), kFileHint))) {
    const auto known = std::ranges::find(files, name, &LoadedFiles::value_type::first);
    if (known == files.end()) {
      files.emplace_back(name, std::move(bytes));
    } else {
      known->second = std::move(bytes);
    }
  }
  return {};
}

Result<ExitCode> RunPlanFile(const Invocation& call, const fs::path& directory, const std::string& file) {
  HubTeam view(directory);
  PlanSource source = TRY(LoadPlanSource(file, view));
  if (!source.issues.ok()) return Refuse(call, file, source);
  TRY(AddFiles(call, source.files));
  for (const Issue& warning : source.issues.warnings) {
    call.console.Err(ToText(warning, false, call.console.colors_err()));
  }
  return RunPlan(call, directory,
                 {"plan/run", RequestOf(call, source), source.plan_id, "agenttalk run " + file});
}

Result<ExitCode> RunKnownPlan(const Invocation& call, const fs::path& directory, const std::string& plan) {
  for (const char* option : {"--file", "--tag"}) {
    if (!call.arguments.Has(option)) continue;
    return Fail(ErrorCode::kUsage,
                fmt::format("{} exists, and {} is for plan files and new goals", plan, option),
                fmt::format("run its plan file with {}, or the goal in the same words", option));
  }
  return RunPlan(call, directory,
                 {"plan/continue",
                  {{"plan_id", plan},
                   {"fresh", call.arguments.Has("--fresh")},
                   {"reason", call.arguments.Get("--reason")},
                   {"author", Author()}},
                  PlanId(plan),
                  "agenttalk run " + plan});
}

Result<ExitCode> RunGoal(const Invocation& call, const fs::path& directory, const std::string& goal) {
  const LoadedFiles files = TRY(LoadGivenFiles({}, call.arguments.All("--file"), kFileHint));
  return RunPlan(call, directory,
                 {"goal",
                  {{"goal", goal},
                   {"fresh", call.arguments.Has("--fresh")},
                   {"files", FilesOfRequest(files)},
                   {"tags", TagsOf(call)},
                   {"author", Author()}},
                  PlanIdOfGoal(goal),
                  "agenttalk run " + PlanIdOfGoal(goal).str()});
}

Result<ExitCode> Run(const Invocation& call) {
  const bool has_target = call.arguments.Has("GOAL");
  if (has_target == call.arguments.Has("--plan")) {
    return Fail(ErrorCode::kUsage,
                has_target ? "run takes either a goal, plan or file, or --plan FILE, not both"
                           : "run needs a goal, a plan or a plan file",
                "e.g. `agenttalk run plan.yaml`, `agenttalk run plan_weekly-report`, or "
                "`agenttalk run \"A page about bees\"`");
  }
  if (call.arguments.Has("--keep") && call.arguments.Has("--replace")) {
    return Fail(ErrorCode::kUsage, "--keep and --replace exclude each other", "give one of the two");
  }
  const fs::path directory = TRY(call.Hub());
  if (!has_target) return RunPlanFile(call, directory, call.arguments.Get("--plan"));
  const RunTarget target = TRY(FindRunTarget(call, directory, call.arguments.Get("GOAL")));
  switch (target.kind) {
    case RunTarget::Kind::kFile:
      return RunPlanFile(call, directory, target.text);
    case RunTarget::Kind::kPlan:
      return RunKnownPlan(call, directory, target.text);
    case RunTarget::Kind::kGoal:
      break;
  }
  return RunGoal(call, directory, target.text);
}

}  // namespace

Verb RunVerb() {
  return {.name = "run",
          .summary = "Runs a goal, a plan file or an existing plan until it ends.",
          .example =
              "agenttalk run plan.yaml\n"
              "agenttalk run \"A one-page report on our notes\" --file notes/ --file sales.csv\n"
              "agenttalk run plan_weekly-report",
          .parameters = WithRunParameters(
              {{.name = "GOAL",
                .takes = Takes::kOptional,
                .help = "a goal in words (in quotes), the id of an existing plan, or a plan file",
                .value = "GOAL|PLAN|FILE",
                .completes = Completes::kFile},
               {.name = "--plan",
                .takes = Takes::kValue,
                .help = "a plan.yaml or task_dag.json; a changed file becomes a new revision of its plan",
                .value = "FILE",
                .completes = Completes::kFile,
                .rare = true},
               {.name = "--file",
                .takes = Takes::kValues,
                .help = "a file for the work, a folder, or a pattern in quotes; as often as needed",
                .value = "F",
                .completes = Completes::kFile},
               {.name = "--tag",
                .takes = Takes::kValues,
                .help = "a word by which `plans --tag` finds the plan again; as often as needed",
                .value = "TAG",
                .rare = true},
               {.name = "--fresh",
                .takes = Takes::kFlag,
                .help = "run every task again and reuse no recorded answer"},
               {.name = "--keep",
                .takes = Takes::kFlag,
                .help = "if both the plan and its file have changed, continue with the plan as it is"},
               {.name = "--replace",
                .takes = Takes::kFlag,
                .help = "if both the plan and its file have changed, take the file"},
               {.name = "--reason",
                .takes = Takes::kValue,
                .help = "why the plan changes; kept in its history",
                .value = "TEXT",
                .rare = true}}),
          .run = Run};
}

}  // namespace agenttalk
