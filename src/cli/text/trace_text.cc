#include "cli/text/trace_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/utf8.h"
#include "cli/console.h"
#include "cli/hub_call.h"
#include "cli/text/cost_text.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

constexpr std::size_t kLongestWords = 160;

struct Branch {
  std::string text;
  std::uint64_t order = 0;  // the event it begins with
  std::vector<Branch> children = {};
};

std::string Brief(std::string text) {
  if (text.size() <= kLongestWords) return text;
  return std::string(Utf8Prefix(text, kLongestWords)) + "…";
}

std::uint64_t SeqOf(const json::value& object) {
  return object.at("seq").to_number<std::uint64_t>();
}

// How long, how many tokens, how much; what is nothing is left out.
std::string Measures(const json::object& object) {
  std::string text;
  if (!object.at("elapsed_s").is_null()) {
    text += fmt::format("  {:.2f} s", object.at("elapsed_s").to_number<double>());
  }
  if (!object.contains("tokens")) return text;
  const std::uint64_t tokens = object.at("tokens").at("input").to_number<std::uint64_t>() +
                               object.at("tokens").at("output").to_number<std::uint64_t>();
  if (tokens > 0) text += fmt::format("  {} tokens", tokens);
  const std::string cost = CostText(object.at("cost_usd"));
  if (cost != CostText(0)) text += fmt::format("  {} USD", cost);
  return text;
}

std::string StateText(const std::string& state, bool colors) {
  if (state == "COMPLETED" || state == "succeeded" || state == "completed") {
    return Styled(state, Style::kGreen, colors);
  }
  const bool bad = state == "failed" || state == "FAILED" || state == "timed_out" || state == "cancelled";
  return bad ? Styled(state, Style::kRed, colors) : state;
}

Branch DecisionBranch(const json::value& decision, bool colors) {
  return {Styled(Brief(CellText(decision.at("text"))), Style::kYellow, colors), SeqOf(decision)};
}

// path: inputs/facts.md, lines: 20
std::string ArgumentsText(const json::value& arguments) {
  const std::string given = CellText(arguments);
  const auto parsed = ParseJson(given);
  if (!parsed || !parsed->is_object()) return given;
  std::string text;
  for (const auto& [name, value] : parsed->as_object()) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", std::string_view(name), CellText(value));
  }
  return text;
}

// `models` counts the calls to models of one command.
Branch CallBranch(const json::object& call, int& models) {
  const bool model = CellText(call.at("kind")) == "model";
  std::string text = model ? fmt::format("model call {}", ++models)
                           : fmt::format("tool {} {}", CellText(call.at("name")),
                                         Brief(ArgumentsText(call.at("arguments"))));
  const json::value* code = call.if_contains("exit_code");
  if (code != nullptr && !code->is_null()) text += "  exit code " + CellText(*code);
  text += Measures(call);
  if (call.at("refused").as_bool()) text += "  refused";
  if (const auto again = call.at("restarts").to_number<std::uint64_t>(); again > 0) {
    text += fmt::format("  made {} times, because the program ended in between", again + 1);
  }
  if (!call.at("error").is_null()) {
    text += fmt::format("  {}: {}", CellText(call.at("error")), Brief(CellText(call.at("message"))));
  } else if (call.at("ended_at").is_null()) {
    text += "  no outcome";
  }
  Branch branch{std::move(text), SeqOf(call)};
  for (const json::value& one : call.at("failed_tries").as_array()) {
    branch.children.push_back({fmt::format("a try after {} s failed: {}", CellText(one.at("after_s")),
                                           Brief(CellText(one.at("message")))),
                               branch.order});
  }
  return branch;
}

Branch CommandBranch(const json::object& command, bool colors) {
  Branch branch;
  branch.order = SeqOf(command);
  branch.text = fmt::format("{}  {}{}", CellText(command.at("command_id")),
                            StateText(CellText(command.at("state")), colors), Measures(command));
  if (command.at("reused").as_bool()) branch.text += "  (reused)";
  if (!command.at("score").is_null()) branch.text += "  score " + CellText(command.at("score"));
  int models = 0;
  for (const json::value& value : command.at("attempts").as_array()) {
    const json::object& attempt = value.as_object();
    const json::array& calls = attempt.at("calls").as_array();
    Branch tried{fmt::format("attempt {}  {}{}", CellText(attempt.at("attempt")),
                             Brief(CellText(attempt.at("outcome"))), Measures(attempt)),
                 calls.empty() ? branch.order : SeqOf(calls.front())};
    for (const json::value& call : calls) tried.children.push_back(CallBranch(call.as_object(), models));
    branch.children.push_back(std::move(tried));
  }
  for (const json::value& delivery : command.at("deliveries").as_array()) {
    branch.children.push_back(
        {fmt::format("→ {}: {}", CellText(delivery.at("to")), CellText(delivery.at("name"))),
         SeqOf(delivery)});
  }
  for (const json::value& decision : command.at("decisions").as_array()) {
    branch.children.push_back(DecisionBranch(decision, colors));
  }
  return branch;
}

Branch TaskBranch(const json::object& task, bool colors) {
  Branch branch;
  branch.text =
      fmt::format("{}  {}  {}{}", Styled(CellText(task.at("task_id")), Style::kBold, colors),
                  CellText(task.at("agent")), StateText(CellText(task.at("state")), colors), Measures(task));
  if (!task.at("estimated_s").is_null()) {
    branch.text += fmt::format("  (estimated {} s)", CellText(task.at("estimated_s")));
  }
  for (const json::value& command : task.at("commands").as_array()) {
    branch.children.push_back(CommandBranch(command.as_object(), colors));
  }
  for (const json::value& decision : task.at("decisions").as_array()) {
    branch.children.push_back(DecisionBranch(decision, colors));
  }
  branch.order = UINT64_MAX;
  for (const Branch& child : branch.children) branch.order = std::min(branch.order, child.order);
  return branch;
}

void Draw(const Branch& branch, const std::string& indent, std::string& out) {
  std::vector<const Branch*> children;
  for (const Branch& child : branch.children) children.push_back(&child);
  std::ranges::stable_sort(children, {}, &Branch::order);
  for (const Branch* child : children) {
    const bool last = child == children.back();
    std::string text = child->text;
    std::ranges::replace(text, '\n', ' ');
    out += indent + (last ? "└─ " : "├─ ") + text + "\n";
    Draw(*child, indent + (last ? "   " : "│  "), out);
  }
}

}  // namespace

std::string TraceText(const json::object& trace, bool colors) {
  Branch plan;
  for (const json::value& task : trace.at("tasks").as_array()) {
    plan.children.push_back(TaskBranch(task.as_object(), colors));
  }
  for (const json::value& command : trace.at("commands").as_array()) {
    plan.children.push_back(CommandBranch(command.as_object(), colors));
  }
  for (const json::value& decision : trace.at("decisions").as_array()) {
    plan.children.push_back(DecisionBranch(decision, colors));
  }
  std::string text = fmt::format("{}  {}{}\n", Styled(CellText(trace.at("plan_id")), Style::kBold, colors),
                                 StateText(CellText(trace.at("state")), colors), Measures(trace));
  Draw(plan, "", text);
  return text;
}

}  // namespace agenttalk
