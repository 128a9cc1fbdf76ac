#include "runtime/reports/stage_words.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <string>

namespace agenttalk {
namespace {

namespace json = boost::json;

std::string WordIn(const json::object& data, const char* name) {
  const json::value* found = data.if_contains(name);
  if (found == nullptr || found->is_null()) return {};
  return found->is_string() ? std::string(found->as_string()) : json::serialize(*found);
}

std::string MatchWords(const json::object& data) {
  std::string words;
  for (const json::value& match : data.at("matches").as_array()) {
    const std::string agent = WordIn(match.as_object(), "agent_id");
    words += fmt::format("{}{} → {}", words.empty() ? "" : ", ", WordIn(match.as_object(), "task_id"),
                         agent.empty() ? "nobody" : agent);
  }
  return words;
}

}  // namespace

std::string StageWords(const std::string& type, const json::object& data) {
  if (type == "stage_finished") {
    return fmt::format("{} {} (risk {}, confidence {}): {}", WordIn(data, "stage"), WordIn(data, "action"),
                       WordIn(data, "risk"), WordIn(data, "confidence"), WordIn(data, "thought"));
  }
  if (type == "stage_started")
    return fmt::format("{} for the {}", WordIn(data, "stage"), WordIn(data, "matter"));
  if (type == "goal_set") return WordIn(data, "goal");
  if (type == "route_overruled") {
    return fmt::format("{} instead of {}: {}", WordIn(data, "decided"), WordIn(data, "said"),
                       WordIn(data, "rule"));
  }
  if (type == "work_reviewed") {
    const std::string reason = WordIn(data, "reason");
    return fmt::format("{}, score {}: {}{}", data.at("approved").as_bool() ? "approved" : "not approved",
                       WordIn(data, "score"), WordIn(data, "feedback"),
                       reason.empty() ? "" : " (" + reason + ")");
  }
  if (type == "tasks_matched") return MatchWords(data);
  if (type == "phase_changed") {
    const std::string reason = WordIn(data, "reason");
    return fmt::format("{} → {}{}", WordIn(data, "from"), WordIn(data, "to"),
                       reason.empty() ? "" : ": " + reason);
  }
  if (type == "goal_noted") return WordIn(data, "note");
  if (type == "remark_settled") return fmt::format("{}: {}", WordIn(data, "route"), WordIn(data, "outcome"));
  return {};
}

void AddStageFacts(const std::string& type, const json::object& data, json::object& to) {
  if (type != "stage_finished") return;
  for (const char* name :
       {"stage", "thought", "action", "params", "risk", "risk_description", "confidence"}) {
    to[name] = data.at(name);
  }
}

}  // namespace agenttalk
