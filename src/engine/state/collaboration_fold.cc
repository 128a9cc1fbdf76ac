#include "engine/state/collaboration_fold.h"

#include "base/check.h"
#include "engine/state/collaborations.h"
#include "engine/state/plan_state.h"
#include "engine/state/role_fold.h"
#include "model/events/event.h"

namespace agenttalk {

void FoldRequest(PlanState& plan, CommandRecord& record, const CollaborationRequested& e) {
  FoldWaiting(record, e);
  plan.collaborations.Open(e.request_id, {e.command_id, e.from, e.to, e.work, e.deadline, e.depth});
}

void FoldResponse(PlanState& plan, const CollaborationAnswered& e) {
  if (e.source) plan.MarkTaken(*e.source);
  if (!e.ignored.empty()) return;
  const Collaboration* found = plan.collaborations.Find(e.request_id);
  CHECK(found != nullptr);
  plan.collaborations.Close(e.request_id, e.status == CollaborationStatus::kTimedOut
                                              ? CollaborationPhase::kGivenUp
                                              : CollaborationPhase::kAnswered);
  if (CommandRecord* asker = plan.Find(found->asker)) FoldReply(*asker, e);
}

void FoldGivenUp(PlanState& plan, const CommandRecord& record) {
  if (!record.execution || !record.execution->role) return;
  plan.collaborations.Close(record.execution->role->pending_request(), CollaborationPhase::kGivenUp);
}

}  // namespace agenttalk
