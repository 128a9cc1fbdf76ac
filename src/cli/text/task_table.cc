#include "cli/text/task_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/time.h"
#include "cli/hub_call.h"
#include "cli/text/cost_text.h"
#include "cli/text/table.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

double SecondsOf(const json::value& time) {
  if (!time.is_string()) return 0;
  const auto parsed = ParseRfc3339(std::string(time.as_string()));
  return parsed ? std::chrono::duration<double>(parsed->time_since_epoch()).count() : 0;
}

std::string StateText(const json::object& task) {
  std::string text = CellText(task.at("state"));
  if (task.at("reused").as_bool()) text += " (reused)";
  return text;
}

// What the reader wants to see first when not everything can be shown.
int Rank(const json::object& task) {
  const std::string state = CellText(task.at("state"));
  if (state == "RUNNING") return 0;
  if (state == "FAILED" || state.starts_with("BLOCKED")) return 1;
  return state == "COMPLETED" ? 4 : state == "PENDING" ? 3 : 2;
}

std::vector<std::string> Row(const json::object& task, double now) {
  return {CellText(task.at("task_id")),
          CellText(task.at("agent")),
          StateText(task),
          CellText(task.at("score")),
          CellText(task.at("attempts")),
          ElapsedText(task, now),
          fmt::format("{}", TokensOf(task.at("tokens"))),
          CostText(task.at("cost_usd")),
          CellText(task.at("blocked_by"))};
}

// Why tasks failed: too long for a column.
std::string FailureLines(const std::vector<const json::object*>& tasks) {
  constexpr std::size_t kMostFailures = 5;
  std::string text;
  std::size_t failures = 0;
  for (const json::object* task : tasks) {
    if (task->at("error").is_null()) continue;
    if (++failures > kMostFailures) continue;
    text += fmt::format("{}: {}\n", CellText(task->at("task_id")), CellText(task->at("error").at("message")));
  }
  if (failures > kMostFailures) text += fmt::format("… and {} more errors\n", failures - kMostFailures);
  return text;
}

}  // namespace

std::string ElapsedText(const json::object& task, double now) {
  const double start = SecondsOf(task.at("started_at"));
  if (start <= 0) return {};
  const double end = SecondsOf(task.at("ended_at"));
  return fmt::format("{:.1f} s", std::max(0.0, (end > 0 ? end : now) - start));
}

std::uint64_t TokensOf(const json::value& tokens) {
  return tokens.at("input").to_number<std::uint64_t>() + tokens.at("output").to_number<std::uint64_t>();
}

std::string PlanLine(const json::object& status) {
  const json::array& tasks = status.at("tasks").as_array();
  const auto completed = std::ranges::count_if(
      tasks, [](const json::value& task) { return task.at("state").as_string() == "COMPLETED"; });
  return fmt::format("{}: {}, revision {}, {} of {} tasks completed, {} tokens, {} USD",
                     CellText(status.at("plan_id")), CellText(status.at("state")),
                     CellText(status.at("revision")), completed, tasks.size(), TokensOf(status.at("tokens")),
                     CostText(status.at("cost_usd")));
}

std::string TaskTable(const json::object& status, double now, std::size_t most, bool colors) {
  std::vector<const json::object*> tasks;
  for (const json::value& task : status.at("tasks").as_array()) tasks.push_back(&task.as_object());
  const bool all = tasks.size() <= most;
  if (!all) std::ranges::stable_sort(tasks, {}, [](const json::object* task) { return Rank(*task); });
  std::vector<std::vector<std::string>> rows = {
      {"task", "agent", "state", "score", "attempts", "elapsed", "tokens", "cost", "waits for"}};
  std::map<std::string, std::size_t> rest;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (i < most) {
      rows.push_back(Row(*tasks[i], now));
    } else {
      ++rest[CellText(tasks[i]->at("state"))];
    }
  }
  std::string text = TableText(rows, colors);
  for (const auto& [state, count] : rest) text += fmt::format("… and {} more {}\n", count, state);
  return text + FailureLines(tasks);
}

}  // namespace agenttalk
