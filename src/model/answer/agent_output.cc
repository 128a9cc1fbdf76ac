#include "model/answer/agent_output.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/json.h"
#include "model/answer/agent_output_spellings.h"
#include "model/answer/stage_contract.h"
#include "model/answer/thinking_command.h"
#include "model/reading/checked.h"
#include "model/reading/object_reader.h"
#include "model/reading/parsed_text.h"
#include "model/reading/spelling.h"
#include "model/request/model_request.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

constexpr std::string_view kAgentSuffix = "-agent";

void ReadCommon(ObjectReader& reader, AgentOutput& output) {
  reader.Text(Field("thought").Required(), output.thought);
  reader.Text(Field("action").Required(), output.action);
  reader.Text(Field("expectedOutcome").Required(), output.expected_outcome);
  reader.Object(Field("risk").Required(), [&](ObjectReader& risk) {
    risk.Choice<RiskLevel>(Field("level").Required(), kRiskLevels, output.risk.level);
    risk.Text(Field("description").Required(), output.risk.description);
    risk.String("mitigation", output.risk.mitigation);
  });
  reader.Number(Field("confidence").Required(), kPercent, output.confidence);
  reader.Strings("alternativeActions", output.alternative_actions);
  reader.Boolean("requiresUserConfirmation", output.requires_user_confirmation);
  reader.String("userMessage", output.user_message);
}

}  // namespace

std::string_view ToString(IntentAction action) {
  return SpellingOf(kIntentActions, action);
}
std::string_view ToString(IntentScope scope) {
  return SpellingOf(kIntentScopes, scope);
}
std::string_view ToString(Urgency urgency) {
  return SpellingOf(kUrgencies, urgency);
}
std::string_view ToString(TaskRelation relation) {
  return SpellingOf(kTaskRelations, relation);
}
std::string_view ToString(Route route) {
  return SpellingOf(kRoutes, route);
}
std::string_view ToString(ControlAction action) {
  return SpellingOf(kControlActions, action);
}
std::string_view ToString(StageErrorType type) {
  return SpellingOf(kStageErrorTypes, type);
}

Checked<AgentOutput> ReadAgentOutput(const json::value& value, const OutputContract& contract) {
  Checked<AgentOutput> checked;
  AgentOutput output;
  ReadObject(value, checked.issues, [&](ObjectReader& reader) {
    ReadCommon(reader, output);
    if (!output.action.empty()) CheckAction(reader, contract, output);
    reader.Object(Field("params").Required(), [&](ObjectReader& params) {
      output.params_json = CanonicalJson(params.object());
      output.params = ReadStageParams(params, contract, output.action);
    });
    if (contract.stage != Stage::kExecutor) return;
    if (const json::value* commands = reader.Value("commands"); commands != nullptr && !commands->is_null()) {
      output.commands = ReadThinkingCommands(*commands, "/commands", checked.issues);
    }
  });
  if (checked.issues.ok()) checked.value = std::move(output);
  return checked;
}

Checked<AgentOutput> ParseAgentOutput(std::string_view text, const OutputContract& contract) {
  constexpr std::size_t kMaxAnswerBytes = std::size_t{4} << 20;
  return ReadJsonText<AgentOutput>(text, {.max_bytes = kMaxAnswerBytes}, [&](const json::value& value) {
    return ReadAgentOutput(value, contract);
  });
}

json::value ToJson(const AgentOutput& output) {
  json::object risk{{"level", ToString(output.risk.level)}, {"description", output.risk.description}};
  if (!output.risk.mitigation.empty()) risk["mitigation"] = output.risk.mitigation;
  json::object object{{"thought", output.thought},
                      {"action", output.action},
                      {"params", json::parse(output.params_json)},
                      {"expectedOutcome", output.expected_outcome},
                      {"risk", std::move(risk)},
                      {"confidence", output.confidence}};
  if (!output.alternative_actions.empty()) {
    object["alternativeActions"] =
        json::array(output.alternative_actions.begin(), output.alternative_actions.end());
  }
  if (output.requires_user_confirmation) object["requiresUserConfirmation"] = true;
  if (!output.user_message.empty()) object["userMessage"] = output.user_message;
  return object;
}

std::optional<Stage> ParseStageAgent(std::string_view name) {
  if (name.ends_with(kAgentSuffix)) name.remove_suffix(kAgentSuffix.size());
  const std::optional<Stage> stage = ParseStage(name);
  if (!stage || !IsStageAgent(*stage)) return std::nullopt;
  return stage;
}

}  // namespace agenttalk
