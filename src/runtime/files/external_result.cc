#include "runtime/files/external_result.h"

#include <boost/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/error_code.h"
#include "base/ids.h"
#include "base/json.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "model/events/event.h"
#include "model/request/answer_contract.h"
#include "runtime/answers/answer_facts.h"
#include "runtime/core/core.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

// What the result was asked for with. Older versions recorded nothing of it.
AnswerContract ContractOf(const CommandRecord* record) {
  if (record != nullptr && record->execution && record->execution->contract) {
    return *record->execution->contract;
  }
  AnswerContract contract;
  contract.tools_allowed = false;
  contract.score_required = record != nullptr && record->score_required;
  contract.may_reject = record != nullptr && record->owner == OwnerKind::kCollaboration;
  return contract;
}

// The outputs that are there already, as files in the agent's outbox.
std::vector<std::string> OutputNames(const PlanState& plan, const AgentId& agent) {
  std::vector<std::string> names;
  const auto found = plan.found_outputs.find(agent);
  if (found == plan.found_outputs.end()) return names;
  for (const auto& [name, content] : found->second) names.push_back(name);
  return names;
}

// {"error": {"message": …, "retry": true|false}}: the agent could not do it. False: it says something else.
bool ReadFailure(const std::string& bytes, ExternalResult& result) {
  const auto parsed = ParseJson(bytes);
  const json::object* object = parsed ? parsed->if_object() : nullptr;
  const json::value* error = object == nullptr ? nullptr : object->if_contains("error");
  if (error == nullptr || error->is_null()) return false;
  if (object->contains("result")) {
    result.answer.errors.push_back("a result file holds either result or error, not both");
    return true;
  }
  const json::object* fields = error->if_object();
  const json::value* message = fields == nullptr ? error : fields->if_contains("message");
  const json::value* retry = fields == nullptr ? nullptr : fields->if_contains("retry");
  const bool told = message != nullptr && message->is_string() && !message->get_string().empty();
  if (!told || (retry != nullptr && !retry->is_bool())) {
    result.answer.errors.push_back(R"(error must be {"message": "what went wrong", "retry": true or false})");
    return true;
  }
  const bool again = retry != nullptr && retry->get_bool();
  result.failure = CallFailure{ErrorCode::kAgentFailed, std::string(message->get_string()), again, {}};
  return true;
}

}  // namespace

ExternalResult ReadExternalResult(Core& core, const AgentId& agent, const PlanId& plan,
                                  const CommandId& command, std::string bytes) {
  ExternalResult result;
  result.agent_id = agent;
  result.plan_id = plan;
  result.command_id = command;
  const auto state = core.LookUp(plan);
  const CommandRecord* record = state && *state != nullptr ? (*state)->Find(command) : nullptr;
  if (ReadFailure(bytes, result)) {
    result.body = std::move(bytes);
    return result;
  }
  const auto no_tools = [](const ToolCall& call) { return ToolRequest{call.id, call.name, {}, true, {}}; };
  result.answer =
      ReadAnswerFacts(plan, ContractOf(record), bytes, no_tools,
                      state && *state != nullptr ? OutputNames(**state, agent) : std::vector<std::string>(),
                      {}, core.state().settings.language);
  result.body = std::move(bytes);
  return result;
}

}  // namespace agenttalk
