#include "cli/text/show_text.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/time.h"
#include "base/utf8.h"
#include "cli/console.h"
#include "cli/hub_call.h"
#include "cli/text/cost_text.h"
#include "cli/text/local_time.h"
#include "cli/text/table.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

std::string Safe(const json::value& text) {
  return WithoutControls(CellText(text));
}

std::string Indented(const std::string& text) {
  std::string out;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    out += "    " + text.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return out;
}

std::string Measured(const json::object& object) {
  std::string text;
  if (!object.at("elapsed_s").is_null()) {
    text += fmt::format(", {:.2f} s", object.at("elapsed_s").to_number<double>());
  }
  if (const json::value* tokens = object.if_contains("tokens")) {
    const auto in = tokens->at("input").to_number<std::uint64_t>();
    const auto out = tokens->at("output").to_number<std::uint64_t>();
    if (in + out > 0) text += fmt::format(", {} tokens in, {} out", in, out);
    if (const std::string cost = CostRemark(object.at("cost_usd")); in + out > 0 && !cost.empty()) {
      text += ", " + cost;
    }
  }
  return text;
}

std::string ErrorText(const json::value& error) {
  return fmt::format("{}: {}", Safe(error.at("code")), Safe(error.at("message")));
}

class ShowWriter {
 public:
  ShowWriter(ShowPart part, bool colors) : part_(part), colors_(colors) {}

  std::string Commands(const json::object& shown) {
    if (part_ == ShowPart::kAll && !shown.at("task").is_null()) Task(shown.at("task").as_object());
    for (const json::value& command : shown.at("commands").as_array()) Command(command.as_object());
    if (shown.at("commands").as_array().empty()) out_ += "  no command was made for it yet\n";
    return std::move(out_);
  }

 private:
  void Title(std::string_view text) { out_ += Styled(text, Style::kBold, colors_) + "\n"; }
  void Heading(std::string_view text) { out_ += "\n" + Styled(text, Style::kBold, colors_) + "\n"; }
  void Part(std::string_view name, const std::string& text) {
    out_ += Styled(fmt::format("  {}\n", name), Style::kYellow, colors_);
    out_ += Indented(text);
  }
  void Names(std::string_view name, const json::value& files) {
    if (files.as_array().empty()) return;
    out_ += fmt::format("  {}:", name);
    for (const json::value& file : files.as_array()) {
      out_ += fmt::format(" {} ({} bytes)", Safe(file.at("name")), Safe(file.at("size")));
    }
    out_ += "\n";
  }

  void Task(const json::object& task) {
    const json::value* agent = task.if_contains("agent");
    const json::value* state = task.if_contains("state");
    Title(fmt::format("{}  {}  {}", Safe(task.at("task_id")), agent == nullptr ? "" : Safe(*agent),
                      state == nullptr ? "" : Safe(*state)));
    for (const json::value& decision : task.at("decisions").as_array()) Decision(decision);
  }
  void Decision(const json::value& decision) {
    out_ += fmt::format("  {}  {}\n", LocalTimeText(Safe(decision.at("time"))), Safe(decision.at("text")));
  }

  void Command(const json::object& command);
  void Attempt(const json::object& attempt);
  void ModelCall(const json::object& call);
  void ToolCall(const json::object& call);
  void Result(const json::object& command);

  const ShowPart part_;
  const bool colors_;
  std::string out_;
};

void ShowWriter::Command(const json::object& command) {
  if (part_ == ShowPart::kResult) {
    if (!command.at("result").is_null()) out_ = CellText(command.at("result")) + "\n";
    return;
  }
  const bool all = part_ == ShowPart::kAll;
  if (all) {
    Heading(fmt::format("{}  {}  {}", Safe(command.at("command_id")), Safe(command.at("agent")),
                        Safe(command.at("state"))));
    out_ +=
        fmt::format("  received {}{}\n", LocalTimeText(Safe(command.at("received_at"))), Measured(command));
    Names("inputs", command.at("inputs"));
    for (const json::value& name : command.at("missing").as_array()) {
      out_ += fmt::format("  missing: {}\n", Safe(name));
    }
    if (!command.at("rework").is_null()) Part("rework, because", Safe(command.at("rework").at("reason")));
  }
  for (const json::value& attempt : command.at("attempts").as_array()) Attempt(attempt.as_object());
  if (all) Result(command);
}

