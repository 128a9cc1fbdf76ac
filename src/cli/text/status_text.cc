#include "cli/text/status_text.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <chrono>
#include <cstddef>
#include <string>

#include "base/time.h"
#include "cli/hub_call.h"
#include "cli/text/task_table.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

// A plan of very many tasks is for programs; people see the first ones and how many more there are.
constexpr std::size_t kMostTasks = 500;

std::string CommandTable(const json::object& plan, bool colors) {
  json::array commands = plan.at("commands").as_array();
  for (json::value& command : commands) {
    json::value& error = command.as_object()["error"];
    if (error.is_object()) error = error.as_object().at("message");
  }
  return ObjectTable(commands, {"command_id", "agent", "state", "waiting_for", "score", "error"}, colors);
}

}  // namespace

std::string IdleText(const json::object& status) {
  const json::value* active = status.if_contains("active");
  const std::string state = CellText(status.at("state"));
  const bool unfinished = state == "running" || state == "waiting";
  if (active == nullptr || active->as_bool() || !unfinished) return {};
  return fmt::format("no process is running this plan; `agenttalk run {}` continues it\n",
                     CellText(status.at("plan_id")));
}

std::string StatusText(const json::object& given, const std::string& current, bool colors) {
  json::object status = given;
  std::string now = current;
  const std::string idle = IdleText(given);
  if (!idle.empty()) {
    // Time stands still for a plan that nobody works on.
    if (CellText(given.at("state")) == "running") status["state"] = "stopped";
    now = CellText(given.at("updated_at"));
  }
  std::string text;
  if (const json::value& origin = status.at("forked_from"); !origin.is_null()) {
    text += fmt::format("forked from {} at event {}, executed from {} on\n", CellText(origin.at("plan_id")),
                        CellText(origin.at("seq")), CellText(origin.at("task_id")));
  }
  if (status.at("tasks").as_array().empty()) {
    text += fmt::format("{}: {}\n", CellText(status.at("plan_id")), CellText(status.at("state")));
    text += CommandTable(status, colors);
  } else {
    const auto time = ParseRfc3339(now);
    const double seconds = time ? std::chrono::duration<double>(time->time_since_epoch()).count() : 0;
    text += PlanLine(status) + "\n" + TaskTable(status, seconds, kMostTasks, colors);
  }
  if (const json::value* tags = status.if_contains("tags"); tags != nullptr && !tags->as_array().empty())
    text += fmt::format("tags: {}\n", CellText(*tags));
  if (!status.at("questions").as_array().empty()) {
    text += fmt::format("open questions: {} (see `agenttalk questions`)\n", CellText(status.at("questions")));
  }
  return text + idle;
}

}  // namespace agenttalk
