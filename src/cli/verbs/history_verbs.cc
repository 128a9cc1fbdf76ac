#include <fmt/format.h>

#include <boost/json.hpp>
#include <charconv>
#include <cstdint>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/json.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/hub_call.h"
#include "cli/live/terminal.h"
#include "cli/text/cost_text.h"
#include "cli/text/local_time.h"
#include "cli/text/status_text.h"
#include "cli/text/table.h"
#include "cli/text/trace_text.h"
#include "cli/verb.h"
#include "cli/verbs/verbs.h"

// The verbs about the past: replay, diff, trace.
namespace agenttalk {
namespace {

namespace json = boost::json;

Result<std::uint64_t> ReadNumber(const std::string& text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) {
    return Fail(ErrorCode::kUsage, fmt::format("{} is not the number of an event", text),
                "`agenttalk log PLAN` shows the numbers, e.g. (#17)");
  }
  return number;
}

Result<ExitCode> Replay(const Invocation& call) {
  json::object request{{"plan_id", call.arguments.Get("PLAN")}};
  if (call.arguments.Has("--at")) request["at"] = TRY(ReadNumber(call.arguments.Get("--at")));
  const json::value status = TRY(CallHub(call, "replay", std::move(request)));
  if (call.json) {
    call.console.Out(CompactJson(status) + "\n");
    return ExitCode::kDone;
  }
  const json::value& at = status.at("at");
  call.console.Out(
      fmt::format("after event {}, {}\n", CellText(at.at("seq")), LocalTimeText(CellText(at.at("time")))));
  call.console.Out(
      FittedToTerminal(StatusText(status.as_object(), CellText(at.at("time")), call.console.colors_out())));
  return ExitCode::kDone;
}

std::string Both(const json::value& a, const json::value& b, const char* name) {
  const std::string left = a.is_null() ? "–" : CellText(a.at(name));
  const std::string right = b.is_null() ? "–" : CellText(b.at(name));
  if (left == right) return left;
  return fmt::format("{} → {}", left.empty() ? "–" : left, right.empty() ? "–" : right);
}

std::string TokensText(const json::value& side) {
  if (side.is_null()) return "–";
  const json::value& tokens = side.at("tokens");
  return fmt::format(
      "{}", tokens.at("input").to_number<std::uint64_t>() + tokens.at("output").to_number<std::uint64_t>());
}

std::string CostsText(const json::value& a, const json::value& b) {
  const std::string left = a.is_null() ? "–" : CostText(a.at("cost_usd"));
  const std::string right = b.is_null() ? "–" : CostText(b.at("cost_usd"));
  return left == right ? left : fmt::format("{} → {}", left, right);
}

std::string OutputsText(const json::array& outputs) {
  std::string text;
  for (const json::value& output : outputs) {
    text += text.empty() ? "" : ", ";
    text += CellText(output.at("name"));
    if (output.at("same").as_bool()) {
      text += " =";
    } else if (output.at("a").is_null() || output.at("b").is_null()) {
      text += output.at("a").is_null() ? " (new)" : " (gone)";
    } else if (output.at("lines").is_null()) {
      text += " differs";
    } else {
      text += fmt::format(" +{} -{}", CellText(output.at("lines").at("added")),
                          CellText(output.at("lines").at("removed")));
    }
  }
  return text;
}

std::string DiffRows(const json::object& diff, bool colors) {
  std::vector<std::vector<std::string>> rows = {
      {"task", "state", "score", "tokens", "cost", "changed", "outputs"}};
  for (const json::value& task : diff.at("tasks").as_array()) {
    const json::value& a = task.at("a");
    const json::value& b = task.at("b");
    rows.push_back({CellText(task.at("task_id")), Both(a, b, "state"), Both(a, b, "score"),
                    TokensText(a) + " → " + TokensText(b), CostsText(a, b), CellText(task.at("changed")),
                    OutputsText(task.at("outputs").as_array())});
  }
  return TableText(rows, colors);
}

std::string DiffTexts(const json::object& diff, bool colors) {
  std::string text;
  for (const json::value& task : diff.at("tasks").as_array()) {
    for (const json::value& output : task.at("outputs").as_array()) {
      if (output.at("lines").is_null()) continue;
      text += Styled(fmt::format("\n{}  {}\n", CellText(task.at("task_id")), CellText(output.at("name"))),
                     Style::kBold, colors);
      for (const json::value& line : output.at("lines").at("diff").as_array()) {
        const std::string shown = CellText(line);
        text += Styled(shown, shown.starts_with('+') ? Style::kGreen : Style::kRed, colors) + "\n";
      }
      if (!output.at("lines").at("complete").as_bool()) text += "…\n";
    }
  }
  return text;
}

std::string TotalLine(const json::value& side) {
  return fmt::format("{}: {}, {} of {} tasks completed, {} taken over, {} tokens, {} USD\n",
                     CellText(side.at("plan_id")), CellText(side.at("state")),
                     CellText(side.at("tasks_completed")), CellText(side.at("tasks_total")),
                     CellText(side.at("tasks_reused")), TokensText(side), CostText(side.at("cost_usd")));
}

Result<ExitCode> Diff(const Invocation& call) {
  const json::value diff =
      TRY(CallHub(call, "diff", {{"a", call.arguments.Get("PLAN_A")}, {"b", call.arguments.Get("PLAN_B")}}));
  if (call.json) {
    call.console.Out(CompactJson(diff) + "\n");
    return ExitCode::kDone;
  }
  const bool colors = call.console.colors_out();
  call.console.Out(TotalLine(diff.at("a")) + TotalLine(diff.at("b")));
  call.console.Out(FittedToTerminal(DiffRows(diff.as_object(), colors)));
  if (call.arguments.Has("--text")) call.console.Out(DiffTexts(diff.as_object(), colors));
  return ExitCode::kDone;
}

Result<ExitCode> Trace(const Invocation& call) {
  json::object request{{"plan_id", call.arguments.Get("PLAN")}};
  if (call.arguments.Has("TASK")) request["what"] = call.arguments.Get("TASK");
  const json::value trace = TRY(CallHub(call, "trace", std::move(request)));
  call.console.Out(call.json ? CompactJson(trace) + "\n"
                             : FittedToTerminal(TraceText(trace.as_object(), call.console.colors_out())));
  return ExitCode::kDone;
}

}  // namespace

