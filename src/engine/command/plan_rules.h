#pragma once

#include <string>

#include "base/error.h"
#include "base/language.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/events/event.h"

namespace agenttalk {

// What plans that have tasks or a goal add to the life of their commands (engine/plan_rules.cc).
class PlanRules {
 public:
  virtual ~PlanRules() = default;

  // A task's command goes to the task's agent, whoever sent it: keys count at the receiving agent, so that a
  // repeat is known only there.
  virtual void Address(const PlanState& plan, CommandFile& file) const = 0;
  // Whose command it will be, when it may be executed at all; the error says why not.
  virtual Result<OwnerKind> Admit(const HubState& hub, const PlanState& plan, CommandFile& file) const = 0;
  // Works off what the events so far have made possible.
  virtual void Advance(Turn& turn, const PlanState& plan) const = 0;
  // Nothing of the plan is live. True: it may end; false: something can still happen, or has been begun.
  virtual bool MayEnd(Turn& turn, const PlanState& plan) const = 0;
  // Why the plan has failed; empty: it has not.
  [[nodiscard]] virtual std::string FailureOf(const PlanState& plan, Language language) const = 0;
};

}  // namespace agenttalk
