#include "prompts/answer_schema.h"

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "model/answer/stage_contract.h"
#include "model/config/risk_level.h"
#include "model/dag/task_outcome.h"
#include "model/reading/schema_parts.h"
#include "model/request/model_request.h"
#include "model/steps/internal_plan.h"
#include "prompts/composer.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

json::object CommandsSchema(std::span<const CommandForm> commands) {
  std::vector<json::object> forms;
  for (const CommandForm& command : commands) {
    json::object arguments;
    for (const CommandForm::Argument& argument : command.arguments) {
      json::object schema = argument.is_list ? ListSchema(TextSchema()) : TextSchema();
      arguments[argument.name] = argument.required ? std::move(schema) : NullableSchema(std::move(schema));
    }
    json::object form;
    form["command_name"] = ChoiceSchema(std::vector{command.name});
    form["args"] = ClosedSchema(std::move(arguments));
    forms.push_back(ClosedSchema(std::move(form)));
  }
  return ListSchema(AnyOfSchema(std::move(forms)));
}

json::object ToolCallsSchema(std::span<const ToolSpec> tools) {
  std::vector<std::string_view> names;
  for (const ToolSpec& tool : tools) names.push_back(tool.name);
  json::object call;
  call["name"] = ChoiceSchema(names);
  call["arguments"] = TypeSchema("object");
  return ListSchema(ClosedSchema(std::move(call)));
}

json::object OutputsSchema(const ComposeInput& input) {
  json::object contents;
  for (const std::string& name : input.contract.outputs) {
    const bool always =
        std::ranges::find(input.contract.when, name, &OutputCondition::name) == input.contract.when.end();
    std::vector<json::object> forms = {TextSchema()};
    // A file, or nothing where a tool left it under its own name.
    if (input.has_folder) forms.push_back(ClosedSchema({{"file", TextSchema()}}));
    if (input.has_folder || !always) forms.push_back(TypeSchema("null"));
    contents[name] = AnyOfSchema(std::move(forms));
  }
  return ClosedSchema(std::move(contents));
}

json::object ReworkSchema(std::span<const std::string> tasks) {
  json::object rework;
  rework["task_id"] = ChoiceSchema(tasks);
  rework["reason"] = TextSchema();
  return ClosedSchema(std::move(rework));
}

json::object ResultSchema(const ComposeInput& input, std::span<const CommandForm> commands) {
  const bool may_come_later = !commands.empty() || !input.text_tools.empty() ||
                              !input.contract.may_return.empty() || input.contract.may_reject;
  const auto unless_later = [&](json::object schema) {
    return may_come_later ? NullableSchema(std::move(schema)) : schema;
  };
  json::object fields;
  fields["result"] = unless_later(TextSchema());
  if (input.contract.score_required) {
    fields["score"] = unless_later(PercentSchema());
    fields["score_explanation"] = unless_later(TextSchema());
  }
  if (input.contract.outputs.size() > 1) fields["outputs"] = unless_later(OutputsSchema(input));
  if (!input.contract.may_return.empty())
    fields["rework"] = NullableSchema(ReworkSchema(input.contract.may_return));
  if (input.contract.may_reject) fields["rejected"] = NullableSchema(TextSchema());
  if (!commands.empty()) fields["commands"] = CommandsSchema(commands);
  if (!input.text_tools.empty()) fields["tool_calls"] = ToolCallsSchema(input.text_tools);
  return ClosedSchema(std::move(fields));
}

json::object StrategySchema(bool may_reject) {
  json::object fields;
  fields["strategy"] = ChoiceSchema(std::vector<std::string_view>{"simple", "template", "freeform"});
  fields["sop"] = TextSchema();
  fields["reason"] = TextSchema();
  if (may_reject) fields["rejected"] = NullableSchema(TextSchema());
  return ClosedSchema(std::move(fields));
}

json::object StepSchema(const StepTypeRow& type) {
  json::object step;
  step["id"] = TextSchema();
  step["type"] = ChoiceSchema(std::vector{type.name});
  step[type.about] = TextSchema();
  step["params"] = TypeSchema("object");
  step["on_error"] = TextSchema();
  if (type.risky) step["risk"] = EnumSchema(kRiskLevels);
  return ClosedSchema(std::move(step));
}

json::object StepsSchema(bool may_reject) {
  std::vector<json::object> forms;
  for (const StepTypeRow& type : kStepTypeRows) forms.push_back(StepSchema(type));
  json::object fields;
  fields["steps"] = ListSchema(AnyOfSchema(std::move(forms)));
  if (may_reject) fields["rejected"] = NullableSchema(TextSchema());
  return ClosedSchema(std::move(fields));
}

json::object StageSchema(Stage stage, std::span<const ToolSpec> tools,
                         std::span<const CommandForm> commands) {
  std::vector<std::string_view> actions = ActionsOf(stage);
  if (stage == Stage::kExecutor) {
    for (const ToolSpec& tool : tools) actions.push_back(tool.name);
  }
  json::object risk;
  risk["level"] = EnumSchema(kRiskLevels);
  risk["description"] = TextSchema();
  risk["mitigation"] = TextSchema();
  json::object fields;
  fields["thought"] = TextSchema();
  fields["action"] = ChoiceSchema(actions);
  fields["params"] = ParamsSchema(stage);
  fields["expectedOutcome"] = TextSchema();
  fields["risk"] = ClosedSchema(std::move(risk));
  fields["confidence"] = PercentSchema();
  fields["alternativeActions"] = ListSchema(TextSchema());
  fields["requiresUserConfirmation"] = TypeSchema("boolean");
  fields["userMessage"] = TextSchema();
  if (stage == Stage::kExecutor && !commands.empty()) fields["commands"] = CommandsSchema(commands);
  return ClosedSchema(std::move(fields));
}

}  // namespace

std::string AnswerSchema(const ComposeInput& input, std::span<const ToolSpec> tools,
                         std::span<const CommandForm> commands) {
  switch (FormOf(input.ids.stage)) {
    case AnswerForm::kResult:
      return CompactJson(ResultSchema(input, commands));
    case AnswerForm::kStrategy:
      return CompactJson(StrategySchema(input.contract.may_reject));
    case AnswerForm::kSteps:
      return CompactJson(StepsSchema(input.contract.may_reject));
    case AnswerForm::kAgentOutput:
      break;
  }
  return CompactJson(StageSchema(input.ids.stage, tools, commands));
}

}  // namespace agenttalk
