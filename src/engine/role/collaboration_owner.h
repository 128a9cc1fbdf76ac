#pragma once

#include <string>

#include "engine/command/open_plan.h"
#include "engine/command/owner.h"
#include "engine/state/plan_state.h"
#include "engine/turn/turn.h"
#include "model/command/brief.h"
#include "model/content/content.h"
#include "model/events/event.h"
#include "model/request/answer_contract.h"

namespace agenttalk {

// Work that another agent asked for: whatever becomes of it, that agent is told and decides what it means;
// nobody else needs to know.
class CollaborationOwner final : public OpenPlanOwner {
 public:
  [[nodiscard]] AnswerContract Contract(const PlanState& plan, const CommandRecord& record,
                                        const CommandBrief& brief, const AgentSettings& agent) const override;
  void Ended(Turn& turn, const PlanState& plan, const CommandRecord& record,
             const CommandEnd& end) const override;
  void Decline(Turn& turn, const PlanState& plan, const CommandRecord& record,
               const std::string& reason) const override;

 protected:
  void Recorded(Turn& turn, const PlanState& plan, const CommandRecord& record, const Content& result,
                bool result_is_json) const override;
};

}  // namespace agenttalk
