#include "model/answer/stage_contract.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error_code.h"
#include "base/file_name.h"
#include "base/glob.h"
#include "base/ids.h"
#include "base/issue.h"
#include "base/json.h"
#include "base/suggestion.h"
#include "model/answer/agent_output.h"
#include "model/answer/agent_output_spellings.h"
#include "model/command/loose_value.h"
#include "model/dag/task_dag.h"
#include "model/dag/task_graph.h"
#include "model/reading/object_reader.h"
#include "model/request/model_request.h"

namespace agenttalk {
namespace {

constexpr NumberRange kUnit{.min = 0, .max = 1};
constexpr IntegerRange kMilliseconds{.min = 0, .max = 1'000'000'000'000};

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

// Who makes which output; two tasks must not make the same.
std::unordered_map<std::string_view, std::string_view> MakersIn(ObjectReader& params, const TaskPlan& plan) {
  std::unordered_map<std::string_view, std::string_view> makers;
  for (const PlannedTask& task : plan.tasks) {
    for (const std::string& output : task.outputs) {
      const auto [maker, is_new] = makers.try_emplace(output, task.id);
      if (is_new || maker->second == task.id) continue;
      params.Error("tasks", ErrorCode::kOutputDuplicate,
                   fmt::format("\"{}\" and \"{}\" both make {}", maker->second, task.id, output));
    }
  }
  return makers;
}

// Every input is a file that is there, or what another task makes.
void CheckInputs(ObjectReader& params, const OutputContract& contract, const TaskPlan& plan,
                 const std::unordered_map<std::string_view, std::string_view>& makers) {
  if (!contract.known_files) return;
  const std::vector<std::string>& files = *contract.known_files;
  for (const PlannedTask& task : plan.tasks) {
    for (const std::string& input : task.inputs) {
      const auto meant = [&](std::string_view name) {
        return IsGlob(input) ? GlobMatches(input, name) : input == name;
      };
      const bool known = std::ranges::any_of(files, meant) ||
                         std::ranges::any_of(makers, [&](const auto& maker) { return meant(maker.first); });
      if (known) continue;
      std::vector<std::string_view> names(files.begin(), files.end());
      for (const auto& [name, maker] : makers) names.push_back(name);
      params.Error("tasks", ErrorCode::kDependencyUnknown,
                   fmt::format("\"{}\" takes {}, which is no file of the goal and no output of a task",
                               task.id, input),
                   DidYouMean(input, names));
    }
  }
}

// The planned tasks have to be a DAG of their own: the same faults, the same codes.
void CheckTaskPlan(ObjectReader& params, const OutputContract& contract, const TaskPlan& plan) {
  TaskDag dag;
  const auto makers = MakersIn(params, plan);
  CheckInputs(params, contract, plan, makers);
  std::unordered_map<std::string_view, std::size_t> ids;
  for (std::size_t i = 0; i < plan.tasks.size(); ++i) {
    const PlannedTask& task = plan.tasks[i];
    if (!task.id.empty() && !ids.try_emplace(task.id, i).second) {
      params.Error("tasks", ErrorCode::kTaskIdDuplicate,
                   fmt::format("two tasks have the id \"{}\"", task.id));
    }
    TaskNode& node = dag.nodes.emplace_back();
    node.task_id = TaskId(task.id);
    for (const std::string& id : task.dependencies) node.depends_on.emplace_back(id);
    // Who takes another's output waits for it.
    for (const std::string& input : task.inputs) {
      const auto maker = makers.find(input);
      if (maker != makers.end()) node.depends_on.emplace_back(std::string(maker->second));
    }
  }
  for (const PlannedTask& task : plan.tasks) {
    for (const std::string& id : task.dependencies) {
      const bool known =
          ids.contains(id) || std::ranges::find(contract.known_tasks, id) != contract.known_tasks.end();
      if (known) continue;
      params.Error("tasks", ErrorCode::kDependencyUnknown,
                   fmt::format("\"{}\" depends on \"{}\", which is not a task", task.id, id));
    }
  }
  for (const std::string& id : plan.execution_order) {
    if (ids.contains(id)) continue;
    params.Warn("executionOrder", ErrorCode::kTaskUnknown, fmt::format("there is no task \"{}\"", id));
  }
  for (const auto& cycle : TaskGraph(dag).FindCycles(1)) {
    std::vector<std::string_view> names;
    for (const TaskGraph::Index node : cycle) names.push_back(plan.tasks[node].id);
    names.push_back(names.front());
    params.Error("tasks", ErrorCode::kDagCycle,
                 fmt::format("the tasks wait for each other: {}", fmt::join(names, " → ")));
  }
}

void ReadFileNames(ObjectReader& object, std::string_view key, bool (*fits)(std::string_view),
                   std::vector<std::string>& names) {
  object.Items(key, [&](ItemReader& item) {
    std::string name;
    if (!item.String(name)) return;
    if (!fits(name)) {
      item.Error(ErrorCode::kNameUnsafe, fmt::format("\"{}\" cannot be the name of a file", name),
                 "use letters, digits, dots, dashes and underscores, and no folder");
    } else if (std::ranges::find(names, name) == names.end()) {
      names.push_back(std::move(name));
    }
  });
}

TaskPlan TaskPlanIn(ObjectReader& params) {
  TaskPlan plan;
  params.Objects(Field("tasks").Required(), [&](ObjectReader& object) {
    PlannedTask task;
    object.Name(Field("id").Required(ErrorCode::kTaskIdMissing), task.id);
    object.Text(Field("description").Required(), task.description);
    object.Names("dependencies", task.dependencies);
    object.Texts("requiredCapabilities", task.required_capabilities);
    object.Integer("estimatedDuration", kMilliseconds, task.estimated_duration_ms);
    ReadFileNames(object, "inputs", IsInputPattern, task.inputs);
    ReadFileNames(object, "outputs", IsOutputName, task.outputs);
    plan.tasks.push_back(std::move(task));
  });
  const auto* tasks = params.object().if_contains("tasks");
  if (tasks != nullptr && tasks->is_array() && tasks->get_array().empty()) {
    params.Error("tasks", ErrorCode::kFieldMissing, "a plan needs at least one task");
  }
  params.Strings("executionOrder", plan.execution_order);
  return plan;
}

StageParams ReadTaskPlan(ObjectReader& params, const OutputContract& contract) {
  TaskPlan plan = TaskPlanIn(params);
  CheckTaskPlan(params, contract, plan);
  return plan;
}

StageParams ReadReview(ObjectReader& params, const OutputContract& /*contract*/) {
  ReviewResult review;
  params.Boolean(Field("approved").Required(), review.approved);
  const boost::json::value* score = params.object().if_contains("score");
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

StageParams ReadStageError(ObjectReader& params, const OutputContract& /*contract*/) {
  StageError error;
  params.Choice<StageErrorType>(Field("errorType").Required(), kStageErrorTypes, error.type);
  params.Text(Field("message").Required(), error.message);
  params.String("suggestion", error.suggestion);
  return error;
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

struct ActionRule {
  std::optional<Stage> stage;  // missing: every stage has it
  std::string_view action;
  StageParams (*read)(ObjectReader& params, const OutputContract& contract);
};

constexpr std::array<ActionRule, 14> kRules{{
    {std::nullopt, "ERROR", ReadStageError},
    {std::nullopt, "ESCALATE", ReadStageError},
    {std::nullopt, "CLARIFICATION_REQUIRED", ReadClarification},
    {Stage::kUnderstanding, "INTENT_ANALYSIS", ReadIntent},
    {Stage::kRouter, "ROUTE_DECISION", ReadRoute},
    {Stage::kPlanner, "TASK_PLAN", ReadTaskPlan},
    {Stage::kPlanner, "FAIL", ReadFree},
    {Stage::kExecutor, "COMPLETE", ReadComplete},
    {Stage::kExecutor, "FAIL", ReadFree},
    {Stage::kReviewer, "REVIEW_RESULT", ReadReview},
    {Stage::kOrchestrator, "PHASE_TRANSITION", ReadTransition},
    {Stage::kOrchestrator, "RESOURCE_ALLOCATE", ReadAllocation},
    {Stage::kOrchestrator, "EXCEPTION_HANDLE", ReadException},
    {Stage::kOrchestrator, "USER_ESCALATE", ReadEscalation},
}};

bool Applies(const ActionRule& rule, const std::optional<Stage>& stage) {
  return !rule.stage || !stage || *rule.stage == *stage;
}

const ActionRule* FindRule(const std::optional<Stage>& stage, std::string_view action) {
  const auto rule = std::ranges::find_if(kRules, [&](const ActionRule& candidate) {
    return candidate.action == action && Applies(candidate, stage);
  });
  return rule == kRules.end() ? nullptr : &*rule;
}

std::vector<std::string_view> ActionsFor(const std::optional<Stage>& stage) {
  std::vector<std::string_view> actions;
  for (const ActionRule& rule : kRules) {
    if (Applies(rule, stage)) actions.push_back(rule.action);
  }
  return actions;
}

// Any other word is the name of a tool where the stage is the executor's, or not known.
bool MayUseTools(const OutputContract& contract) {
  return !contract.stage || *contract.stage == Stage::kExecutor;
}

}  // namespace

bool IsStageAgent(Stage stage) {
  return stage == Stage::kUnderstanding || stage == Stage::kRouter || stage == Stage::kPlanner ||
         stage == Stage::kExecutor || stage == Stage::kReviewer || stage == Stage::kOrchestrator;
}

std::vector<std::string_view> ActionsOf(Stage stage) {
  return ActionsFor(stage);
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
  return ReadStored<TaskPlan>(params, TaskPlanIn);
}

}  // namespace agenttalk
