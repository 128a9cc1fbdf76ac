#pragma once

#include <string>

#include "base/error.h"
#include "base/language.h"
#include "engine/command/plan_rules.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/events/event.h"

namespace agenttalk {

// The rules of all kinds of plans: open ones, those with a DAG, and those that began with a goal.
class AllPlanRules final : public PlanRules {
 public:
  void Address(const PlanState& plan, CommandFile& file) const override;
  Result<OwnerKind> Admit(const HubState& hub, const PlanState& plan, CommandFile& file) const override;
  void Advance(Turn& turn, const PlanState& plan) const override;
  bool MayEnd(Turn& turn, const PlanState& plan) const override;
  [[nodiscard]] std::string FailureOf(const PlanState& plan, Language language) const override;
};

}  // namespace agenttalk
