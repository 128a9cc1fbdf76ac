#include "api/hub_queries.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "api/command_answers.h"
#include "api/parameters.h"
#include "api/plan_list.h"
#include "api/plan_lookup.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/time.h"
#include "engine/people/gateway.h"
#include "engine/state/hub_state.h"
#include "engine/state/people_state.h"
#include "engine/state/plan_state.h"
#include "model/content/named_content.h"
#include "model/events/event.h"
#include "model/events/event_codec.h"
#include "runtime/calls/tool_overview.h"
#include "runtime/core/record_name.h"
#include "runtime/files/file_comparison.h"
#include "runtime/files/human_answer.h"
#include "runtime/history/plain_words.h"
#include "runtime/hub.h"
#include "runtime/reports/plan_report.h"
#include "runtime/reports/stray_inbox.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

json::value TextOrNull(const std::string& text) {
  return text.empty() ? json::value(nullptr) : json::value(text);
}

constexpr std::size_t kWorkNamed = 20;  // of one agent

json::object QuestionJson(const PlanState& plan, std::uint64_t number, const OpenQuestion& question) {
  const QuestionAsked& asked = question.asked;
  const CommandRecord* record = plan.Find(asked.command_id);
  json::array choices;
  // Questions of models and stages are answered in words.
  const bool decides = asked.purpose != QuestionPurpose::kNotice && asked.purpose != QuestionPurpose::kTask &&
                       asked.purpose != QuestionPurpose::kAskHuman && asked.kind != QuestionKind::kClarify;
  if (decides) choices = {"approve", "reject"};
  json::object leads_to;
  for (const QuestionChoice& choice : asked.choices) leads_to[choice.word] = choice.leads_to;
  json::array files;
  for (const NamedContent& file : asked.files) {
    const auto before = std::ranges::find(asked.before, file.name, &NamedContent::name);
    files.push_back(json::object{
        {"name", file.name},
        {"path", QuestionFilePath(number, file.name)},
        {"size", file.content.size},
        {"sha256", file.content.digest.Hex()},
        {"before_sha256",
         before == asked.before.end() ? json::value() : json::value(before->content.digest.Hex())}});
  }
  return {
      {"id", QuestionName(number)},
      {"plan_id", TextOrNull(plan.id.str())},
      {"task_id", record == nullptr ? TextOrNull(asked.task_id.str()) : TextOrNull(record->task.str())},
      {"command_id", TextOrNull(asked.command_id.str())},
      {"kind", EnumName(asked.kind)},
      {"text", asked.text},
      {"risk", decides ? json::value(EnumName(asked.risk)) : json::value()},
      {"may_confirm", MayBeConfirmed(asked)},
      {"choices", std::move(choices)},
      {"leads_to", std::move(leads_to)},
      {"files", std::move(files)},
      {"from", TextOrNull(asked.from.str())},
      {"asked_at", ToRfc3339(question.asked_at)},
      {"deadline", asked.deadline == Timestamp{} ? json::value() : json::value(ToRfc3339(asked.deadline))}};
}

json::object LetterJson(const PlanState& plan, std::uint64_t number, const OpenLetter& letter) {
  return {{"id", LetterName(number)},         {"plan_id", TextOrNull(plan.id.str())},
          {"file", letter.letter.file},       {"code", ToString(letter.letter.code)},
          {"message", letter.letter.message}, {"at", ToRfc3339(letter.at)}};
}

const char* DifferenceName(FileDifference::Kind kind) {
  switch (kind) {
    case FileDifference::Kind::kMissing:
      return "missing";
    case FileDifference::Kind::kDiffers:
      return "differs";
    case FileDifference::Kind::kNewer:
      return "newer";
    case FileDifference::Kind::kExtra:
      return "extra";
  }
  return "";
}

// What each agent is at, of the plans that are loaded; every live plan is.
std::map<AgentId, json::array> WorkOf(const HubState& state) {
  std::map<AgentId, json::array> work;
  for (const auto& [id, plan] : state.plans) {
    if (plan->live_commands == 0) continue;
    for (const CommandRecord& record : plan->commands) {
      if (record.state != CommandState::kRunning) continue;
      json::array& now = work[record.agent];
      if (now.size() == kWorkNamed) continue;
      now.push_back(json::object{{"plan_id", id.str()},
                                 {"task_id", TextOrNull(record.task.str())},
                                 {"command_id", record.id.str()}});
    }
  }
  return work;
}

const char* AgentStateName(const AgentState& agent) {
  if (agent.running > 0) return "running";
  return agent.waiting > 0 || !agent.ready.empty() ? "waiting" : "idle";
}

}  // namespace

