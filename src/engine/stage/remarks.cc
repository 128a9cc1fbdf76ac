#include "engine/stage/remarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "engine/command/flow.h"
#include "engine/dag/plan_control.h"
#include "engine/stage/calls.h"
#include "engine/stage/flow.h"
#include "engine/stage/people.h"
#include "engine/state/goal_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/answer/agent_output.h"
#include "model/config/human_agent.h"
#include "model/events/event.h"
#include "model/events/stage_events.h"
#include "model/request/stage.h"
#include "model/words/reasons.h"

namespace agenttalk {
namespace {

std::optional<Error> FindRemarkRefusal(const PlanState& plan) {
  if (!plan.opened) {
    return Error{ErrorCode::kPlanUnknown, fmt::format("there is no plan {}", plan.id.str()),
                 "see `agenttalk plans`"};
  }
  if (!plan.goal && !plan.dag) {
    return Error{ErrorCode::kStateConflict,
                 fmt::format("{} is an open plan: its commands say themselves what they do", plan.id.str()),
                 "send a command, or use pause, resume and cancel"};
  }
  if (plan.cancelled) {
    return Error{ErrorCode::kStateConflict, fmt::format("{} was cancelled", plan.id.str()),
                 "run it again first"};
  }
  return std::nullopt;
}

bool HasEnded(const PlanState& plan) {
  const bool busy = plan.dag && !plan.dag->IsIdle();
  return plan.goal->IsStaged() ? plan.goal->HasEnded() : !busy;
}

void Control(Turn& turn, const PlanState& plan, const std::string& action) {
  const std::string reason = plan.goal->CurrentRemark().text;
  if (action == "status") {
    SettleRemark(turn, plan, true, PlanStateText(turn, plan));
  } else if (action == "pause" && !plan.paused && !HasEnded(plan)) {
    PausePlan(turn, plan, reason);
    SettleRemark(turn, plan, true, turn.Say(Reason::kPlanPaused));
  } else if (action == "resume" && plan.paused) {
    ResumePlan(turn, plan, reason);
    SettleRemark(turn, plan, true, turn.Say(Reason::kPlanContinues));
  } else if (action == "cancel" && !HasEnded(plan)) {
    SettleRemark(turn, plan, true, turn.Say(Reason::kPlanIsCancelled));
    CancelPlan(turn, plan, reason);
  } else {
    SettleRemark(turn, plan, false,
                 turn.Say(Reason::kNotPossible, action.empty() ? turn.Say(Reason::kThat) : action));
  }
}

// The plan is still being made: it is made with this in mind.
void HeedWhilePlanning(Turn& turn, const PlanState& plan) {
  const std::string words = plan.goal->CurrentRemark().text;
  for (const CommandRecord& record : plan.commands) {
    if (!IsLive(record.state) || record.owner != OwnerKind::kStage) continue;
    CancelCommand(turn, plan, record, ErrorCode::kCancelled, turn.Say(Reason::kRemarkCame));
  }
  CloseGoalQuestions(turn, plan, turn.Say(Reason::kRemarkCame));
  turn.Emit(plan, GoalNoted{StageMatter::kGoal, words, true, false});
  SettleRemark(turn, plan, true, turn.Say(Reason::kHeeded));
  if (plan.goal->LineOf(StageMatter::kGoal).intent.empty()) {
    AskStage(turn, plan, Stage::kUnderstanding, StageMatter::kGoal);
  } else {
    PlanAgain(turn, plan, StageMatter::kGoal);
  }
}

void BeginOther(Turn& turn, const PlanState& plan) {
  const OpenRemark remark = plan.goal->CurrentRemark();
  const std::string intent = plan.goal->LineOf(StageMatter::kRemark).intent;
  const PlanId id(fmt::format("{}-{}", plan.id.str(), remark.number));
  BeginGoal(turn, turn.Plan(id), remark.text, std::string(kHuman), intent);
  SettleRemark(turn, plan, true, turn.Say(Reason::kOtherBegins, id.str()), id);
}

}  // namespace

void OnPlanRemark(Turn& turn, PlanRemark remark) {
  const PlanState& plan = turn.Plan(remark.plan_id);
  if (!remark.client_id.empty() && std::ranges::find(plan.clients, remark.client_id) != plan.clients.end()) {
    turn.reply = {Reply::Status::kRepeated, {}, {}, plan.last_event};
    return;
  }
  if (auto refusal = FindRemarkRefusal(plan)) {
    turn.reply = {Reply::Status::kRefused, std::move(refusal), {}, 0};
    return;
  }
  if (plan.completed) turn.Emit(plan, PlanChanged{PlanChange::kReopened, turn.Say(Reason::kRemarkCame)});
  const std::uint64_t event = turn.Emit(plan, RemarkMade{std::move(remark.text), std::move(remark.author)});
  if (!remark.client_id.empty()) turn.Emit(plan, ControlAccepted{std::move(remark.client_id), "say"});
  if (plan.goal->remarks().size() == 1) AskStage(turn, plan, Stage::kUnderstanding, StageMatter::kRemark);
  turn.reply = {Reply::Status::kAccepted, {}, {}, event};
}

void ActOnRemark(Turn& turn, const PlanState& plan) {
  const StageLine& line = plan.goal->LineOf(StageMatter::kRemark);
  switch (line.route) {
    case Route::kContinueExecution:
      SettleRemark(turn, plan, true, turn.Say(Reason::kPlanStays));
      return;
    case Route::kControlAction:
      Control(turn, plan, line.control);
      return;
    case Route::kMinorReplan:
    case Route::kFullReplan:
      if (plan.dag) {
        AskStage(turn, plan, Stage::kPlanner, StageMatter::kRemark);
      } else {
        HeedWhilePlanning(turn, plan);
      }
      return;
    case Route::kNewTask:
      BeginOther(turn, plan);
      return;
    case Route::kWaitUserDecision:
      SettleRemark(turn, plan, false, turn.Say(Reason::kNothingDecided));
      return;
  }
}

void SettleRemark(Turn& turn, const PlanState& plan, bool done, const std::string& outcome,
                  const PlanId& new_plan) {
  if (plan.goal->remarks().empty()) return;
  turn.Emit(plan, RemarkSettled{plan.goal->CurrentRemark().number,
                                plan.goal->LineOf(StageMatter::kRemark).route, done, outcome, new_plan});
  if (plan.goal->HasRemark()) AskStage(turn, plan, Stage::kUnderstanding, StageMatter::kRemark);
  CompleteIfIdle(turn, plan);
}

}  // namespace agenttalk
