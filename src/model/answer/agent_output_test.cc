#include "model/answer/agent_output.h"

#include <gtest/gtest.h>

#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/json.h"
#include "model/reading/brief_issues.h"
#include "model/reading/checked.h"
#include "model/request/model_request.h"

namespace agenttalk {
namespace {

using Lines = std::vector<std::string>;

std::string Output(std::string_view action, std::string_view params, std::string_view confidence = "90") {
  return R"({"thought":"because","action":")" + std::string(action) + R"(","params":)" + std::string(params) +
         R"(,"expectedOutcome":"done","risk":{"level":"low","description":"none"},"confidence":)" +
         std::string(confidence) + "}";
}

constexpr std::string_view kIntent = R"({
  "normalizedIntent":{"goal":"g","action":"create","scope":"full_task","urgency":"high"},
  "taskRelation":{"type":"same_task_minor_change","confidence":0.85,"reasoning":"r"},
  "contextDependency":{"needsCurrentTaskContext":true,"needsExecutionHistory":false,"referencedEntities":["e"]}})";

Lines Errors(std::optional<Stage> stage, const std::string& text) {
  return Brief(ParseAgentOutput(text, {.stage = stage, .known_tools = {}}).issues.errors);
}

template <typename T>
T Params(Stage stage, const std::string& text) {
  const Checked<AgentOutput> output = ParseAgentOutput(text, {.stage = stage, .known_tools = {}});
  EXPECT_EQ(Brief(output.issues.errors), Lines{});
  return output && std::holds_alternative<T>(output->params) ? std::get<T>(output->params) : T{};
}

TEST(AgentOutput, ReadsTheStructureAndWritesItBack) {
  const Checked<AgentOutput> output = ParseAgentOutput(
      R"({"thought":"t","action":"run_tests","params":{"b":1,"a":[2]},"expectedOutcome":"e",
          "risk":{"level":"high","description":"d","mitigation":"m"},"confidence":95.5,
          "alternativeActions":["x"],"requiresUserConfirmation":true,"userMessage":"hello"})",
      {.stage = Stage::kExecutor, .known_tools = {}});
  ASSERT_TRUE(output) << Brief(output.issues.errors).front();
  EXPECT_EQ(output->risk.level, RiskLevel::kHigh);
  EXPECT_EQ(output->params_json, R"({"a":[2],"b":1})");
  EXPECT_TRUE(output->requires_user_confirmation);
  const Checked<AgentOutput> again = ParseAgentOutput(CanonicalJson(ToJson(*output)));
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, *output);
}

TEST(AgentOutput, ReportsEveryMissingFieldAtOnce) {
  EXPECT_EQ(Errors(Stage::kRouter, "{}"),
            (Lines{"FIELD_MISSING /thought", "FIELD_MISSING /action", "FIELD_MISSING /expectedOutcome",
                   "FIELD_MISSING /risk", "FIELD_MISSING /confidence", "FIELD_MISSING /params"}));
}

TEST(AgentOutput, ChecksTypesRangesAndLevels) {
  EXPECT_EQ(
      Errors(Stage::kExecutor,
             R"({"thought":" ","action":"COMPLETE","params":[],"expectedOutcome":1,
                       "risk":{"level":"extreme","description":"d"},"confidence":101,"alternativeActions":"x"})"),
      (Lines{"FIELD_MISSING /thought", "TYPE_MISMATCH /expectedOutcome", "VALUE_INVALID /risk/level",
             "VALUE_INVALID /confidence", "TYPE_MISMATCH /alternativeActions", "TYPE_MISMATCH /params"}));
}

TEST(AgentOutput, ReadsAnIntentAnalysis) {
  const auto intent = Params<IntentAnalysis>(Stage::kUnderstanding, Output("INTENT_ANALYSIS", kIntent));
  EXPECT_EQ(intent.relation, TaskRelation::kSameTaskMinorChange);
  EXPECT_EQ(intent.relation_confidence, 0.85);
  EXPECT_EQ(intent.referenced_entities, (Lines{"e"}));
}

TEST(AgentOutput, ReadsARouteDecision) {
  const auto route = Params<RouteDecision>(
      Stage::kRouter,
      Output(
          "ROUTE_DECISION",
          R"({"route":"control_action","payload":{"reason":"r","requiresConfirmation":true,"controlAction":"pause"}})"));
  EXPECT_EQ(route.route, Route::kControlAction);
  EXPECT_EQ(route.control_action, ControlAction::kPause);
}

TEST(AgentOutput, ReadsATaskPlan) {
  const auto plan = Params<TaskPlan>(Stage::kPlanner,
                                     Output("TASK_PLAN",
                                            R"({"tasks":[{"id":"task-1","description":"d","dependencies":[],
             "requiredCapabilities":["web_search"],"estimatedDuration":300000},
             {"id":"task-2","description":"d","dependencies":["task-1"]}],"executionOrder":["task-1","task-2"]})"));
  ASSERT_EQ(plan.tasks.size(), 2U);
  EXPECT_EQ(plan.tasks[0].estimated_duration_ms, 300000U);
  EXPECT_EQ(plan.tasks[1].dependencies, (Lines{"task-1"}));
}

