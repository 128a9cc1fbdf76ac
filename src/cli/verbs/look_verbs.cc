#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/json.h"
#include "base/time.h"
#include "base/utf8.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/hub_call.h"
#include "cli/live/terminal.h"
#include "cli/text/local_time.h"
#include "cli/text/status_text.h"
#include "cli/text/table.h"
#include "cli/verb.h"
#include "cli/verbs/verbs.h"

// The verbs that show: plans, status, agents, questions.
namespace agenttalk {
namespace {

namespace json = boost::json;

constexpr std::uint64_t kPlansInAPage = 50;  // as the hub says

const Parameter kPlan = {.name = "PLAN", .takes = Takes::kOne, .help = "the plan's id"};

// A list that is shown as it is to programs and as a table to people.
Result<ExitCode> ShowList(const Invocation& call, const std::string& method,
                          const std::vector<std::string>& members, const std::string& none,
                          const json::object& parameters = {}) {
  const json::value list = TRY(CallHub(call, method, parameters));
  if (call.json) {
    call.console.Out(CompactJson(list) + "\n");
  } else if (list.as_array().empty()) {
    call.console.Err(none + "\n");
  } else {
    call.console.Out(FittedToTerminal(ObjectTable(list.as_array(), members, call.console.colors_out())));
  }
  return ExitCode::kDone;
}

Result<ExitCode> ListPlans(const Invocation& call) {
  json::object parameters;
  for (const char* name : {"state", "since", "text", "tag", "after"}) {
    const std::string value = call.arguments.Get(fmt::format("--{}", name));
    if (!value.empty()) parameters[name] = value;
  }
  const std::string limit = call.arguments.Get("--limit");
  std::uint64_t most = kPlansInAPage;
  if (!limit.empty()) {
    const auto [end, error] = std::from_chars(limit.data(), limit.data() + limit.size(), most);
    if (error != std::errc() || end != limit.data() + limit.size()) {
      return Fail(ErrorCode::kUsage, fmt::format("--limit {} is no number", limit));
    }
    parameters["limit"] = most;
  }
  const json::value list = TRY(CallHub(call, "plans", parameters));
  const json::array& plans = list.as_array();
  if (call.json) {
    call.console.Out(CompactJson(list) + "\n");
    return ExitCode::kDone;
  }
  if (plans.empty()) {
    call.console.Err(parameters.empty() ? "no plans yet; `agenttalk run plan.yaml` starts one\n"
                                        : "no such plans\n");
    return ExitCode::kDone;
  }
  const bool tagged =
      std::ranges::any_of(plans, [](const json::value& plan) { return !plan.at("tags").as_array().empty(); });
  std::vector<std::vector<std::string>> rows = {{"plan", "state", "tasks", "updated"}};
  if (tagged) rows.front().emplace_back("tags");
  rows.front().emplace_back("goal");
  for (const json::value& plan : plans) {
    const std::string state = CellText(plan.at("state"));
    const bool stopped = state == "running" && !plan.at("active").as_bool();  // as `status` says it
    rows.push_back(
        {CellText(plan.at("plan_id")), stopped ? "stopped" : state,
         fmt::format("{} of {}", CellText(plan.at("tasks_completed")), CellText(plan.at("tasks_total"))),
         LocalTimeText(CellText(plan.at("updated_at")))});
    if (tagged) rows.back().push_back(CellText(plan.at("tags")));
    rows.back().push_back(CellText(plan.at("goal")));
  }
  call.console.Out(FittedToTerminal(TableText(rows, call.console.colors_out())));
  if (plans.size() == most) {
    call.console.Err(fmt::format("more: add --after {}\n", CellText(plans.back().as_object().at("plan_id"))));
  }
  return ExitCode::kDone;
}

// What to type.
std::string HowToAnswer(const json::object& question) {
  const std::string answer = "agenttalk answer " + CellText(question.at("id"));
  if (question.at("choices").as_array().empty()) return fmt::format("Answer: {} \"TEXT\"", answer);
  return fmt::format("Answer: {0} --approve, or {0} --reject \"REASON\"", answer);
}

// A question, or an alert, with everything that it is about; a table would cut it.
void TellQuestion(const Invocation& call, const json::object& question) {
  const bool alert = CellText(question.at("kind")) == "alert";
  const std::string plan = CellText(question.at("plan_id"));
  const std::string deadline = CellText(question.at("deadline"));
  std::string head = CellText(question.at("id"));
  if (!alert) head += "  " + CellText(question.at("kind"));
  if (!plan.empty()) head += "  " + plan;
  if (!CellText(question.at("from")).empty()) head += "  from " + CellText(question.at("from"));
  if (alert) head += "  " + LocalTimeText(CellText(question.at("asked_at")));
  if (!deadline.empty() && !alert) head += "  until " + LocalTimeText(deadline);
  call.console.Out(Styled(head, Style::kYellow, call.console.colors_out()) + "\n");
  std::string text = "  " + CellText(question.at("text"));
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 3)
    text.replace(at, 1, "\n  ");
  call.console.Out(WithoutControls(text) + "\n");
  if (!alert) call.console.Out("  " + HowToAnswer(question) + "\n\n");
}

Result<ExitCode> ShowQuestions(const Invocation& call) {
  const json::value list = TRY(CallHub(call, "questions", {}));
  if (call.json) {
    call.console.Out(json::serialize(list) + "\n");
    return ExitCode::kDone;
  }
  json::array alerts;
  bool asked = false;
  for (const json::value& one : list.as_array()) {
    if (CellText(one.at("kind")) == "alert") {
      alerts.push_back(one);
    } else {
      TellQuestion(call, one.as_object());
      asked = true;
    }
  }
  if (!asked) call.console.Err("no open questions\n");
  if (alerts.empty()) return ExitCode::kDone;
  call.console.Out("Alerts (they need no answer and close by themselves):\n");
  for (const json::value& alert : alerts) TellQuestion(call, alert.as_object());
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
          .summary = "Lists the plans of the hub, newest first.",
          .example =
              "agenttalk plans --state failed --since 7d\n"
              "agenttalk plans --text report --json",
          .parameters =
              {{.name = "--state",
                .takes = Takes::kValue,
                .help = "only plans in this state",
                .value = "STATE",
                .choices = {"running", "waiting", "paused", "completed", "failed", "cancelled"}},
               {.name = "--since",
                .takes = Takes::kValue,
                .help = "only plans that changed since then: a time, or how long ago (7d, 12h)",
                .value = "TIME"},
               {.name = "--text",
                .takes = Takes::kValue,
                .help = "only plans whose id or goal contains this",
                .value = "TEXT"},
               {.name = "--tag", .takes = Takes::kValue, .help = "only plans with this tag", .value = "TAG"},
               {.name = "--limit",
                .takes = Takes::kValue,
                .help = "how many plans to list: 1 to 1000 (default: 50)",
                .value = "N"},
               {.name = "--after",
                .takes = Takes::kValue,
                .help = "the next page: continue after this plan, the last one of the page before",
                .value = "PLAN"}},
          .run = ListPlans};
}

Verb StatusVerb() {
  return {.name = "status",
          .summary = "Shows the progress of a plan and what it is waiting for.",
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
                            "no agents yet; add some to agenttalk.yaml");
          }};
}

Verb QuestionsVerb() {
  return {.name = "questions",
          .summary = "Lists open questions and approvals, and alerts apart from them.",
          .example = "agenttalk questions --json",
          .parameters = {},
          .run = ShowQuestions};
}

}  // namespace agenttalk
