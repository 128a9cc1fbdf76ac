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
#include "engine/turn/step.h"
#include "model/events/event.h"

namespace agenttalk {

void BeginFork(Step& step, PlanState& plan, Inheritance inherits) {
  step.Emit(plan, std::move(inherits.forked));
  for (Inheritance::File& file : inherits.files) {
    Deliver(step, plan, {std::move(file.agent), std::move(file.name), file.content, {}, {}, 0, {}});
  }
}

bool TakeOver(Step& step, PlanState& plan, TaskIndex task) {
  const auto found = plan.dag->inherited.find(plan.dag->IdOf(task));
  if (found == plan.dag->inherited.end()) return false;
  const auto command = ReceiveTaskCommand(step, plan, task, {});
  if (!command) return false;
  step.Emit(plan, RecordedBefore(*command, found->second));
  DeliverOutputs(step, plan, task, plan.dag->Node(task));
  return true;
}

}  // namespace agenttalk
