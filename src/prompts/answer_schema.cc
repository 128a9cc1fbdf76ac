#include "prompts/answer_schema.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "model/answer/agent_output_spellings.h"
#include "model/answer/stage_contract.h"
#include "model/config/risk_level.h"
#include "model/dag/task_outcome.h"
#include "model/reading/spelling.h"
#include "model/request/model_request.h"
#include "prompts/composer.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

json::object TypeSchema(std::string_view type) {
  json::object schema;
  schema["type"] = type;
  return schema;
}

// Servers that make an answer by its schema choose among what it allows: without the bounds a score of 1e9.
json::object PercentSchema() {
  json::object schema = TypeSchema("integer");
  schema["minimum"] = 0;
  schema["maximum"] = 100;
  return schema;
}

json::object TextSchema() {
  return TypeSchema("string");
}

json::object ListSchema(json::object items) {
  json::object schema = TypeSchema("array");
  schema["items"] = std::move(items);
  return schema;
}

json::object AnyOf(std::vector<json::object> schemas) {
  if (schemas.size() == 1) return std::move(schemas.front());
  json::array list;
  for (json::object& schema : schemas) list.emplace_back(std::move(schema));
  json::object any;
  any["anyOf"] = std::move(list);
  return any;
}

json::object Nullable(json::object schema) {
  return AnyOf({std::move(schema), TypeSchema("null")});
}

template <typename Texts>
json::object ChoiceSchema(const Texts& texts) {
  json::array list;
  for (const auto& text : texts) list.emplace_back(std::string_view(text));
  json::object schema = TextSchema();
  schema["enum"] = std::move(list);
  return schema;
}

template <typename E, std::size_t N>
json::object EnumSchema(const Spellings<E, N>& table) {
  std::vector<std::string_view> texts;
  for (const auto& entry : table) texts.push_back(entry.first);
  return ChoiceSchema(texts);
}

// An object with exactly these fields.
json::object Closed(json::object properties) {
  json::array required;
  for (const auto& property : properties) required.emplace_back(property.key());
  json::object schema = TypeSchema("object");
  schema["properties"] = std::move(properties);
  schema["required"] = std::move(required);
  schema["additionalProperties"] = false;
  return schema;
}

json::object CommandsSchema(std::span<const CommandForm> commands) {
  std::vector<json::object> forms;
  for (const CommandForm& command : commands) {
    json::object arguments;
    for (const CommandForm::Argument& argument : command.arguments) {
      json::object schema = argument.is_list ? ListSchema(TextSchema()) : TextSchema();
      arguments[argument.name] = argument.required ? std::move(schema) : Nullable(std::move(schema));
    }
    json::object form;
    form["command_name"] = ChoiceSchema(std::vector{command.name});
    form["args"] = Closed(std::move(arguments));
    forms.push_back(Closed(std::move(form)));
  }
  return ListSchema(AnyOf(std::move(forms)));
}

json::object ToolCallsSchema(std::span<const ToolSpec> tools) {
  std::vector<std::string_view> names;
  for (const ToolSpec& tool : tools) names.push_back(tool.name);
  json::object call;
  call["name"] = ChoiceSchema(names);
  call["arguments"] = TypeSchema("object");
  return ListSchema(Closed(std::move(call)));
}

json::object OutputsSchema(const ComposeInput& input) {
  json::object contents;
  for (const std::string& name : input.contract.outputs) {
    const bool always =
        std::ranges::find(input.contract.when, name, &OutputCondition::name) == input.contract.when.end();
    std::vector<json::object> forms = {TextSchema()};
    // A file, or nothing where a tool left it under its own name.
    if (input.has_folder) forms.push_back(Closed({{"file", TextSchema()}}));
    if (input.has_folder || !always) forms.push_back(TypeSchema("null"));
    contents[name] = AnyOf(std::move(forms));
  }
  return Closed(std::move(contents));
}

json::object ReworkSchema(std::span<const std::string> tasks) {
  json::object rework;
  rework["task_id"] = ChoiceSchema(tasks);
  rework["reason"] = TextSchema();
  return Closed(std::move(rework));
}

json::object ResultSchema(const ComposeInput& input, std::span<const CommandForm> commands) {
  const bool may_come_later = !commands.empty() || !input.text_tools.empty() ||
                              !input.contract.may_return.empty() || input.contract.may_reject;
  const auto unless_later = [&](json::object schema) {
    return may_come_later ? Nullable(std::move(schema)) : schema;
  };
  json::object fields;
  fields["result"] = unless_later(TextSchema());
  if (input.contract.score_required) {
    fields["score"] = unless_later(PercentSchema());
    fields["score_explanation"] = unless_later(TextSchema());
  }
  if (input.contract.outputs.size() > 1) fields["outputs"] = unless_later(OutputsSchema(input));
  if (!input.contract.may_return.empty())
    fields["rework"] = Nullable(ReworkSchema(input.contract.may_return));
  if (input.contract.may_reject) fields["rejected"] = Nullable(TextSchema());
  if (!commands.empty()) fields["commands"] = CommandsSchema(commands);
  if (!input.text_tools.empty()) fields["tool_calls"] = ToolCallsSchema(input.text_tools);
  return Closed(std::move(fields));
}

json::object StrategySchema(bool may_reject) {
  json::object fields;
  fields["strategy"] = ChoiceSchema(std::vector<std::string_view>{"simple", "template", "freeform"});
  fields["sop"] = TextSchema();
  fields["reason"] = TextSchema();
  if (may_reject) fields["rejected"] = Nullable(TextSchema());
  return Closed(std::move(fields));
}

