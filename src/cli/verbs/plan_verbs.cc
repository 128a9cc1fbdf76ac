#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/json.h"
#include "base/utf8.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/hub_call.h"
#include "cli/text/table.h"
#include "cli/text_file.h"
#include "cli/verb.h"
#include "cli/verbs/verbs.h"
#include "model/answer/thinking_command.h"

// A plan's tasks by hand: plan show, append, reset, replace, finish, apply.
namespace agenttalk {
namespace {

namespace json = boost::json;

constexpr std::size_t kLongestCell = 60;
constexpr std::size_t kLargestBatchFile = 4 * kLongestThinkingBatch;

const Parameter kPlanId = {.name = "PLAN", .takes = Takes::kOne, .help = "the plan's id"};
const Parameter kTaskId = {.name = "--task", .takes = Takes::kValue, .help = "the task's id", .value = "ID"};
const Parameter kNeeds = {.name = "--needs",
                          .takes = Takes::kValues,
                          .help = "the tasks that must be finished before it, separated by commas",
                          .value = "A,B"};
const Parameter kInstruction = {
    .name = "--instruction", .takes = Takes::kValue, .help = "what to do", .value = "TEXT"};
const Parameter kAssignee = {
    .name = "--assignee", .takes = Takes::kValue, .help = "the agent who does it", .value = "AGENT"};
const Parameter kRevision = {.name = "--revision",
                             .takes = Takes::kValue,
                             .help = "change the plan only if it is still at this revision",
                             .value = "N"};
const Parameter kReason = {
    .name = "--reason", .takes = Takes::kValue, .help = "for the plan's history", .value = "TEXT"};

std::string Shortened(const std::string& text) {
  std::string line = text.substr(0, text.find('\n'));
  const std::string_view kept = Utf8Prefix(line, kLongestCell);
  return kept.size() < text.size() ? std::string(kept) + "…" : line;
}

void PrintTasks(const Invocation& call, const json::value& shown) {
  if (call.json) {
    call.console.Out(CompactJson(shown) + "\n");
    return;
  }
  const json::object& plan = shown.as_object();
  call.console.Out(
      fmt::format("{}: revision {}\n", CellText(plan.at("plan_id")), CellText(plan.at("revision"))));
  std::vector<std::vector<std::string>> rows = {
      {"TASK", "STATE", "NEEDS", "ASSIGNEE", "INSTRUCTION", "RESULT"}};
  for (const json::value& item : plan.at("tasks").as_array()) {
    const json::object& task = item.as_object();
    const bool current = task.at("task_id") == plan.at("current_task_id");
    rows.push_back({CellText(task.at("task_id")),
                    task.at("is_finished").as_bool() ? "finished"
                    : current                        ? "current"
                                                     : "open",
                    CellText(task.at("dependent_task_ids")), CellText(task.at("assignee")),
                    Shortened(CellText(task.at("instruction"))), Shortened(CellText(task.at("result")))});
  }
  call.console.Out(TableText(rows, call.console.colors_out()));
}

ExitCode PrintRefusal(const Invocation& call, const json::value& refusal) {
  if (call.json) {
    call.console.Out(CompactJson(refusal) + "\n");
    return ExitCode::kInvalid;
  }
  call.console.Err("refused; nothing was changed\n");
  for (const json::value& item : refusal.at("errors").as_array()) {
    const json::object& issue = item.as_object();
    call.console.Err(fmt::format("  {} {}: {}\n", CellText(issue.at("code")), CellText(issue.at("path")),
                                 CellText(issue.at("message"))));
    const std::string hint = CellText(issue.at("hint"));
    if (!hint.empty()) call.console.Err(fmt::format("    hint: {}\n", hint));
  }
  return ExitCode::kInvalid;
}

Result<json::value> ReadRevision(const std::string& text) {
  if (text.empty()) return json::value();
  const auto number = ParseJson(text);
  if (!number || !number->is_number() || text.find_first_not_of("0123456789") != std::string::npos) {
    return Fail(ErrorCode::kUsage, "--revision is a whole number", "see `agenttalk plan show`");
  }
  return *number;
}

// One batch, and the plan after it.
Result<ExitCode> ChangePlanBy(const Invocation& call, json::value commands) {
  json::object parameters{{"plan_id", call.arguments.Get("PLAN")},
                          {"commands", std::move(commands)},
                          {"reason", call.arguments.Get("--reason")},
                          {"expected_revision", TRY(ReadRevision(call.arguments.Get("--revision")))}};
  const json::value result = TRY(CallHub(call, "plan/apply", std::move(parameters)));
  if (result.as_object().contains("errors")) return PrintRefusal(call, result);
  PrintTasks(call, result);
  return ExitCode::kDone;
}

Result<std::string> Required(const Invocation& call, const char* option) {
  std::string value = call.arguments.Get(option);
  if (value.empty()) {
    return Fail(ErrorCode::kUsage, fmt::format("{} is missing", option),
                fmt::format("add {} …; `agenttalk plan show {}` lists the tasks", option,
                            call.arguments.Get("PLAN")));
  }
  return value;
}

json::array SplitIds(const std::vector<std::string>& lists) {
  json::array ids;
  for (const std::string& list : lists) {
    std::string_view rest = list;
    while (!rest.empty()) {
      const std::size_t comma = std::min(rest.find(','), rest.size());
      if (comma > 0) ids.emplace_back(rest.substr(0, comma));
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
  }
  return ids;
}

json::array OneCommand(const char* name, json::object args) {
  return {json::object{{"command_name", name}, {"args", std::move(args)}}};
}

Result<ExitCode> AppendByHand(const Invocation& call) {
  json::object args{{"task_id", TRY(Required(call, "--task"))},
                    {"dependent_task_ids", SplitIds(call.arguments.All("--needs"))},
                    {"instruction", TRY(Required(call, "--instruction"))},
                    {"assignee", TRY(Required(call, "--assignee"))}};
  return ChangePlanBy(call, OneCommand("append_task", std::move(args)));
}

Result<ExitCode> ResetByHand(const Invocation& call) {
  return ChangePlanBy(call, OneCommand("reset_task", {{"task_id", TRY(Required(call, "--task"))}}));
}

// What is not said stays as it is.
Result<ExitCode> ReplaceByHand(const Invocation& call) {
  const std::string id = TRY(Required(call, "--task"));
  const json::value shown = TRY(CallHub(call, "plan/show", {{"plan_id", call.arguments.Get("PLAN")}}));
  json::value needs = json::array();
  std::string instruction = call.arguments.Get("--instruction");
  std::string assignee = call.arguments.Get("--assignee");
  for (const json::value& item : shown.at("tasks").as_array()) {
    if (CellText(item.at("task_id")) != id) continue;
    needs = item.at("dependent_task_ids");
    if (instruction.empty()) instruction = CellText(item.at("instruction"));
    if (assignee.empty()) assignee = CellText(item.at("assignee"));
  }
  if (call.arguments.Has("--needs")) needs = SplitIds(call.arguments.All("--needs"));
  json::object args{{"task_id", id}, {"new_dependent_task_ids", std::move(needs)}};
  if (!instruction.empty()) args["new_instruction"] = instruction;
  if (!assignee.empty()) args["new_assignee"] = assignee;
  return ChangePlanBy(call, OneCommand("replace_task", std::move(args)));
}

Result<ExitCode> FinishByHand(const Invocation& call) {
  json::object args;
  if (call.arguments.Has("--result")) args["result"] = call.arguments.Get("--result");
  return ChangePlanBy(call, OneCommand("finish_current_task", std::move(args)));
}

Result<ExitCode> ApplyFile(const Invocation& call) {
  const std::string text = TRY(ReadTextFile(call.arguments.Get("FILE"), kLargestBatchFile));
  auto commands = ParseJson(text, {kLargestBatchFile, JsonLimits{}.max_depth});
  if (!commands) return std::unexpected(commands.error());
  // As models write it, too: {"commands": […]}.
  if (commands->is_object() && commands->get_object().contains("commands")) {
    return ChangePlanBy(call, commands->get_object().at("commands"));
  }
  return ChangePlanBy(call, *std::move(commands));
}

}  // namespace

Verb PlanShowVerb() {
  return {.name = "plan show",
          .summary = "Shows a plan's tasks in the order in which they can run.",
          .example = "agenttalk plan show plan_weekly-report --json",
          .parameters = {kPlanId},
          .run = [](const Invocation& call) -> Result<ExitCode> {
            PrintTasks(call, TRY(CallHub(call, "plan/show", {{"plan_id", call.arguments.Get("PLAN")}})));
            return ExitCode::kDone;
          }};
}

Verb PlanAppendVerb() {
  return {
      .name = "plan append",
      .summary = "Adds a task to a plan. A new plan is created paused.",
      .example =
          "agenttalk plan append plan_trip --task book --needs choose --instruction \"Book it.\" --assignee "
          "clerk",
      .parameters = {kPlanId, kTaskId, kNeeds, kInstruction, kAssignee, kRevision, kReason},
      .run = AppendByHand};
}

Verb PlanResetVerb() {
  return {.name = "plan reset",
          .summary = "Re-runs a task and everything that depends on it.",
          .example = "agenttalk plan reset plan_trip --task book",
          .parameters = {kPlanId, kTaskId, kRevision, kReason},
          .run = ResetByHand};
}

Verb PlanReplaceVerb() {
  return {.name = "plan replace",
          .summary = "Replaces a task; everything that depends on it runs again.",
          .example = "agenttalk plan replace plan_trip --task book --instruction \"Book the cheaper one.\"",
          .parameters = {kPlanId, kTaskId, kNeeds, kInstruction, kAssignee, kRevision, kReason},
          .run = ReplaceByHand};
}

Verb PlanFinishVerb() {
  return {.name = "plan finish",
          .summary = "Marks a plan's current task as finished by hand.",
          .example = "agenttalk plan finish plan_trip --result \"Booked by phone.\"",
          .parameters = {kPlanId,
                         {.name = "--result", .takes = Takes::kValue, .help = "the result", .value = "TEXT"},
                         kRevision,
                         kReason},
          .run = FinishByHand};
}

Verb PlanApplyVerb() {
  return {.name = "plan apply",
          .summary = "Applies a list of plan changes (thinking commands) as one batch, all or nothing.",
          .example = "agenttalk plan apply plan_trip commands.json",
          .parameters = {kPlanId,
                         {.name = "FILE",
                          .takes = Takes::kOne,
                          .help = "JSON: [{\"command_name\": …, \"args\": {…}}]; - is standard input",
                          .completes = Completes::kFile},
                         kRevision,
                         kReason},
          .run = ApplyFile};
}

}  // namespace agenttalk
