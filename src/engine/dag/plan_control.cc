#include "engine/dag/plan_control.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "engine/command/flow.h"
#include "engine/dag/flow.h"
#include "engine/people/gateway.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/events/event.h"
#include "model/words/reasons.h"

namespace agenttalk {
namespace {

void TouchAgentsOf(Turn& turn, const PlanState& plan) {
  for (const CommandRecord& record : plan.commands) {
    if (record.state == CommandState::kReady) turn.Touch(record.agent);
  }
}

Error Refusal(const PlanState& plan, ControlVerb verb) {
  if (!plan.opened)
    return {ErrorCode::kPlanUnknown, fmt::format("there is no plan {}", plan.id.str()),
            "see `agenttalk plans`"};
  const char* what = verb == ControlVerb::kPause    ? "paused"
                     : verb == ControlVerb::kResume ? "resumed"
                                                    : "cancelled";
  const char* state = plan.completed ? "has ended" : plan.paused ? "is paused already" : "is not paused";
  return {ErrorCode::kStateConflict, fmt::format("{} cannot be {}: it {}", plan.id.str(), what, state),
          fmt::format("see `agenttalk status {}`", plan.id.str())};
}

}  // namespace

void PausePlan(Turn& turn, const PlanState& plan, const std::string& reason) {
  turn.Emit(plan, PlanChanged{PlanChange::kPaused, reason});
}

void ResumePlan(Turn& turn, const PlanState& plan, const std::string& reason) {
  turn.Emit(plan, PlanChanged{PlanChange::kResumed, reason});
  TouchAgentsOf(turn, plan);
  // Tasks whose turn came during the pause have no command yet.
  if (plan.dag) AdvanceTasks(turn, plan);
}

void CancelPlan(Turn& turn, const PlanState& plan, const std::string& reason) {
  turn.Emit(plan, PlanChanged{PlanChange::kCancelled, reason});
  for (const CommandRecord& record : plan.commands) {
    if (!IsLive(record.state)) continue;
    CancelCommand(turn, plan, record, ErrorCode::kCancelled, turn.Say(Reason::kPlanCancelled));
  }
  std::vector<std::uint64_t> questions;
  for (const auto& [number, question] : plan.people.questions()) {
    const bool moot = !question.asked.task_id.empty() || question.asked.purpose == QuestionPurpose::kGoal;
    if (moot) questions.push_back(number);
  }
  for (const std::uint64_t number : questions) {
    CloseQuestion(turn, plan, number, turn.Say(Reason::kPlanCancelled));
  }
  CompleteIfIdle(turn, plan);
}

void OnPlanControl(Turn& turn, const PlanControl& control) {
  const PlanState& plan = turn.Plan(control.plan_id);
  if (!control.client_id.empty() &&
      std::ranges::find(plan.clients, control.client_id) != plan.clients.end()) {
    turn.reply = {Reply::Status::kRepeated, {}, {}, plan.last_event};
    return;
  }
  const bool possible =
      plan.opened && !plan.completed &&
      (control.verb == ControlVerb::kCancel || plan.paused == (control.verb == ControlVerb::kResume));
  if (!possible) {
    turn.reply = {Reply::Status::kRefused, Refusal(plan, control.verb), {}, 0};
    return;
  }
  if (control.verb == ControlVerb::kPause) PausePlan(turn, plan, control.reason);
  if (control.verb == ControlVerb::kResume) ResumePlan(turn, plan, control.reason);
  if (control.verb == ControlVerb::kCancel) CancelPlan(turn, plan, control.reason);
  if (!control.client_id.empty()) turn.Emit(plan, ControlAccepted{control.client_id, "control"});
  turn.reply = {Reply::Status::kAccepted, {}, {}, turn.state().last_event};
}

}  // namespace agenttalk
