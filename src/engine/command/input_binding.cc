#include "engine/command/input_binding.h"

#include <utility>

#include "engine/command/owner.h"
#include "engine/state/dag_fold.h"
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/turn.h"
#include "model/events/event.h"

namespace agenttalk {
namespace {

// Fixes the versions of the inputs and queues the command at its agent.
void BindInputs(Turn& turn, const PlanState& plan, const CommandRecord& record) {
  const CommandOwner& owner = OwnerOf(turn, record);
  turn.Emit(plan, owner.Bind(turn, plan, record));
  owner.Readied(turn, plan, record);
}

}  // namespace

void BindIfComplete(Turn& turn, const PlanState& plan, const CommandRecord& record) {
  const bool waits = record.wait_for_inputs ? record.unmet_requirements > 0 : IsHeld(plan, record);
  if (!waits) BindInputs(turn, plan, record);
}

void Deliver(Turn& turn, const PlanState& plan, InputArrived&& arrived) {
  turn.Emit(plan, std::move(arrived));
  WakeSatisfied(turn);
}

void WakeSatisfied(Turn& turn) {
  const auto satisfied = turn.TakeSatisfied();
  if (turn.postponed != nullptr) {
    std::ranges::copy(satisfied, std::back_inserter(*turn.postponed));
    return;
  }
  WakeCommands(turn, satisfied);
}

void WakeCommands(Turn& turn, const Turn::Satisfied& satisfied) {
  for (const auto& [number, index] : satisfied) {
    const PlanState* plan = turn.state().ByNumber(number);
    if (plan == nullptr) continue;
    const CommandRecord& record = plan->commands[index];
    const bool complete = record.state == CommandState::kWaitingInputs && record.unmet_requirements == 0;
    if (complete) BindInputs(turn, *plan, record);
  }
}

}  // namespace agenttalk
