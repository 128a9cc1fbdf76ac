#pragma once

#include <cstdint>
#include <string>

#include "base/error.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"

namespace agenttalk {

// How an agent goes about a command, whoever owns it: with one request and its answer, which is this class,
// or in steps (engine/role/flow.h).
class CommandStrategy {
 public:
  virtual ~CommandStrategy() = default;

  // An attempt begins, or continues after a pause.
  virtual void Resume(Turn& turn, const PlanState& plan, const CommandRecord& record) const;
  // The next request to the model.
  virtual Result<RequestComposer::Composed> Compose(Turn& turn, const PlanState& plan,
                                                    const CommandRecord& record,
                                                    std::uint32_t model_call) const;
  // An answer that meets its contract. True: it was a part of the way, not the command's result.
  virtual bool UseAnswer(Turn& turn, const PlanState& plan, const CommandRecord& record, std::uint32_t call,
                         AnswerFacts& answer) const;
  // All open tools have an outcome. True: a step wanted them, not the model.
  virtual bool UseTools(Turn& turn, const PlanState& plan, const CommandRecord& record) const;
  // True: the command continues in spite of the failure.
  virtual bool SurviveFailure(Turn& turn, const PlanState& plan, const CommandRecord& record,
                              const CallFailure& failure) const;
  // The command is about to end without a result.
  virtual void ReportFailure(Turn& turn, const PlanState& plan, const CommandRecord& record,
                             const std::string& message) const;
  // The time to wait for another agent is over.
  virtual void OnWaitOver(Turn& turn, const PlanState& plan, const CommandRecord& record) const;
};

const CommandStrategy& StrategyOf(Turn& turn, const CommandRecord& record);

}  // namespace agenttalk
