#include "engine/stage/submission.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "engine/command/plan_tags.h"
#include "engine/dag/plan_control.h"
#include "engine/stage/calls.h"
#include "engine/stage/flow.h"
#include "engine/stage/goal_files.h"
#include "engine/stage/tasks.h"
#include "engine/state/goal_state.h"
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/events/event.h"
#include "model/events/stage_events.h"
#include "model/request/stage.h"
#include "model/words/reasons.h"

namespace agenttalk {
namespace {

// Retries a plan that failed or was given up.
void RetryGoal(Turn& turn, const PlanState& plan) {
  turn.Emit(plan, PlanChanged{PlanChange::kReopened, turn.Say(Reason::kGoalRunAgain)});
  if (plan.dag) {
    MoveToPhase(turn, plan, GoalPhase::kExecuting, turn.Say(Reason::kGoalRunAgain));
    RetryFailed(turn, plan, turn.Say(Reason::kGoalRunAgain));
  } else {
    turn.Emit(plan, GoalSet{plan.goal->words(), {}, {}, false, plan.goal->files()});
    AskStage(turn, plan, Stage::kUnderstanding, StageMatter::kGoal);
  }
}

// Plans the goal from the start: other words, other files, or because it was asked for.
void RestartGoal(Turn& turn, const PlanState& plan, GoalSubmission& submission) {
  if (!plan.completed) CancelPlan(turn, plan, turn.Say(Reason::kGoalStartsOver));
  turn.Emit(plan, PlanChanged{PlanChange::kReopened, turn.Say(Reason::kGoalStartsOver)});
  std::vector<NamedContent> files = plan.goal ? plan.goal->files() : std::vector<NamedContent>();
  if (!submission.files.empty()) files = KeepGoalFiles(turn, plan, submission);
  turn.Emit(plan, GoalSet{submission.goal, submission.author, {}, submission.fresh, std::move(files)});
  AskStage(turn, plan, Stage::kUnderstanding, StageMatter::kGoal);
}

std::optional<Error> FindGoalRefusal(const PlanState& plan, const GoalSubmission& submission) {
  if (!plan.opened || plan.IsStaged()) return RefuseTags(plan, submission.tags);
  return Error{ErrorCode::kStateConflict, fmt::format("{} is another plan", plan.id.str()),
               "give the goal in other words, or give it another plan id"};
}

}  // namespace

void OnGoalSubmission(Turn& turn, GoalSubmission submission) {
  const PlanState& plan = turn.Plan(submission.plan_id);
  const std::string& client = submission.client_id;
  const bool repeated = !client.empty() && std::ranges::find(plan.clients, client) != plan.clients.end();
  if (auto refusal = FindGoalRefusal(plan, submission)) {
    turn.reply = {Reply::Status::kRefused, std::move(refusal), {}, 0};
    return;
  }
  if (plan.opened && !repeated) TagPlan(turn, plan, submission.tags);
  const bool failed = plan.completed && (plan.cancelled || (plan.HasFailedGoal()));
  const bool other_files = HasOtherFiles(plan, submission);
  if (repeated || (plan.opened && !failed && !submission.fresh && !other_files)) {
    turn.reply = {Reply::Status::kRepeated, {}, {}, plan.last_event};
    return;
  }
  if (!plan.opened) {
    turn.Emit(plan, PlanChanged{PlanChange::kOpened, {}});
    TagPlan(turn, plan, submission.tags);
    std::vector<NamedContent> files = KeepGoalFiles(turn, plan, submission);
    BeginGoal(turn, plan, submission.goal, submission.author, {}, std::move(files));
  } else if (submission.fresh || other_files) {
    // Another plan may be right for other files.
    RestartGoal(turn, plan, submission);
  } else {
    RetryGoal(turn, plan);
  }
  if (!client.empty()) turn.Emit(plan, ControlAccepted{client, "goal"});
  turn.reply = {Reply::Status::kAccepted, {}, {}, turn.state().last_event};
}

}  // namespace agenttalk
