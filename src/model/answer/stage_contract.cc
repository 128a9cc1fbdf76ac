#include "model/answer/stage_contract.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error_code.h"
#include "base/file_name.h"
#include "base/issue.h"
#include "base/json.h"
#include "base/suggestion.h"
#include "model/answer/agent_output.h"
#include "model/answer/agent_output_spellings.h"
#include "model/answer/task_plan_reader.h"
#include "model/command/loose_value.h"
#include "model/reading/object_reader.h"
#include "model/reading/schema_parts.h"
#include "model/request/stage.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

constexpr NumberRange kUnit{.min = 0, .max = 1};

IntentAnalysis IntentIn(ObjectReader& params) {
  IntentAnalysis analysis;
  params.Object(Field("normalizedIntent").Required(), [&](ObjectReader& intent) {
    intent.Text(Field("goal").Required(), analysis.goal);
    intent.Choice<IntentAction>(Field("action").Required(), kIntentActions, analysis.action);
    intent.Choice<IntentScope>(Field("scope").Required(), kIntentScopes, analysis.scope);
    intent.Choice<Urgency>(Field("urgency").Required(), kUrgencies, analysis.urgency);
  });
  params.Object(Field("taskRelation").Required(), [&](ObjectReader& relation) {
    relation.Choice<TaskRelation>(Field("type").Required(), kTaskRelations, analysis.relation);
    relation.Number(Field("confidence").Required(), kUnit, analysis.relation_confidence);
    relation.String(Field("reasoning").Required(), analysis.relation_reasoning);
  });
  params.Object(Field("contextDependency").Required(), [&](ObjectReader& context) {
    context.Boolean(Field("needsCurrentTaskContext").Required(), analysis.needs_current_task_context);
    context.Boolean(Field("needsExecutionHistory").Required(), analysis.needs_execution_history);
    context.Strings(Field("referencedEntities").Required(), analysis.referenced_entities);
  });
  return analysis;
}

StageParams ReadIntent(ObjectReader& params, const OutputContract& /*contract*/) {
  return IntentIn(params);
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
  params["normalizedIntent"] = ClosedSchema(std::move(intent));
  params["taskRelation"] = ClosedSchema(std::move(relation));
  params["contextDependency"] = ClosedSchema(std::move(context));
  return ClosedSchema(std::move(params));
}

// Nothing when it does not fit, which no accepted answer does.
template <typename Params>
Params ReadStored(std::string_view text, Params (*read)(ObjectReader&)) {
  const auto parsed = ParseJson(text);
  if (!parsed) return {};
  Issues issues;
  Params params;
  ReadObject(*parsed, issues, [&](ObjectReader& reader) { params = read(reader); });
  return issues.ok() ? params : Params();
}

StageParams ReadRoute(ObjectReader& params, const OutputContract& /*contract*/) {
  RouteDecision decision;
  params.Choice<Route>(Field("route").Required(), kRoutes, decision.route);
  params.Object(Field("payload").Required(), [&](ObjectReader& payload) {
    payload.Text(Field("reason").Required(), decision.reason);
    payload.Boolean(Field("requiresConfirmation").Required(), decision.requires_confirmation);
    ControlAction action{};
    if (payload.Choice<ControlAction>("controlAction", kControlActions, action))
      decision.control_action = action;
    payload.AllowOthers();
  });
  return decision;
}

json::object RouteSchema() {
  json::object payload;
  payload["reason"] = TextSchema();
  payload["requiresConfirmation"] = TypeSchema("boolean");
  json::object controlling = payload;
  controlling["controlAction"] = EnumSchema(kControlActions);
  json::object params;
  params["route"] = EnumSchema(kRoutes);
  params["payload"] = AnyOfSchema({ClosedSchema(std::move(payload)), ClosedSchema(std::move(controlling))});
  return ClosedSchema(std::move(params));
}

StageParams ReadTaskPlan(ObjectReader& params, const OutputContract& contract) {
  TaskPlan plan = ReadPlannedTasks(params);
  CheckTaskPlan(params, contract, plan);
  return plan;
}

