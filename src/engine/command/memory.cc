#include "engine/command/memory.h"

#include <string>

#include "base/ids.h"
#include "engine/state/plan_state.h"
#include "engine/state/working_memory.h"
#include "engine/turn/turn.h"
#include "model/events/event.h"
#include "model/words/reasons.h"

namespace agenttalk {

void ForgetTask(Turn& turn, const PlanState& plan, const AgentId& agent, const TaskId& task,
                const std::string& reason) {
  if (plan.memory.Holds(agent, task)) turn.Emit(plan, MemoryCleared{agent, task, reason});
}

void ForgetPlan(Turn& turn, const PlanState& plan) {
  if (!plan.memory.empty()) turn.Emit(plan, MemoryCleared{{}, {}, turn.Say(Reason::kPlanEnded)});
}

}  // namespace agenttalk
