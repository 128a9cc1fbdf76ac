#pragma once

#include <string>

#include "base/digest.h"
#include "engine/command/owner.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/step.h"
#include "model/command/brief.h"
#include "model/command/command.h"
#include "model/events/event.h"
#include "model/request/answer_contract.h"

namespace agenttalk {

// A command that says itself what it waits for and where its result goes.
class OpenPlanOwner : public CommandOwner {
 public:
  CommandBrief Brief(Step& step, const PlanState& plan, Command& command) const override;
  [[nodiscard]] AnswerContract Contract(const PlanState& plan, const CommandRecord& record,
                                        const CommandBrief& brief, const AgentSettings& agent) const override;
  // Files in the agent's inbox that meet its requirements.
  CommandReadied Bind(Step& step, const PlanState& plan, const CommandRecord& record) const override;
  void Readied(Step& step, PlanState& plan, const CommandRecord& record) const override;
  bool UseKnown(Step& step, PlanState& plan, CommandRecord& record, const Digest& reuse_key) const override;
  AnswerUse UseAnswer(Step& step, PlanState& plan, CommandRecord& record,
                      const AnswerFacts& answer) const override;
  // Along `on_complete`.
  void Succeed(Step& step, PlanState& plan, CommandRecord& record, AnswerFacts answer,
               CommandSucceeded succeeded) const override;
  // Along `on_failure`, with a dead letter and a word to a person.
  void Ended(Step& step, PlanState& plan, const CommandRecord& record, const CommandEnd& end) const override;
  void Decline(Step& step, PlanState& plan, CommandRecord& record, const std::string& reason) const override;

 protected:
  // The result is recorded; called before it is sent on.
  virtual void Recorded(Step& /*step*/, PlanState& /*plan*/, const CommandRecord& /*record*/,
                        const Content& /*result*/, bool /*result_is_json*/) const {}
};

}  // namespace agenttalk