StageParams ReadReview(ObjectReader& params, const OutputContract& /*contract*/) {
  ReviewResult review;
  params.Boolean(Field("approved").Required(), review.approved);
  const json::value* score = params.object().if_contains("score");
  const auto said = score != nullptr && score->is_string() ? ReadLooseNumber(*score) : std::nullopt;
  if (said && *said >= 0 && *said <= 100 && params.Has("score")) {
    review.score = *said;
  } else {
    params.Number(Field("score").Required(), kPercent, review.score);
  }
  params.String(Field("feedback").Required(), review.feedback);
  params.Strings("requiredFixes", review.required_fixes);
  return review;
}

json::object ReviewSchema() {
  json::object params;
  params["approved"] = TypeSchema("boolean");
  params["score"] = PercentSchema();
  params["feedback"] = TextSchema();
  params["requiredFixes"] = ListSchema(TextSchema());
  return ClosedSchema(std::move(params));
}

StageParams ReadStageError(ObjectReader& params, const OutputContract& /*contract*/) {
  StageError error;
  params.Choice<StageErrorType>(Field("errorType").Required(), kStageErrorTypes, error.type);
  params.Text(Field("message").Required(), error.message);
  params.String("suggestion", error.suggestion);
  return error;
}

json::object StageErrorSchema() {
  json::object params;
  params["errorType"] = EnumSchema(kStageErrorTypes);
  params["message"] = TextSchema();
  params["suggestion"] = TextSchema();
  return ClosedSchema(std::move(params));
}

StageParams ReadClarification(ObjectReader& params, const OutputContract& /*contract*/) {
  Clarification clarification;
  params.Text(Field("question").Required(), clarification.question);
  return clarification;
}

StageParams ReadComplete(ObjectReader& params, const OutputContract& /*contract*/) {
  params.Value(Field("result").Required().Hint("what the task has led to"));
  params.AllowOthers();
  return FreeParams{};
}

StageParams ReadFree(ObjectReader& params, const OutputContract& /*contract*/) {
  params.AllowOthers();
  return FreeParams{};
}

json::object ReasonSchema() {
  return TextFieldSchema("reason");
}

StageParams ReadTransition(ObjectReader& params, const OutputContract& /*contract*/) {
  std::string text;
  for (const char* name : {"from", "to", "summary"}) params.String(name, text);
  params.AllowOthers();
  return FreeParams{};
}

StageParams ReadAllocation(ObjectReader& params, const OutputContract& /*contract*/) {
  std::string text;
  params.Name(Field("task").Required().Hint("the id of the task that is to go elsewhere"), text);
  params.Name(Field("agent").Required().Hint("the id of an agent of the pool"), text);
  params.String("reason", text);
  params.AllowOthers();
  return FreeParams{};
}

StageParams ReadException(ObjectReader& params, const OutputContract& /*contract*/) {
  std::string decision;
  std::string text;
  const bool given = params.Text(Field("decision").Required(), decision);
  const bool known = decision == "retry" || decision == "skip" || decision == "replan" || decision == "stop";
  if (given && !known) {
    params.Error("decision", ErrorCode::kValueInvalid, fmt::format("\"{}\" is no decision", decision),
                 "one of retry, skip, replan, stop");
  }
  params.Name("task", text);
  params.String("reason", text);
  params.AllowOthers();
  return FreeParams{};
}

StageParams ReadEscalation(ObjectReader& params, const OutputContract& /*contract*/) {
  std::string text;
  std::vector<std::string> choices;
  params.Text(Field("question").Required(), text);
  params.Texts("choices", choices);
  params.String("recommendation", text);
  params.AllowOthers();
  return FreeParams{};
}

// What the params of an action must be, as a reader and as a schema.
struct ActionRule {
  std::optional<Stage> stage;  // missing: every stage has it
  std::string_view action;
  StageParams (*read)(ObjectReader& params, const OutputContract& contract);
  json::object (*schema)() = nullptr;  // null: any object
};

