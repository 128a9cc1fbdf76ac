#pragma once

#include <string>
#include <vector>

#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"

namespace agenttalk {

// What came of the commands in an answer.
struct ThoughtOutcome {
  std::vector<std::string> errors;  // not empty: refused; the model is told
  // The answer itself is used now. Otherwise the model is asked again, or the command waits for a person, or
  // has ended.
  bool use_result = true;
};

// The commands that a model's answer may hold beside its result (engine/thinking/flow.h).
class AnswerCommands {
 public:
  virtual ~AnswerCommands() = default;
  // Carries them out, all or none. The record may not be running any more afterwards.
  virtual ThoughtOutcome CarryOut(Turn& turn, const PlanState& plan, const CommandRecord& record,
                                  AnswerFacts& answer) const = 0;
  // Their form is wrong: they are refused before anybody looked at what they mean.
  virtual void AuditBadForm(Turn& turn, const PlanState& plan, const CommandRecord& record,
                            const AnswerFacts& answer) const = 0;
};

}  // namespace agenttalk
