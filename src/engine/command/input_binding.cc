#include "engine/command/input_binding.h"

#include <utility>

#include "engine/command/owner.h"
#include "engine/state/dag_fold.h"
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/step.h"
#include "model/events/event.h"

namespace agenttalk {
namespace {

// Fixes the versions of the inputs and queues the command at its agent.
void BindInputs(Step& step, PlanState& plan, const CommandRecord& record) {
  const CommandOwner& owner = OwnerOf(step, record);
  step.Emit(plan, owner.Bind(step, plan, record));
  owner.Readied(step, plan, record);
}

}  // namespace

void BindIfComplete(Step& step, PlanState& plan, const CommandRecord& record) {
  const bool waits = record.wait_for_inputs ? record.unmet_requirements > 0 : IsHeld(plan, record);
  if (!waits) BindInputs(step, plan, record);
}

void Deliver(Step& step, PlanState& plan, InputArrived arrived) {
  step.Emit(plan, std::move(arrived));
  WakeSatisfied(step);
}

void WakeSatisfied(Step& step) {
  const auto satisfied = std::exchange(step.state().satisfied, {});
  if (step.postponed != nullptr) {
    std::ranges::copy(satisfied, std::back_inserter(*step.postponed));
    return;
  }
  WakeCommands(step, satisfied);
}

void WakeCommands(Step& step, const Step::Satisfied& satisfied) {
  for (const auto& [number, index] : satisfied) {
    PlanState* plan = step.state().ByNumber(number);
    if (plan == nullptr) continue;
    CommandRecord& record = plan->commands[index];
    const bool complete = record.state == CommandState::kWaitingInputs && record.unmet_requirements == 0;
    if (complete) BindInputs(step, *plan, record);
  }
}

}  // namespace agenttalk
