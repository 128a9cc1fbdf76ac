#include "engine/stage/rules.h"

#include <algorithm>
#include <optional>
#include <string>

#include "base/language.h"
#include "engine/state/goal_state.h"
#include "model/answer/agent_output.h"
#include "model/words/catalogue.h"
#include "model/words/reasons.h"

namespace agenttalk {
namespace {

constexpr double kPassingScore = 70;

// What is to be controlled, where the router forgot to say it.
std::optional<ControlAction> ControlOf(const RouteFacts& facts) {
  if (facts.said.control_action) return facts.said.control_action;
  switch (facts.intent.action) {
    case IntentAction::kCancel:
      return ControlAction::kCancel;
    case IntentAction::kContinue:
      return ControlAction::kResume;
    case IntentAction::kQuery:
      return ControlAction::kStatus;
    case IntentAction::kCreate:
    case IntentAction::kModify:
    case IntentAction::kClarify:
      break;
  }
  return std::nullopt;
}

// The route that the relation leads to, were it certain.
Route RouteOf(const RouteFacts& facts) {
  const bool controls = facts.intent.relation == TaskRelation::kControlInstruction;
  // With nothing under way whatever is wanted is new.
  if (!facts.plan_exists && !controls) return Route::kNewTask;
  switch (facts.intent.relation) {
    case TaskRelation::kSameTaskNoChange:
      return Route::kContinueExecution;
    case TaskRelation::kSameTaskMinorChange:
      return Route::kMinorReplan;
    case TaskRelation::kSameTaskMajorChange:
      return Route::kFullReplan;
    case TaskRelation::kDifferentTask:
      return Route::kNewTask;
    case TaskRelation::kControlInstruction:
      return Route::kControlAction;
  }
  return Route::kWaitUserDecision;
}

bool ChangesPlan(const Ruling& ruling) {
  switch (ruling.intended) {
    case Route::kMinorReplan:
    case Route::kFullReplan:
    case Route::kNewTask:
      return true;
    case Route::kControlAction:
      return ruling.control == ControlAction::kCancel;
    case Route::kContinueExecution:
    case Route::kWaitUserDecision:
      break;
  }
  return false;
}

bool IsSure(const RouteFacts& facts, const Ruling& ruling) {
  // The rule for small changes asks for more than 0.7, all others for no less.
  if (ruling.intended == Route::kMinorReplan) return facts.intent.relation_confidence > kRelationSure;
  return facts.intent.relation_confidence >= kRelationSure;
}

}  // namespace

StageWeight WeightOf(const AgentOutput& output) {
  return {output.risk.level,       output.risk.description,
          output.confidence,       output.requires_user_confirmation,
          output.thought,          output.user_message,
          output.action,           output.params_json,
          output.expected_outcome, output.alternative_actions};
}

RiskLevel Higher(RiskLevel one, RiskLevel other) {
  return std::max(one, other);
}

Ruling RuleRoute(const RouteFacts& facts, Language language) {
  Ruling ruling;
  ruling.intended = RouteOf(facts);
  if (ruling.intended == Route::kControlAction) ruling.control = ControlOf(facts);
  ruling.route = ruling.intended;
  ruling.rule = Say(language, Reason::kLeadsTo, ToString(facts.intent.relation), ToString(ruling.route));
  if (!facts.plan_exists && ruling.intended == Route::kNewTask) {
    ruling.rule = Say(language, Reason::kGoalIsNew);
  }
  if (ChangesPlan(ruling) && !IsSure(facts, ruling)) {
    ruling.route = Route::kWaitUserDecision;
    ruling.rule = Say(language, Reason::kUnsureRelation, facts.intent.relation_confidence);
  } else if (ruling.intended == Route::kControlAction && (!ruling.control || !facts.plan_exists)) {
    ruling.route = Route::kWaitUserDecision;
    ruling.rule = Say(language, facts.plan_exists ? Reason::kControlUnclear : Reason::kNothingToControl);
    if (!facts.plan_exists) ruling.intended = Route::kNewTask;
  }
  // To ask a person breaks no rule.
  const bool asks = facts.said.route == Route::kWaitUserDecision;
  ruling.overruled = !asks && facts.said.route != ruling.route;
  if (asks) ruling.route = Route::kWaitUserDecision;
  const bool confirmed_by_rule = ruling.route == Route::kFullReplan ||
                                 (ruling.route == Route::kNewTask && facts.plan_exists) ||
                                 ruling.route == Route::kWaitUserDecision;
  ruling.must_confirm = confirmed_by_rule || (facts.said.requires_confirmation && ChangesPlan(ruling));
  return ruling;
}

std::string ReasonToConfirm(const StageWeight& weight, Language language) {
  if (weight.risk == RiskLevel::kHigh) return Say(language, Phrase::kHighRisk, weight.risk_description);
  if (weight.requires_confirmation) return Say(language, Phrase::kAsksConfirmation);
  if (weight.confidence < kSureEnough) return Say(language, Phrase::kUnsure, weight.confidence);
  return {};
}

Verdict JudgeReview(const ReviewResult& review, const StageWeight& reviewer, const StageWeight& judged,
                    Language language) {
  Verdict verdict;
  const bool high = judged.risk == RiskLevel::kHigh || reviewer.risk == RiskLevel::kHigh;
  if (!review.approved) {
    verdict.reason = review.feedback;
  } else if (review.score < kPassingScore) {
    verdict.reason = Say(language, Reason::kScoreIsNoApproval, review.score);
  } else if (!review.required_fixes.empty()) {
    verdict.reason = Say(language, Reason::kFixesAreLeft);
  } else if (high) {
    verdict.only_a_person = true;
    verdict.reason = Say(language, Reason::kOnlyAPerson);
  } else {
    verdict.approved = true;
  }
  return verdict;
}

}  // namespace agenttalk
