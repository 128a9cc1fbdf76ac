#include <boost/json.hpp>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>

#include "api/goal_requests.h"
#include "base/base64.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/issue.h"
#include "base/json.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/text/issue_text.h"
#include "cli/verb.h"
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

json::object RequestOf(const Invocation& call, const PlanSource& source) {
  json::object request{{source.is_dag ? "dag" : "plan", source.text},
                       {"fresh", call.arguments.Has("--fresh")},
                       {"reason", call.arguments.Get("--reason")}};
  request["author"] = Author();
  if (call.arguments.Has("--keep")) request["if_changed"] = "keep";
  if (call.arguments.Has("--replace")) request["if_changed"] = "replace";
  json::array files;
  for (const auto& [name, bytes] : source.files) {
    files.push_back(json::object{{"name", name}, {"content_base64", EncodeBase64(bytes)}});
  }
  request["files"] = std::move(files);
  return request;
}

ExitCode Refuse(const Invocation& call, const PlanSource& source) {
  const Issue& first = source.issues.errors.front();
  if (call.json) {
    const json::object report{
        {"error", {{"code", ToString(first.code)}, {"message", first.message}, {"hint", first.hint}}},
        {"errors", ToJson(source.issues.errors)},
        {"warnings", ToJson(source.issues.warnings)}};
    call.console.Out(CompactJson(report) + "\n");
  } else {
    for (const Issue& issue : source.issues.errors) {
      call.console.Err(ToText(issue, true, call.console.colors_err()));
    }
  }
  return ExitCode::kInvalid;
}

Result<ExitCode> RunPlanFile(const Invocation& call, const fs::path& directory, const std::string& file) {
  HubTeam view(directory);
  const PlanSource source = TRY(LoadPlanSource(file, view));
  if (!source.issues.ok()) return Refuse(call, source);
  for (const Issue& warning : source.issues.warnings) {
    call.console.Err(ToText(warning, false, call.console.colors_err()));
  }
  return RunPlan(call, directory,
                 {"plan/run", RequestOf(call, source), source.plan_id, "agenttalk run " + file});
}

Result<ExitCode> RunKnownPlan(const Invocation& call, const fs::path& directory, const std::string& plan) {
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
  return RunPlan(call, directory,
                 {"goal",
                  {{"goal", goal}, {"fresh", call.arguments.Has("--fresh")}, {"author", Author()}},
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
              "agenttalk run \"A one-page report on our notes\"\n"
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
