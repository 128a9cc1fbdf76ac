#include "runtime/history/log_line.h"

#include <boost/json.hpp>
#include <string>
#include <utility>
#include <variant>

#include "base/codec.h"
#include "base/ids.h"
#include "engine/state/dag_state.h"
#include "engine/state/plan_state.h"
#include "model/command/brief.h"
#include "model/events/event.h"
#include "model/events/event_codec.h"
#include "model/request/stored_request.h"
#include "runtime/history/event_words.h"
#include "runtime/history/plain_words.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

void FillTexts(const CommandReceived& received, const ContentLoader& load, json::object& data) {
  if (received.brief.empty()) return;
  const auto bytes = load(received.brief);
  if (!bytes) return;
  CommandBrief brief;
  ByteReader reader(**bytes);
  reader.Get(brief);
  if (!reader.ok()) return;
  json::object& command = data.at("command").as_object();
  command["prompt"] = CleanText(brief.prompt);
  command["score_criteria"] = CleanText(brief.score_criteria);
}

}  // namespace

EventOwner OwnerOf(const PlanState* plan, const EventBody& body) {
  auto [agent, command] = IdsOf(body);
  EventOwner owner{std::move(agent), {}};
  if (plan == nullptr) return owner;
  if (const auto* changed = std::get_if<TaskChanged>(&body)) {
    const TaskIndex task = plan->dag ? plan->dag->Find(changed->task_id) : DagState::kNone;
    if (task != DagState::kNone) owner.agent = plan->dag->AgentOf(task);
    return owner;
  }
  const CommandRecord* record = command.empty() ? nullptr : plan->Find(command);
  if (record == nullptr) return owner;
  if (owner.agent.empty()) owner.agent = record->agent;
  owner.task = record->task;
  return owner;
}

json::object LogLineJson(const Event& event, const EventOwner& owner, const ContentLoader& load) {
  json::object line = EventToJson(event);
  const auto fill = [&](const char* name, const std::string& value) {
    json::value& there = line[name];
    const bool empty = there.is_null() || (there.is_string() && there.as_string().empty());
    if (empty) there = value.empty() ? json::value() : json::value(value);
  };
  fill("agent_id", owner.agent.str());
  fill("task_id", owner.task.str());
  fill("command_id", {});
  line["level"] = ToString(LevelOf(event.body));
  line["trace_id"] = event.plan_id.empty() ? json::value() : json::value(TraceIdOf(event.plan_id));
  if (const auto* received = std::get_if<CommandReceived>(&event.body)) {
    FillTexts(*received, load, line.at("data").as_object());
  }
  return line;
}

}  // namespace agenttalk
