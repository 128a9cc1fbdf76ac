#pragma once

#include <optional>
#include <string>

#include "base/language.h"
#include "engine/state/goal_state.h"
#include "model/answer/agent_output.h"

// What is enforced by code, whatever a model says: which way a goal or remark goes, when a person must
// confirm, and what an approval needs.
namespace agenttalk {

// Below this a stage is not sure enough to be followed without a person, of 100.
inline constexpr double kSureEnough = 70;
// Below this, or at it for a change, a relation to the plan is not sure enough, of 1.
inline constexpr double kRelationSure = 0.7;

struct RouteFacts {
  IntentAnalysis intent;
  RouteDecision said;
  bool plan_exists = false;  // there is something that the words may be about
};

struct Ruling {
  Route route = Route::kWaitUserDecision;
  Route intended = Route::kWaitUserDecision;  // where it goes if a person decides to continue
  std::optional<ControlAction> control;
  bool must_confirm = false;
  bool overruled = false;
  std::string rule;
};

Ruling RuleRoute(const RouteFacts& facts, Language language = Language::kEnglish);

// Why a person has to confirm what a stage said; empty: nobody has to.
std::string ReasonToConfirm(const StageWeight& weight, Language language = Language::kEnglish);

// Whether a review lets something pass. `judged` is what the author of the work said of it.
struct Verdict {
  bool approved = false;
  bool only_a_person = false;  // it is good, and of high risk
  std::string reason;          // why what the reviewer said does not count
};
Verdict JudgeReview(const ReviewResult& review, const StageWeight& reviewer, const StageWeight& judged,
                    Language language = Language::kEnglish);

// What counts of an answer when it is judged.
StageWeight WeightOf(const AgentOutput& output);
RiskLevel Higher(RiskLevel one, RiskLevel other);

}  // namespace agenttalk
