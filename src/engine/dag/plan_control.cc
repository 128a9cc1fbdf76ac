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
#include "engine/turn/step.h"
#include "model/events/event.h"

namespace agenttalk {
namespace {

void TouchAgentsOf(Step& step, const PlanState& plan) {
  for (const CommandRecord& record : plan.commands) {
    if (record.state == CommandState::kReady) step.Touch(record.agent);
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

void PausePlan(Step& step, PlanState& plan, const std::string& reason) {
  step.Emit(plan, PlanChanged{PlanChange::kPaused, reason});
}

void ResumePlan(Step& step, PlanState& plan, const std::string& reason) {
  step.Emit(plan, PlanChanged{PlanChange::kResumed, reason});
  TouchAgentsOf(step, plan);
  // Tasks whose turn came during the pause have no command yet.
  if (plan.dag) AdvanceTasks(step, plan);
}

void CancelPlan(Step& step, PlanState& plan, const std::string& reason) {
  step.Emit(plan, PlanChanged{PlanChange::kCancelled, reason});
  for (CommandRecord& record : plan.commands) {
    if (!IsLive(record.state)) continue;
    CancelCommand(step, plan, record, ErrorCode::kCancelled, "the plan was cancelled");
  }
  std::vector<std::uint64_t> questions;
  for (const auto& [number, question] : plan.questions) {
    const bool moot = !question.asked.task_id.empty() || question.asked.purpose == QuestionPurpose::kGoal;
    if (moot) questions.push_back(number);
  }
  for (const std::uint64_t number : questions) {
    CloseQuestion(step, plan, number, "the plan was cancelled");
  }
  CompleteIfIdle(step, plan);
}

void OnPlanControl(Step& step, const PlanControl& control) {
  PlanState& plan = step.state().Plan(control.plan_id);
  if (!control.client_id.empty() &&
      std::ranges::find(plan.clients, control.client_id) != plan.clients.end()) {
    step.reply = {Reply::Status::kRepeated, {}, {}, plan.last_event};
    return;
  }
  const bool possible =
      plan.opened && !plan.completed &&
      (control.verb == ControlVerb::kCancel || plan.paused == (control.verb == ControlVerb::kResume));
  if (!possible) {
    step.reply = {Reply::Status::kRefused, Refusal(plan, control.verb), {}, 0};
    return;
  }
  if (control.verb == ControlVerb::kPause) PausePlan(step, plan, control.reason);
  if (control.verb == ControlVerb::kResume) ResumePlan(step, plan, control.reason);
  if (control.verb == ControlVerb::kCancel) CancelPlan(step, plan, control.reason);
  if (!control.client_id.empty()) step.Emit(plan, ControlAccepted{control.client_id, "control"});
  step.reply = {Reply::Status::kAccepted, {}, {}, step.state().last_event};
}

}  // namespace agenttalk
