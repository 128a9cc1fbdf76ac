#include "engine/command/memory.h"

#include <string>

#include "base/ids.h"
#include "engine/state/plan_state.h"
#include "engine/state/working_memory.h"
#include "engine/turn/step.h"
#include "model/events/event.h"

namespace agenttalk {

void ForgetTask(Step& step, PlanState& plan, const AgentId& agent, const TaskId& task,
                const std::string& reason) {
  if (plan.memory.Holds(agent, task)) step.Emit(plan, MemoryCleared{agent, task, reason});
}

void ForgetPlan(Step& step, PlanState& plan) {
  if (!plan.memory.empty()) step.Emit(plan, MemoryCleared{{}, {}, "the plan has ended"});
}

}  // namespace agenttalk