constexpr std::array<ActionRule, 14> kActionRules{{
    {std::nullopt, "ERROR", ReadStageError},
    {std::nullopt, "ESCALATE", ReadStageError},
    {std::nullopt, "CLARIFICATION_REQUIRED", ReadClarification},
    {Stage::kUnderstanding, "INTENT_ANALYSIS", ReadIntent, IntentSchema},
    {Stage::kRouter, "ROUTE_DECISION", ReadRoute, RouteSchema},
    {Stage::kPlanner, "TASK_PLAN", ReadTaskPlan, TaskPlanSchema},
    {Stage::kPlanner, "FAIL", ReadFree, ReasonSchema},
    {Stage::kExecutor, "COMPLETE", ReadComplete},
    {Stage::kExecutor, "FAIL", ReadFree},
    {Stage::kReviewer, "REVIEW_RESULT", ReadReview, ReviewSchema},
    {Stage::kOrchestrator, "PHASE_TRANSITION", ReadTransition},
    {Stage::kOrchestrator, "RESOURCE_ALLOCATE", ReadAllocation},
    {Stage::kOrchestrator, "EXCEPTION_HANDLE", ReadException},
    {Stage::kOrchestrator, "USER_ESCALATE", ReadEscalation},
}};

bool Applies(const ActionRule& rule, const std::optional<Stage>& stage) {
  return !rule.stage || !stage || *rule.stage == *stage;
}

const ActionRule* FindRule(const std::optional<Stage>& stage, std::string_view action) {
  const auto rule = std::ranges::find_if(kActionRules, [&](const ActionRule& candidate) {
    return candidate.action == action && Applies(candidate, stage);
  });
  return rule == kActionRules.end() ? nullptr : &*rule;
}

std::vector<std::string_view> ActionsFor(const std::optional<Stage>& stage) {
  std::vector<std::string_view> actions;
  for (const ActionRule& rule : kActionRules) {
    if (Applies(rule, stage)) actions.push_back(rule.action);
  }
  return actions;
}

// Any other word is the name of a tool where the stage is the executor's, or not known.
bool MayUseTools(const OutputContract& contract) {
  return !contract.stage || *contract.stage == Stage::kExecutor;
}

}  // namespace

std::vector<std::string_view> ActionsOf(Stage stage) {
  return ActionsFor(stage);
}

json::object ParamsSchema(Stage stage) {
  std::vector<json::object> forms;
  for (const ActionRule& rule : kActionRules) {
    if (rule.stage != stage) continue;
    if (rule.schema == nullptr) return TypeSchema("object");
    forms.push_back(rule.schema());
  }
  forms.push_back(TextFieldSchema("question"));
  forms.push_back(StageErrorSchema());
  return AnyOfSchema(std::move(forms));
}

void CheckAction(ObjectReader& reader, const OutputContract& contract, const AgentOutput& output) {
  const bool gave_up = output.action == "ERROR" || output.action == "ESCALATE";
  if (gave_up && output.confidence != 0) {
    reader.Error("confidence", ErrorCode::kValueInvalid, fmt::format("must be 0 with {}", output.action));
  }
  if (FindRule(contract.stage, output.action) != nullptr) return;
  const bool is_tool = MayUseTools(contract) && IsSafeName(output.action) &&
                       (!contract.known_tools || std::ranges::find(*contract.known_tools, output.action) !=
                                                     contract.known_tools->end());
  if (is_tool) return;
  std::vector<std::string_view> allowed = ActionsFor(contract.stage);
  if (contract.known_tools && MayUseTools(contract)) {
    allowed.insert(allowed.end(), contract.known_tools->begin(), contract.known_tools->end());
  }
  reader.Error("action", ErrorCode::kValueInvalid,
               fmt::format("\"{}\" is not one of {}", output.action, fmt::join(allowed, ", ")),
               DidYouMean(output.action, allowed));
}

StageParams ReadStageParams(ObjectReader& params, const OutputContract& contract, std::string_view action) {
  const ActionRule* rule = FindRule(contract.stage, action);
  return rule == nullptr ? ReadFree(params, contract) : rule->read(params, contract);
}

IntentAnalysis ReadStoredIntent(std::string_view params) {
  return ReadStored<IntentAnalysis>(params, IntentIn);
}

TaskPlan ReadStoredPlan(std::string_view params) {
  return ReadStored<TaskPlan>(params, ReadPlannedTasks);
}

}  // namespace agenttalk
