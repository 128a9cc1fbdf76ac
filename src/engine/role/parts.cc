#include "engine/role/parts.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/file_name.h"
#include "base/ids.h"
#include "base/json.h"
#include "engine/command/conversation.h"
#include "engine/command/flow.h"
#include "engine/command/message_text.h"
#include "engine/command/router.h"
#include "engine/state/plan_state.h"
#include "engine/state/role_state.h"
#include "engine/turn/turn.h"
#include "model/config/agent_profile.h"
#include "model/content/content.h"
#include "model/events/event.h"
#include "model/steps/internal_plan.h"
#include "model/steps/sop.h"
#include "model/words/reasons.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

// A task that can be said in so few words, with at most one input and one output, needs no plan.
constexpr std::size_t kShortPrompt = 280;

struct ValueText {
  std::string text;
  bool is_json = false;
};

ValueText TextOf(const json::object& params, std::string_view key) {
  const json::value* value = params.if_contains(key);
  if (value == nullptr || value->is_null()) return {};
  if (value->is_string()) return {std::string(value->get_string()), false};
  return {CanonicalJson(*value), true};
}

Result<ActionResult> AskTheModel(const ActionCall& call) {
  ContinueConversation(call.turn, call.plan, call.record);
  return ActionResult{.result = {}, .pending = true};
}

Result<ActionResult> WriteOutput(const ActionCall& call) {
  const std::string name = TextOf(call.params, "name").text;
  if (!IsOutputName(name))
    return Fail(ErrorCode::kNameUnsafe, fmt::format("\"{}\" cannot be the name of an output", name));
  ValueText content = TextOf(call.params, "content");
  ActionResult made;
  made.outputs.push_back({name, call.turn.Store(call.plan, content.text)});
  made.result = std::move(content.text);
  made.result_is_json = content.is_json;
  return made;
}

Result<std::vector<AgentId>> Receivers(const json::object& params) {
  std::vector<AgentId> receivers;
  const json::value& to = params.at("send_to");
  if (to.is_string()) receivers.emplace_back(std::string(to.get_string()));
  if (to.is_array()) {
    for (const json::value& one : to.get_array()) {
      if (!one.is_string()) return Fail(ErrorCode::kTypeMismatch, "send_to holds the ids of agents");
      receivers.emplace_back(std::string(one.get_string()));
    }
  }
  if (receivers.empty()) return Fail(ErrorCode::kRoutingNoTarget, "send_to names nobody");
  return receivers;
}

// All receivers or none: a step that failed must not have happened in part.
Result<ActionResult> PublishMessage(const ActionCall& call) {
  const ValueText content = TextOf(call.params, "content");
  const std::uint32_t hops = NextHops(call.record);
  const std::vector<AgentId> receivers = TRY(Receivers(call.params));
  for (const AgentId& to : receivers) {
    if (auto obstacle = FindObstacle(call.turn.state(), call.record.agent, to, hops))
      return std::unexpected(*std::move(obstacle));
  }
  const RoleState& role = *call.record.execution->role;
  const std::string id = fmt::format("msg_{}_{}", call.record.id.str(), role.CurrentStep().id);
  for (const AgentId& to : receivers) {
    MessageFacts facts;
    facts.message_id = id;
    facts.plan_id = &call.plan.id;
    facts.command_id = &call.record.id;
    facts.from = &call.record.agent;
    facts.to = &to;
    facts.content = content.text;
    facts.hops = hops;
    facts.sent_at = call.turn.now();
    const Content message = call.turn.Store(call.plan, MessageText(facts));
    DeliverMessage(call.turn, call.plan, {id, call.record.id, call.record.agent, to, message, {}, hops, {}});
  }
  return ActionResult{content.text, content.is_json};
}

std::optional<ReportedStatus> StatusNamed(std::string_view word) {
  if (word == "in_progress") return ReportedStatus::kInProgress;
  if (word == "completed") return ReportedStatus::kCompleted;
  if (word == "failed" || word == "error") return ReportedStatus::kFailed;
  return std::nullopt;
}

Result<ActionResult> UpdateTaskStatus(const ActionCall& call) {
  const auto status = StatusNamed(TextOf(call.params, "status").text);
  if (!status) return Fail(ErrorCode::kValueInvalid, "status is none of in_progress, completed, failed", {});
  ValueText summary = TextOf(call.params, "summary");
  call.turn.Emit(call.plan,
                 StatusReported{call.record.id, call.record.task, call.record.agent, *status, summary.text});
  if (*status != ReportedStatus::kFailed) return ActionResult{std::move(summary.text), summary.is_json};
  EndCommand(call.turn, call.plan, call.record, EndState::kFailed, ErrorCode::kStepFailed,
             std::move(summary.text));
  return ActionResult{.result = {}, .ended = true};
}

}  // namespace

std::optional<StrategyDecision> RulesThenModel::Choose(const TaskFacts& facts) const {
  const Strategy wanted = facts.agent->strategy;
  if (wanted == Strategy::kFreeform)
    return StrategyDecision{Strategy::kFreeform, Say(facts.language, Reason::kProfileSays), nullptr};
  if (!facts.sops.empty()) {
    const Sop& first = facts.sops.front();
    return StrategyDecision{Strategy::kTemplate, Say(facts.language, Reason::kProcedureMatches, first.name),
                            &first};
  }
  if (wanted == Strategy::kTemplate)
    return StrategyDecision{Strategy::kSimple, Say(facts.language, Reason::kNoProcedure), nullptr};
  if (facts.prompt.size() <= kShortPrompt && facts.inputs <= 1 && facts.outputs <= 1)
    return StrategyDecision{Strategy::kSimple, Say(facts.language, Reason::kShortTask), nullptr};
  return std::nullopt;
}

ActionRegistry::ActionRegistry() {
  Add({"ask_model",
       "asks the model. params: prompt (what this step is to bring; the task and its inputs are known). "
       "Its result is the answer.",
       "",
       {"prompt"},
       AskTheModel});
  Add({"write_output",
       "writes a declared output of the task. params: name, content. Its result is the content.",
       "",
       {"name", "content"},
       WriteOutput});
  Add({"publish_message",
       "sends a message to other agents. params: content, send_to (an agent's id or a list of them).",
       "publish_message",
       {"content", "send_to"},
       PublishMessage});
  Add({"update_task_status",
       "says how the task is. params: status (in_progress, completed, failed), summary. Its result is the "
       "summary; failed ends the task.",
       "",
       {"status"},
       UpdateTaskStatus});
}

void ActionRegistry::Add(Action action) {
  const std::string name = action.name;
  actions_[name] = std::move(action);
}

const Action* ActionRegistry::Find(std::string_view name) const {
  const auto found = actions_.find(name);
  return found == actions_.end() ? nullptr : &found->second;
}

const RoleParts& DefaultRole() {
  static const RoleParts parts;
  return parts;
}

}  // namespace agenttalk