void ShowWriter::Attempt(const json::object& attempt) {
  if (part_ == ShowPart::kAll) {
    Heading(fmt::format("attempt {}  {}{}", Safe(attempt.at("attempt")), Safe(attempt.at("outcome")),
                        Measured(attempt)));
    if (!attempt.at("error").is_null()) out_ += "  " + ErrorText(attempt.at("error")) + "\n";
  }
  for (const json::value& value : attempt.at("calls").as_array()) {
    const json::object& call = value.as_object();
    if (CellText(call.at("kind")) == "model") {
      if (part_ != ShowPart::kTools) ModelCall(call);
    } else if (part_ == ShowPart::kAll || part_ == ShowPart::kTools) {
      ToolCall(call);
    }
  }
}

void ShowWriter::ModelCall(const json::object& call) {
  const json::object& request = call.at("request").as_object();
  const bool all = part_ == ShowPart::kAll;
  const std::string model = Safe(request.at("model"));
  std::string who = Safe(request.at("provider"));
  if (!model.empty()) who += (who.empty() ? "" : " ") + model;
  // Neither is named where the hub's own default was asked.
  Heading(fmt::format("call {}: {}{}", Safe(call.at("call")), who.empty() ? "model" : who, Measured(call)));
  if (all || part_ == ShowPart::kPrompt) {
    Part("system", Safe(request.at("system")));
    for (const json::value& message : request.at("messages").as_array()) {
      Part(Safe(message.at("role")), Safe(message.at("text")));
      if (const json::value* calls = message.as_object().if_contains("tool_calls")) {
        for (const json::value& one : calls->as_array()) {
          Part("calls " + Safe(one.at("name")), Safe(one.at("arguments")));
        }
      }
    }
  }
  if (!all && part_ != ShowPart::kAnswer) return;
  for (const json::value& one : call.at("failed_tries").as_array()) {
    out_ += fmt::format("  a try after {} s failed: {}\n", Safe(one.at("after_s")), Safe(one.at("message")));
  }
  for (const json::value& at : call.at("restarts").as_array()) {
    out_ += fmt::format("  made again at {}\n", LocalTimeText(Safe(at)));
  }
  if (!call.at("error").is_null()) out_ += "  failed: " + ErrorText(call.at("error")) + "\n";
  if (!call.at("answer").is_null()) Part("answer", Safe(call.at("answer")));
  for (const json::value& error : call.at("refused").as_array()) {
    out_ += Styled("  refused: ", Style::kRed, colors_) + Safe(error) + "\n";
  }
}

void ShowWriter::ToolCall(const json::object& call) {
  std::string title = fmt::format("call {}: tool {}", Safe(call.at("call")), Safe(call.at("name")));
  if (!call.at("exit_code").is_null()) title += ", exit code " + Safe(call.at("exit_code"));
  Heading(title + Measured(call));
  Part("arguments", Safe(call.at("arguments")));
  if (!call.at("error").is_null()) out_ += "  failed: " + ErrorText(call.at("error")) + "\n";
  if (call.at("ended_at").is_null()) out_ += "  no outcome was recorded\n";
  if (!call.at("output").is_null()) Part("output", Safe(call.at("output")));
  Names("files", call.at("files"));
}