json::object StepSchema(const std::vector<std::string_view>& types, std::string_view whom) {
  json::object step;
  step["id"] = TextSchema();
  step["type"] = ChoiceSchema(types);
  step[whom] = TextSchema();
  step["params"] = TypeSchema("object");
  step["on_error"] = TextSchema();
  if (types.front() == "use_tool") step["risk"] = EnumSchema(kRiskLevels);
  return Closed(std::move(step));
}

json::object StepsSchema(bool may_reject) {
  json::object fields;
  fields["steps"] =
      ListSchema(AnyOf({StepSchema({"execute_action"}, "name"), StepSchema({"use_tool"}, "name"),
                        StepSchema({"request_collaboration"}, "to")}));
  if (may_reject) fields["rejected"] = Nullable(TextSchema());
  return Closed(std::move(fields));
}

json::object IntentSchema() {
  json::object intent;
  intent["goal"] = TextSchema();
  intent["action"] = EnumSchema(kIntentActions);
  intent["scope"] = EnumSchema(kIntentScopes);
  intent["urgency"] = EnumSchema(kUrgencies);
  json::object relation;
  relation["type"] = EnumSchema(kTaskRelations);
  relation["confidence"] = TypeSchema("number");
  relation["reasoning"] = TextSchema();
  json::object context;
  context["needsCurrentTaskContext"] = TypeSchema("boolean");
  context["needsExecutionHistory"] = TypeSchema("boolean");
  context["referencedEntities"] = ListSchema(TextSchema());
  json::object params;
  params["normalizedIntent"] = Closed(std::move(intent));
  params["taskRelation"] = Closed(std::move(relation));
  params["contextDependency"] = Closed(std::move(context));
  return Closed(std::move(params));
}

json::object RouteSchema() {
  json::object payload;
  payload["reason"] = TextSchema();
  payload["requiresConfirmation"] = TypeSchema("boolean");
  json::object controlling = payload;
  controlling["controlAction"] = EnumSchema(kControlActions);
  json::object params;
  params["route"] = EnumSchema(kRoutes);
  params["payload"] = AnyOf({Closed(std::move(payload)), Closed(std::move(controlling))});
  return Closed(std::move(params));
}

json::object TaskPlanSchema() {
  json::object task;
  task["id"] = TextSchema();
  task["description"] = TextSchema();
  task["dependencies"] = ListSchema(TextSchema());
  task["requiredCapabilities"] = ListSchema(TextSchema());
  task["estimatedDuration"] = TypeSchema("integer");
  task["inputs"] = ListSchema(TextSchema());
  task["outputs"] = ListSchema(TextSchema());
  json::object params;
  params["tasks"] = ListSchema(Closed(std::move(task)));
  params["executionOrder"] = ListSchema(TextSchema());
  return Closed(std::move(params));
}

json::object ReviewSchema() {
  json::object params;
  params["approved"] = TypeSchema("boolean");
  params["score"] = PercentSchema();
  params["feedback"] = TextSchema();
  params["requiredFixes"] = ListSchema(TextSchema());
  return Closed(std::move(params));
}

json::object TextField(std::string_view name) {
  json::object params;
  params[name] = TextSchema();
  return Closed(std::move(params));
}

json::object StageErrorSchema() {
  json::object params;
  params["errorType"] = EnumSchema(kStageErrorTypes);
  params["message"] = TextSchema();
  params["suggestion"] = TextSchema();
  return Closed(std::move(params));
}

// What the params of a stage's actions may be. A tool's arguments and what a phase needs can be anything.
json::object ParamsSchema(Stage stage) {
  std::vector<json::object> forms;
  switch (stage) {
    case Stage::kUnderstanding:
      forms.push_back(IntentSchema());
      break;
    case Stage::kRouter:
      forms.push_back(RouteSchema());
      break;
    case Stage::kPlanner:
      forms.push_back(TaskPlanSchema());
      forms.push_back(TextField("reason"));
      break;
    case Stage::kReviewer:
      forms.push_back(ReviewSchema());
      break;
    case Stage::kOrchestrator:
    case Stage::kCommand:
    case Stage::kExecutor:
    case Stage::kStrategy:
    case Stage::kInternalPlan:
      return TypeSchema("object");
  }
  forms.push_back(TextField("question"));
  forms.push_back(StageErrorSchema());
  return AnyOf(std::move(forms));
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
  fields["risk"] = Closed(std::move(risk));
  fields["confidence"] = PercentSchema();
  fields["alternativeActions"] = ListSchema(TextSchema());
  fields["requiresUserConfirmation"] = TypeSchema("boolean");
  fields["userMessage"] = TextSchema();
  if (stage == Stage::kExecutor && !commands.empty()) fields["commands"] = CommandsSchema(commands);
  return Closed(std::move(fields));
}

}  // namespace

std::string AnswerSchema(const ComposeInput& input, std::span<const ToolSpec> tools,
                         std::span<const CommandForm> commands) {
  switch (input.ids.stage) {
    case Stage::kCommand:
      return CompactJson(ResultSchema(input, commands));
    case Stage::kStrategy:
      return CompactJson(StrategySchema(input.contract.may_reject));
    case Stage::kInternalPlan:
      return CompactJson(StepsSchema(input.contract.may_reject));
    case Stage::kUnderstanding:
    case Stage::kRouter:
    case Stage::kPlanner:
    case Stage::kExecutor:
    case Stage::kReviewer:
    case Stage::kOrchestrator:
      break;
  }
  return CompactJson(StageSchema(input.ids.stage, tools, commands));
}

}  // namespace agenttalk
