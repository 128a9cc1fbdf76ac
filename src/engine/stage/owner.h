#pragma once

#include "engine/command/open_plan.h"
#include "engine/command/owner.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/command/brief.h"
#include "model/events/event.h"
#include "model/request/answer_contract.h"

namespace agenttalk {

// The command of a stage: its answer leads to the next stage, its failure to a person.
class StageOwner final : public OpenPlanOwner {
 public:
  [[nodiscard]] AnswerContract Contract(const PlanState& plan, const CommandRecord& record,
                                        const CommandBrief& brief, const AgentSettings& agent) const override;
  AnswerUse UseAnswer(Turn& turn, const PlanState& plan, const CommandRecord& record,
                      const AnswerFacts& answer) const override;
  void Succeed(Turn& turn, const PlanState& plan, const CommandRecord& record, AnswerFacts&& answer,
               CommandSucceeded&& succeeded) const override;
  void Ended(Turn& turn, const PlanState& plan, const CommandRecord& record,
             const CommandEnd& end) const override;
};

}  // namespace agenttalk