TEST(AgentOutput, ATaskPlanMustBeADag) {
  EXPECT_EQ(Errors(Stage::kPlanner,
                   Output("TASK_PLAN", R"({"tasks":[{"id":"a","description":"d","dependencies":["b"]},
                     {"id":"b","description":"d","dependencies":["a"]},{"id":"c","description":"d","dependencies":["x"]},
                     {"id":"c","description":"d"}]})")),
            (Lines{"TASK_ID_DUPLICATE /params/tasks", "DEPENDENCY_UNKNOWN /params/tasks",
                   "DAG_CYCLE /params/tasks"}));
  EXPECT_EQ(Errors(Stage::kPlanner, Output("TASK_PLAN", R"({"tasks":[]})")),
            (Lines{"FIELD_MISSING /params/tasks"}));
}

TEST(AgentOutput, ReadsAReview) {
  const auto review = Params<ReviewResult>(
      Stage::kReviewer,
      Output("REVIEW_RESULT", R"({"approved":false,"score":40,"feedback":"f","requiredFixes":["x"]})"));
  EXPECT_FALSE(review.approved);
  EXPECT_EQ(review.required_fixes, (Lines{"x"}));
}

TEST(AgentOutput, EveryStageMayFailOrAsk) {
  for (const StageRow& row : kStageRows) {
    const Stage stage = row.stage;
    if (!IsStageAgent(stage)) continue;
    const auto error = Params<StageError>(
        stage, Output("ESCALATE", R"({"errorType":"context_missing","message":"m","suggestion":"s"})", "0"));
    EXPECT_EQ(error.message, "m");
    EXPECT_EQ(Params<Clarification>(stage, Output("CLARIFICATION_REQUIRED", R"({"question":"which?"})", "30"))
                  .question,
              "which?");
  }
}

TEST(AgentOutput, AnErrorHasNoConfidence) {
  EXPECT_EQ(Errors(Stage::kRouter, Output("ERROR", R"({"errorType":"parse_error","message":"m"})", "10")),
            (Lines{"VALUE_INVALID /confidence"}));
  EXPECT_EQ(Errors(Stage::kRouter, Output("ERROR", R"({"errorType":"other"})", "0")),
            (Lines{"VALUE_INVALID /params/errorType", "FIELD_MISSING /params/message"}));
}

TEST(AgentOutput, AStageHasItsOwnActionsOnly) {
  EXPECT_EQ(Errors(Stage::kRouter, Output("INTENT_ANALYSIS", "{}")), (Lines{"VALUE_INVALID /action"}));
  EXPECT_EQ(Errors(Stage::kReviewer, Output("write_file", "{}")), (Lines{"VALUE_INVALID /action"}));
  EXPECT_EQ(Errors(Stage::kOrchestrator, Output("PHASE_TRANSITION", R"({"to":"review"})")), Lines{});
  EXPECT_EQ(Errors(Stage::kPlanner, Output("FAIL", R"({"reason":"no"})")), Lines{});
}

TEST(AgentOutput, TheExecutorNamesAToolOrTheResult) {
  EXPECT_EQ(Errors(Stage::kExecutor, Output("write_file", R"({"path":"a"})")), Lines{});
  EXPECT_EQ(Errors(Stage::kExecutor, Output("COMPLETE", "{}")), (Lines{"FIELD_MISSING /params/result"}));
  EXPECT_EQ(Errors(Stage::kExecutor, Output("no such tool", "{}")), (Lines{"VALUE_INVALID /action"}));
  const Checked<AgentOutput> output = ParseAgentOutput(
      Output("write_fil", "{}"), {.stage = Stage::kExecutor, .known_tools = Lines{"write_file"}});
  EXPECT_EQ(Brief(output.issues.errors), (Lines{"VALUE_INVALID /action"}));
  EXPECT_EQ(output.issues.errors[0].hint, "did you mean \"write_file\"?");
}

TEST(AgentOutput, WithoutAStageTheActionTells) {
  EXPECT_EQ(Errors(std::nullopt, Output("INTENT_ANALYSIS", "{}")),
            (Lines{"FIELD_MISSING /params/normalizedIntent", "FIELD_MISSING /params/taskRelation",
                   "FIELD_MISSING /params/contextDependency"}));
}

TEST(AgentOutput, KnowsTheSixStagesByBothNames) {
  EXPECT_EQ(ParseStageAgent("planner"), Stage::kPlanner);
  EXPECT_EQ(ParseStageAgent("planner-agent"), Stage::kPlanner);
  EXPECT_EQ(ParseStageAgent("command"), std::nullopt);
  EXPECT_EQ(ParseStageAgent("nobody"), std::nullopt);
}

}  // namespace
}  // namespace agenttalk
