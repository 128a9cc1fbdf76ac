#include "engine/role/collaboration_owner.h"

#include <string>

#include "engine/command/owner.h"
#include "engine/role/collaboration.h"
#include "engine/state/plan_state.h"
#include "engine/turn/turn.h"
#include "model/content/content.h"
#include "model/events/event.h"

namespace agenttalk {

AnswerContract CollaborationOwner::Contract(const PlanState& plan, const CommandRecord& record,
                                            const CommandBrief& brief, const AgentSettings& agent) const {
  AnswerContract contract = OpenPlanOwner::Contract(plan, record, brief, agent);
  contract.may_reject = true;
  return contract;
}

void CollaborationOwner::Ended(Turn& turn, const PlanState& plan, const CommandRecord& record,
                               const CommandEnd& end) const {
  AnswerAsker(turn, plan, record, CollaborationStatus::kError, {}, false, end.message);
}

void CollaborationOwner::Decline(Turn& turn, const PlanState& plan, const CommandRecord& record,
                                 const std::string& reason) const {
  RejectWork(turn, plan, record, reason);
}

void CollaborationOwner::Recorded(Turn& turn, const PlanState& plan, const CommandRecord& record,
                                  const Content& result, bool result_is_json) const {
  AnswerAsker(turn, plan, record, CollaborationStatus::kCompleted, result, result_is_json, {});
}

}  // namespace agenttalk
