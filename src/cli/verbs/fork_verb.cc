#include <fmt/format.h>

#include <boost/json.hpp>
#include <cstdlib>
#include <expected>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/json.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/hub_call.h"
#include "cli/verb.h"
#include "cli/verbs/plan_run.h"
#include "cli/verbs/verbs.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

// The first of plan_x-fork1, plan_x-fork2 … that is free.
Result<std::string> FreeName(const Invocation& call, const std::string& plan) {
  for (int number = 1;; ++number) {
    std::string name = fmt::format("{}-fork{}", plan, number);
    const auto taken = CallHub(call, "plan/find", {{"plan_id", name}});
    if (taken) continue;
    if (taken.error().code != ErrorCode::kPlanUnknown) return std::unexpected(taken.error());
    return name;
  }
}

// Ids of plans begin with "plan_", whoever names them.
std::string AsPlanId(const std::string& name) {
  return name.starts_with("plan_") ? name : "plan_" + name;
}

Result<ExitCode> Fork(const Invocation& call) {
  if (!call.arguments.Has("--from")) {
    return Fail(ErrorCode::kUsage, "from which task on?",
                fmt::format("say --from TASK; see `agenttalk status {}`", call.arguments.Get("PLAN")));
  }
  const json::value found =
      TRY(CallHub(call, "plan/find", {{"plan_id", call.arguments.Get("PLAN")}, {"beginning", true}}));
  const std::string plan = CellText(found.at("plan_id"));
  const std::string given = call.arguments.Get("--as");
  const std::string name = given.empty() ? TRY(FreeName(call, plan)) : AsPlanId(given);
  json::object request{{"plan_id", plan},
                       {"from", call.arguments.Get("--from")},
                       {"as", name},
                       {"prompt", call.arguments.Get("--prompt")},
                       {"model", call.arguments.Get("--model")},
                       {"agent", call.arguments.Get("--agent")},
                       {"reason", call.arguments.Get("--reason")}};
  const char* user = std::getenv("USER");
  request["author"] = user == nullptr || *user == 0 ? "fork" : user;
  if (!call.arguments.Has("--no-run")) {
    return RunPlan(call, TRY(call.Hub()),
                   {"fork", std::move(request), PlanId(name), "agenttalk run " + name});
  }
  const json::value made = TRY(CallHub(call, "fork", std::move(request)));
  if (call.json) {
    call.console.Out(CompactJson(made) + "\n");
  } else {
    call.console.Out(fmt::format("{0}: {1} tasks kept, {2} to run; `agenttalk run {0}` runs them\n",
                                 CellText(made.at("plan_id")), CellText(made.at("tasks_kept")),
                                 CellText(made.at("tasks_again"))));
  }
  return ExitCode::kDone;
}

}  // namespace

Verb ForkVerb() {
  return {
      .name = "fork",
      .summary = "Copies a plan and runs the copy from a chosen task on.",
      .example = "agenttalk fork plan_weekly-report --from write --prompt \"Write it shorter.\"",
      .parameters = WithRunParameters(
          {{.name = "PLAN", .takes = Takes::kOne, .help = "the plan's id"},
           {.name = "--from",
            .takes = Takes::kValue,
            .help = "the first task to be executed again; what does not depend on it is taken over",
            .value = "TASK"},
           {.name = "--prompt", .takes = Takes::kValue, .help = "another prompt for it", .value = "TEXT"},
           {.name = "--model", .takes = Takes::kValue, .help = "another model for it", .value = "MODEL"},
           {.name = "--agent", .takes = Takes::kValue, .help = "another agent for it", .value = "AGENT"},
           {.name = "--as",
            .takes = Takes::kValue,
            .help = "the new plan's id; otherwise PLAN-fork1, PLAN-fork2 …",
            .value = "ID",
            .rare = true},
           {.name = "--reason",
            .takes = Takes::kValue,
            .help = "why, for the new plan's history",
            .value = "TEXT",
            .rare = true},
           {.name = "--no-run", .takes = Takes::kFlag, .help = "record it, do not run it", .rare = true}}),
      .run = Fork};
}

}  // namespace agenttalk
