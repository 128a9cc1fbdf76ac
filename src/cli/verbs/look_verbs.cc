#include <fmt/format.h>

#include <boost/json.hpp>
#include <chrono>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "base/time.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/hub_call.h"
#include "cli/live/terminal.h"
#include "cli/text/status_text.h"
#include "cli/verb.h"
#include "cli/verbs/verbs.h"

// The verbs that show: plans, status, agents, questions.
namespace agenttalk {
namespace {

namespace json = boost::json;

const Parameter kPlan = {.name = "PLAN", .takes = Takes::kOne, .help = "the plan's id"};

// A list that is shown as it is to programs and as a table to people.
Result<ExitCode> ShowList(const Invocation& call, const std::string& method,
                          const std::vector<std::string>& members, const std::string& none) {
  const json::value list = TRY(CallHub(call, method, {}));
  if (call.json) {
    call.console.Out(CompactJson(list) + "\n");
  } else if (list.as_array().empty()) {
    call.console.Err(none + "\n");
  } else {
    call.console.Out(FittedToTerminal(ObjectTable(list.as_array(), members, call.console.colors_out())));
  }
  return ExitCode::kDone;
}

Result<ExitCode> Status(const Invocation& call) {
  const json::value status = TRY(CallHub(call, "status", {{"plan_id", call.arguments.Get("PLAN")}}));
  const auto now = std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
  call.console.Out(call.json ? CompactJson(status) + "\n"
                             : FittedToTerminal(StatusText(status.as_object(), ToRfc3339(now),
                                                           call.console.colors_out())));
  return ExitCode::kDone;
}

}  // namespace

Verb PlansVerb() {
  return {.name = "plans",
          .summary = "Lists the plans.",
          .example = "agenttalk plans --json",
          .parameters = {},
          .run = [](const Invocation& call) {
            return ShowList(call, "plans",
                            {"plan_id", "state", "tasks_completed", "tasks_total", "updated_at"},
                            "there are no plans yet");
          }};
}

Verb StatusVerb() {
  return {.name = "status",
          .summary = "Shows how far a plan is, and what it waits for.",
          .example = "agenttalk status plan_weekly-report",
          .parameters = {kPlan},
          .run = Status};
}

Verb AgentsVerb() {
  return {.name = "agents",
          .summary = "Lists the agents and what they are doing.",
          .example = "agenttalk agents",
          .parameters = {},
          .run = [](const Invocation& call) {
            return ShowList(call, "agents",
                            {"agent_id", "name", "state", "running", "waiting", "capabilities"},
                            "there are no agents; add some to agenttalk.yaml");
          }};
}

Verb QuestionsVerb() {
  return {.name = "questions",
          .summary = "Lists what people are asked.",
          .example = "agenttalk questions --json",
          .parameters = {},
          .run = [](const Invocation& call) {
            return ShowList(call, "questions", {"id", "plan_id", "kind", "from", "text", "deadline"},
                            "nobody asks anything");
          }};
}

}  // namespace agenttalk
