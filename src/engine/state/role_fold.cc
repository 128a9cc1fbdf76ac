#include "engine/state/role_fold.h"

#include <memory>
#include <vector>

#include "base/check.h"
#include "engine/state/plan_state.h"
#include "engine/state/role_state.h"
#include "model/config/agent_profile.h"
#include "model/events/event.h"
#include "model/steps/internal_plan.h"

namespace agenttalk {
namespace {

// What is asked next begins a conversation of its own.
void BeginConversation(Execution& execution) {
  execution.request = {};
  execution.resume = {};
  execution.answer = {};
  execution.answer_errors.clear();
  execution.tool_outputs.clear();
  execution.redo.clear();
  execution.repairs = 0;
  execution.tool_rounds = 0;
}

RoleRecord& FoldedRole(CommandRecord& record) {
  CHECK(record.execution && record.execution->role);
  return record.execution->role->Change();
}

}  // namespace

void FoldStrategy(CommandRecord& record, const StrategyChosen& e) {
  Execution& execution = *record.execution;
  BeginConversation(execution);
  if (!execution.role) execution.role = std::make_unique<RoleState>();
  RoleRecord& role = execution.role->Change();
  role.strategy = e.strategy;
  const bool plans = e.strategy != Strategy::kSimple;
  role.status = plans ? RoleStatus::kPlanning : RoleStatus::kExecutingStep;
}

void FoldInternalPlan(CommandRecord& record, const InternalPlanMade& e) {
  RoleRecord& role = FoldedRole(record);
  BeginConversation(*record.execution);
  role.plan = e.plan;
  role.steps.assign(e.plan.steps.size(), {});
  role.current = 0;
  role.status = RoleStatus::kExecutingStep;
}

void FoldStepStarted(CommandRecord& record, const StepStarted& e) {
  RoleRecord& role = FoldedRole(record);
  BeginConversation(*record.execution);
  StepProgress& progress = role.steps.at(e.step);
  progress.phase = StepPhase::kRunning;
  progress.attempts = e.attempt;
  role.current = e.step;
  role.reply.reset();
}

void FoldStepFinished(CommandRecord& record, const StepFinished& e) {
  RoleRecord& role = FoldedRole(record);
  BeginConversation(*record.execution);
  StepProgress& progress = role.steps.at(e.step);
  progress.message = e.message;
  progress.phase = e.outcome == StepOutcome::kDone     ? StepPhase::kDone
                   : e.outcome == StepOutcome::kFailed ? StepPhase::kFailed
                                                       : StepPhase::kSkipped;
  if (e.outcome == StepOutcome::kDone) {
    progress.result = e.result;
    progress.result_is_json = e.result_is_json;
    role.last_done = e.step;
    for (const NamedContent& output : e.outputs) {
      std::erase_if(role.outputs, [&](const NamedContent& old) { return old.name == output.name; });
      role.outputs.push_back(output);
    }
    if (e.score) {
      role.score = e.score;
      role.score_explanation = e.score_explanation;
    }
    // Whoever refers to the step that failed gets what came in its place.
    if (role.stands_for != RoleRecord::kNone) {
      role.steps.at(role.stands_for).result = e.result;
      role.steps.at(role.stands_for).result_is_json = e.result_is_json;
    }
  }
  role.current = e.next;
  role.stands_for = e.stands_for;
  role.reply.reset();
}

void FoldStatus(CommandRecord& record, const StatusReported& e) {
  if (!record.execution || !record.execution->role) return;
  if (e.status != ReportedStatus::kInProgress) record.execution->role->Change().reported = true;
}

void FoldWaiting(CommandRecord& record, const CollaborationRequested& e) {
  RoleRecord& role = FoldedRole(record);
  role.status = RoleStatus::kWaitingForCollaboration;
  role.pending_request = e.request_id;
  ++role.requests;
}

void FoldReply(CommandRecord& asker, const CollaborationAnswered& e) {
  if (!asker.execution || !asker.execution->role) return;
  RoleRecord& role = asker.execution->role->Change();
  if (role.pending_request != e.request_id) return;
  role.pending_request.clear();
  role.status = RoleStatus::kExecutingStep;
  role.reply = {e.status, e.result, e.result_is_json, e.reason};
}

}  // namespace agenttalk
