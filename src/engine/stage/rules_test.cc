#include "engine/stage/rules.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "engine/state/goal_state.h"
#include "model/answer/agent_output.h"

namespace agenttalk {
namespace {

RouteFacts Facts(TaskRelation relation, double confidence, Route said, bool plan_exists = true) {
  RouteFacts facts;
  facts.intent.relation = relation;
  facts.intent.relation_confidence = confidence;
  facts.intent.action = IntentAction::kModify;
  facts.said.route = said;
  facts.plan_exists = plan_exists;
  return facts;
}

struct RouteRow {
  TaskRelation relation;
  double confidence;
  bool plan_exists;
  Route decided;
  bool must_confirm;
};

const std::vector<RouteRow>& RouteRows() {
  using R = TaskRelation;
  static const std::vector<RouteRow> rows = {
      {R::kSameTaskNoChange, 0.9, true, Route::kContinueExecution, false},
      {R::kSameTaskNoChange, 0.1, true, Route::kContinueExecution, false},  // changes nothing
      {R::kSameTaskMinorChange, 0.71, true, Route::kMinorReplan, false},
      {R::kSameTaskMinorChange, 0.7, true, Route::kWaitUserDecision, true},
      {R::kSameTaskMinorChange, 0.3, true, Route::kWaitUserDecision, true},
      {R::kSameTaskMajorChange, 0.7, true, Route::kFullReplan, true},
      {R::kSameTaskMajorChange, 0.69, true, Route::kWaitUserDecision, true},
      {R::kDifferentTask, 0.9, true, Route::kNewTask, true},
      {R::kDifferentTask, 0.69, true, Route::kWaitUserDecision, true},
      {R::kDifferentTask, 0.9, false, Route::kNewTask, false},
      {R::kDifferentTask, 0.5, false, Route::kWaitUserDecision, true},
      {R::kSameTaskNoChange, 0.9, false, Route::kNewTask, false},
      {R::kSameTaskMajorChange, 0.9, false, Route::kNewTask, false}};
  return rows;
}

TEST(StageRules, TheRelationDecidesWhateverTheModelSays) {
  for (const RouteRow& row : RouteRows()) {
    for (const Route said : {Route::kContinueExecution, Route::kMinorReplan, Route::kFullReplan,
                             Route::kNewTask, Route::kControlAction}) {
      const Ruling ruling = RuleRoute(Facts(row.relation, row.confidence, said, row.plan_exists));
      EXPECT_EQ(ruling.route, row.decided) << ToString(row.relation) << " " << row.confidence;
      EXPECT_EQ(ruling.overruled, said != row.decided) << ToString(said);
      EXPECT_EQ(ruling.must_confirm, row.must_confirm) << ToString(row.relation) << " " << row.confidence;
      EXPECT_FALSE(ruling.rule.empty());
    }
  }
}

TEST(StageRules, AskingAPersonBreaksNoRule) {
  for (const RouteRow& row : RouteRows()) {
    const Ruling ruling =
        RuleRoute(Facts(row.relation, row.confidence, Route::kWaitUserDecision, row.plan_exists));
    EXPECT_EQ(ruling.route, Route::kWaitUserDecision);
    EXPECT_FALSE(ruling.overruled);
    EXPECT_TRUE(ruling.must_confirm);
    EXPECT_NE(ruling.intended, Route::kWaitUserDecision);
  }
}

TEST(StageRules, ControlIsWhatTheRouterSaysOrWhatTheWordsMean) {
  RouteFacts facts = Facts(TaskRelation::kControlInstruction, 0.9, Route::kControlAction);
  facts.said.control_action = ControlAction::kPause;
  EXPECT_EQ(RuleRoute(facts).control, ControlAction::kPause);
  EXPECT_FALSE(RuleRoute(facts).must_confirm);
  facts.said.control_action.reset();
  facts.intent.action = IntentAction::kCancel;
  EXPECT_EQ(RuleRoute(facts).control, ControlAction::kCancel);
  facts.intent.action = IntentAction::kQuery;
  EXPECT_EQ(RuleRoute(facts).control, ControlAction::kStatus);
  facts.intent.action = IntentAction::kContinue;
  EXPECT_EQ(RuleRoute(facts).control, ControlAction::kResume);
  facts.intent.action = IntentAction::kCreate;
  EXPECT_EQ(RuleRoute(facts).route, Route::kWaitUserDecision);
}

TEST(StageRules, ToCancelIsAChangeAndToLookIsNot) {
  RouteFacts facts = Facts(TaskRelation::kControlInstruction, 0.5, Route::kControlAction);
  facts.said.control_action = ControlAction::kCancel;
  EXPECT_EQ(RuleRoute(facts).route, Route::kWaitUserDecision);
  facts.said.control_action = ControlAction::kStatus;
  EXPECT_EQ(RuleRoute(facts).route, Route::kControlAction);
}

TEST(StageRules, WithoutAPlanThereIsNothingToControl) {
  const Ruling ruling =
      RuleRoute(Facts(TaskRelation::kControlInstruction, 0.9, Route::kControlAction, false));
  EXPECT_EQ(ruling.route, Route::kWaitUserDecision);
  EXPECT_EQ(ruling.intended, Route::kNewTask);
}

TEST(StageRules, APersonConfirmsWhatIsHighUncertainOrAsksForIt) {
  EXPECT_EQ(ReasonToConfirm(StageWeight{}), "");
  StageWeight weight;
  weight.confidence = 70;
  EXPECT_EQ(ReasonToConfirm(weight), "");
  weight.confidence = 69.9;
  EXPECT_NE(ReasonToConfirm(weight), "");
  weight = {};
  weight.risk = RiskLevel::kMedium;
  EXPECT_EQ(ReasonToConfirm(weight), "");
  weight.risk = RiskLevel::kHigh;
  EXPECT_NE(ReasonToConfirm(weight), "");
  weight = {};
  weight.requires_confirmation = true;
  EXPECT_NE(ReasonToConfirm(weight), "");
}

TEST(StageRules, AnApprovalNeedsAllOfIt) {
  const ReviewResult good{true, 70, "fine", {}};
  EXPECT_TRUE(JudgeReview(good, {}, {}).approved);
  EXPECT_FALSE(JudgeReview({false, 99, "no", {}}, {}, {}).approved);
  EXPECT_FALSE(JudgeReview({true, 69, "fine", {}}, {}, {}).approved);
  EXPECT_FALSE(JudgeReview({true, 99, "fine", {"but"}}, {}, {}).approved);
  StageWeight high;
  high.risk = RiskLevel::kHigh;
  EXPECT_FALSE(JudgeReview(good, high, {}).approved);
  EXPECT_TRUE(JudgeReview(good, {}, high).only_a_person);
  EXPECT_FALSE(JudgeReview({false, 40, "no", {}}, {}, high).only_a_person);
}

}  // namespace
}  // namespace agenttalk
