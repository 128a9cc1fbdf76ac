#include "engine/dag/fork_flow.h"

#include <string>
#include <utility>
#include <vector>

#include "engine/command/flow.h"
#include "engine/command/input_binding.h"
#include "engine/dag/commands.h"
#include "engine/dag/outputs.h"
#include "engine/state/dag_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/events/event.h"

namespace agenttalk {

void BeginFork(Turn& turn, const PlanState& plan, Inheritance inherits) {
  turn.Emit(plan, std::move(inherits.forked));
  for (Inheritance::File& file : inherits.files) {
    Deliver(turn, plan, {std::move(file.agent), std::move(file.name), file.content, {}, {}, 0, {}});
  }
}

bool TakeOver(Turn& turn, const PlanState& plan, TaskIndex task) {
  const TaskResult* found = plan.dag->FindInherited(plan.dag->IdOf(task));
  if (found == nullptr) return false;
  const auto command = ReceiveTaskCommand(turn, plan, task, {});
  if (!command) return false;
  turn.Emit(plan, RecordedBefore(*command, *found));
  DeliverOutputs(turn, plan, task, plan.dag->Node(task));
  return true;
}

}  // namespace agenttalk