void ShowWriter::Result(const json::object& command) {
  for (const json::value& decision : command.at("decisions").as_array()) Decision(decision);
  Heading("result");
  if (!command.at("error").is_null()) out_ += "  " + ErrorText(command.at("error")) + "\n";
  if (command.at("reused").as_bool()) out_ += "  the answer was recorded before and used again\n";
  if (!command.at("score").is_null()) out_ += "  score " + Safe(command.at("score")) + "\n";
  const std::string why = Safe(command.at("score_explanation"));
  if (!why.empty()) Part("why this score", why);
  if (!command.at("result").is_null()) Part("result", Safe(command.at("result")));
  Names("outputs", command.at("outputs"));
  if (!command.at("message").is_null() && command.at("message") != command.at("result")) {
    Part("message", Safe(command.at("message")));
  }
  for (const json::value& sent : command.at("messages").as_array()) {
    out_ += fmt::format("  sent to {}: {}\n", Safe(sent.at("to")), Safe(sent.at("message_id")));
  }
  if (command.at("repeats") != 0) out_ += fmt::format("  came again {} times\n", Safe(command.at("repeats")));
}

// A table of which only the first rows are here.
std::string CutTable(const std::vector<std::vector<std::string>>& rows, std::uint64_t total,
                     std::string_view what, bool colors) {
  if (rows.size() < 2) return {};
  std::string text = TableText(rows, colors);
  const std::uint64_t shown = rows.size() - 1;
  if (total > shown) text += fmt::format("… and {} more {}\n", total - shown, what);
  return text + "\n";
}

}  // namespace

std::string ShowPlanText(const json::object& plan, bool colors) {
  std::string text =
      fmt::format("{}  {}\n", Styled(Safe(plan.at("plan_id")), Style::kBold, colors), Safe(plan.at("state")));
  if (!plan.at("goal").is_null()) text += Safe(plan.at("goal")) + "\n";
  if (!plan.at("failure").is_null()) text += Safe(plan.at("failure")) + "\n";
  const auto in = plan.at("tokens").at("input").to_number<std::uint64_t>();
  const auto out = plan.at("tokens").at("output").to_number<std::uint64_t>();
  text += fmt::format("{} tokens in, {} out, {} USD\n\n", in, out, CostText(plan.at("cost_usd")));
  const auto total = [&](const char* name) { return plan.at(name).to_number<std::uint64_t>(); };
  std::vector<std::vector<std::string>> tasks = {{"task", "agent", "state", "attempts", "score", "reason"}};
  for (const json::value& task : plan.at("tasks").as_array()) {
    tasks.push_back({Safe(task.at("task_id")), Safe(task.at("agent")), Safe(task.at("state")),
                     Safe(task.at("attempts")), Safe(task.at("score")), Safe(task.at("reason"))});
  }
  text += CutTable(tasks, total("tasks_total"), "tasks", colors);
  std::vector<std::vector<std::string>> commands = {{"command", "agent", "state", "score", "error"}};
  for (const json::value& command : plan.at("commands").as_array()) {
    const json::value& error = command.at("error");
    commands.push_back({Safe(command.at("command_id")), Safe(command.at("agent")), Safe(command.at("state")),
                        Safe(command.at("score")), error.is_null() ? "" : ErrorText(error)});
  }
  text += CutTable(commands, total("commands_total"), "commands", colors);
  std::vector<std::vector<std::string>> files = {{"file", "size", "sha256"}};
  for (const json::value& file : plan.at("files").as_array()) {
    files.push_back({Safe(file.at("name")), Safe(file.at("size")), Safe(file.at("sha256")).substr(0, 12)});
  }
  text += CutTable(files, total("files_total"), "files", colors);
  text += fmt::format("`agenttalk show {} TASK` shows one task, `--file NAME` the bytes of a file\n",
                      Safe(plan.at("plan_id")));
  return text;
}

std::string ShowCommandsText(const json::object& shown, ShowPart part, bool colors) {
  return ShowWriter(part, colors).Commands(shown);
}

}  // namespace agenttalk
