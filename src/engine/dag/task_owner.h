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

// The command of a task: the DAG says what it gets and where its outputs go.
class TaskOwner final : public CommandOwner {
 public:
  CommandBrief Brief(Turn& turn, const PlanState& plan, Command& command) const override;
  [[nodiscard]] AnswerContract Contract(const PlanState& plan, const CommandRecord& record,
                                        const CommandBrief& brief, const AgentSettings& agent) const override;
  CommandReadied Bind(Turn& turn, const PlanState& plan, const CommandRecord& record) const override;
  // A task that is assigned to a person is a question.
  void Readied(Turn& turn, const PlanState& plan, const CommandRecord& record) const override;
  bool UseKnown(Turn& turn, const PlanState& plan, const CommandRecord& record,
                const Digest& reuse_key) const override;
  AnswerUse UseAnswer(Turn& turn, const PlanState& plan, const CommandRecord& record,
                      const AnswerFacts& answer) const override;
  void Succeed(Turn& turn, const PlanState& plan, const CommandRecord& record, AnswerFacts&& answer,
               CommandSucceeded&& succeeded) const override;
  void Ended(Turn& turn, const PlanState& plan, const CommandRecord& record,
             const CommandEnd& end) const override;
  void Decline(Turn& turn, const PlanState& plan, const CommandRecord& record,
               const std::string& reason) const override;
};

}  // namespace agenttalk