Verb ReplayVerb() {
  return {.name = "replay",
          .summary = "Shows a plan as it was at an earlier event.",
          .example = "agenttalk replay plan_weekly-report --at 12",
          .parameters = {{.name = "PLAN", .takes = Takes::kOne, .help = "the plan's id"},
                         {.name = "--at",
                          .takes = Takes::kValue,
                          .help = "the number of the event, as `log` shows it; otherwise the last",
                          .value = "N"}},
          .run = Replay};
}

Verb DiffVerb() {
  return {.name = "diff",
          .summary = "Compares two plans: tasks, scores, outputs, cost.",
          .example = "agenttalk diff plan_weekly-report plan_weekly-report-fork1 --text",
          .parameters = {{.name = "PLAN_A", .takes = Takes::kOne, .help = "a plan's id"},
                         {.name = "PLAN_B", .takes = Takes::kOne, .help = "the id of another one"},
                         {.name = "--text",
                          .takes = Takes::kFlag,
                          .help = "show how texts that differ do so, line by line"}},
          .run = Diff};
}

Verb TraceVerb() {
  return {
      .name = "trace",
      .summary = "Shows the history of a plan as a tree: steps, decisions, time and cost.",
      .example =
          "agenttalk trace plan_weekly-report\n"
          "agenttalk trace plan_weekly-report summarise",
      .parameters = {{.name = "PLAN", .takes = Takes::kOne, .help = "the plan's id"},
                     {.name = "TASK", .takes = Takes::kOptional, .help = "only this task or command of it"}},
      .run = Trace};
}

}  // namespace agenttalk
