#pragma once

#include <string>

#include "base/digest.h"
#include "engine/command/owner.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/command/brief.h"
#include "model/command/command.h"
#include "model/events/event.h"
#include "model/request/answer_contract.h"

namespace agenttalk {

// A command that says itself what it waits for and where its result goes.
class OpenPlanOwner : public CommandOwner {
 public:
  CommandBrief Brief(Turn& turn, const PlanState& plan, Command& command) const override;
  [[nodiscard]] AnswerContract Contract(const PlanState& plan, const CommandRecord& record,
                                        const CommandBrief& brief, const AgentSettings& agent) const override;
  // Files in the agent's inbox that meet its requirements.
  CommandReadied Bind(Turn& turn, const PlanState& plan, const CommandRecord& record) const override;
  void Readied(Turn& turn, const PlanState& plan, const CommandRecord& record) const override;
  bool UseKnown(Turn& turn, const PlanState& plan, const CommandRecord& record,
                const Digest& reuse_key) const override;
  AnswerUse UseAnswer(Turn& turn, const PlanState& plan, const CommandRecord& record,
                      const AnswerFacts& answer) const override;
  // Along `on_complete`.
  void Succeed(Turn& turn, const PlanState& plan, const CommandRecord& record, AnswerFacts&& answer,
               CommandSucceeded&& succeeded) const override;
  // Along `on_failure`, with a dead letter and a word to a person.
  void Ended(Turn& turn, const PlanState& plan, const CommandRecord& record,
             const CommandEnd& end) const override;
  void Decline(Turn& turn, const PlanState& plan, const CommandRecord& record,
               const std::string& reason) const override;

 protected:
  // The result is recorded; called before it is sent on.
  virtual void Recorded(Turn& /*turn*/, const PlanState& /*plan*/, const CommandRecord& /*record*/,
                        const Content& /*result*/, bool /*result_is_json*/) const {}
};

}  // namespace agenttalk