Result<json::value> QueryStatus(Hub& hub, const json::object& parameters) {
  const PlanId id = TRY(PlanOf(parameters));
  const PlanState* plan = TRY(FindPlan(hub, id));
  json::object status = PlanStatusJson(*plan);
  status["active"] = !plan->completed && hub.WorksOn(plan->id);
  status["updated_at"] = ToRfc3339(plan->updated_at);
  return json::value(std::move(status));
}

Result<json::value> QueryTools(Hub& hub, const json::object& /*parameters*/) {
  const auto agents = hub.ListTools();
  return agents ? json::value(ToolsJson(*agents)) : json::value();
}

Result<json::value> QueryAgents(Hub& hub, const json::object& parameters) {
  json::array agents;
  const auto& states = hub.core().state().agents;
  const json::value* wanted = parameters.if_contains("work");
  const bool tells = wanted != nullptr && wanted->is_bool() && wanted->as_bool();
  std::map<AgentId, json::array> work;
  if (tells) work = WorkOf(hub.core().state());
  for (const auto& [id, profile] : hub.team().agents) {
    const auto found = states.find(id);
    const AgentState none;
    const AgentState& state = found == states.end() ? none : found->second;
    agents.push_back(json::object{
        {"agent_id", id.str()},
        {"name", profile.name.empty() ? id.str() : profile.name},
        {"state", AgentStateName(state)},
        {"running", state.running},
        {"waiting", state.waiting},
        {"capabilities", json::array(profile.capabilities.begin(), profile.capabilities.end())}});
    if (tells) agents.back().as_object()["now"] = std::move(work[id]);
  }
  // Files that nobody takes in, because the agent is not declared.
  for (const auto& [id, files] : FindStrayInboxes(hub.directory(), hub.team())) {
    agents.push_back(json::object{{"agent_id", id.str()},
                                  {"name", id.str()},
                                  {"state", "undeclared"},
                                  {"running", 0},
                                  {"waiting", files},
                                  {"capabilities", json::array()}});
  }
  return agents;
}

Result<json::value> QueryQuestions(Hub& hub, const json::object& /*parameters*/) {
  // A plan with an open question is live, and live plans are in memory.
  std::vector<std::pair<std::uint64_t, json::object>> found;
  const auto collect = [&](const PlanState& plan) {
    for (const auto& [number, question] : plan.people.questions()) {
      found.emplace_back(number, QuestionJson(plan, number, question));
    }
  };
  collect(hub.core().state().hub_plan);
  for (const auto& [id, plan] : hub.core().state().plans) collect(*plan);
  std::ranges::sort(found, {}, [](const auto& one) { return one.first; });
  json::array questions;
  for (auto& [number, question] : found) questions.push_back(std::move(question));
  return questions;
}

Result<json::value> QueryLetters(Hub& hub, const json::object& /*parameters*/) {
  json::array letters;
  TRY(ForEachPlanWithLetters(hub, [&](const PlanState& plan) {
    for (const auto& [number, letter] : plan.people.letters())
      letters.push_back(LetterJson(plan, number, letter));
  }));
  return letters;
}

Result<json::value> QueryLetter(Hub& hub, const json::object& parameters) {
  const std::string id = TRY(Text(parameters, "id"));
  json::value found;
  const auto number = ParseLetterName(id);
  TRY(ForEachPlanWithLetters(hub, [&](const PlanState& plan) {
    const OpenLetter* letter = number ? plan.people.FindLetter(*number) : nullptr;
    if (letter == nullptr) return;
    const DeadLettered& what = letter->letter;
    json::object object = LetterJson(plan, *number, *letter);
    object["hint"] = what.hint;
    object["agent_id"] = TextOrNull(what.agent_id.str());
    object["command_id"] = TextOrNull(what.command_id.str());
    object["errors"] = json::array(what.errors.begin(), what.errors.end());
    object["content"] = nullptr;
    if (!what.body.empty()) {
      if (const auto bytes = hub.core().contents().Load(what.body)) object["content"] = CleanText(**bytes);
    }
    AddCommandHistory(hub, plan, what.command_id, object);
    found = std::move(object);
  }));
  if (found.is_null()) {
    return Fail(ErrorCode::kNotFound, fmt::format("there is no open dead letter {}", id),
                "see `agenttalk dead list`");
  }
  return found;
}

Result<json::value> QueryFiles(Hub& hub, const json::object& /*parameters*/) {
  const FileComparison comparison = TRY(hub.CompareFiles());
  json::array differences;
  for (const FileDifference& one : comparison.differences) {
    differences.push_back(json::object{{"path", one.path}, {"state", DifferenceName(one.kind)}});
  }
  return json::object{{"events", hub.core().committed()},
                      {"checked", comparison.checked},
                      {"differences", std::move(differences)}};
}

}  // namespace agenttalk
