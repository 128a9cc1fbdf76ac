#include "engine/state/memory_fold.h"

#include "engine/state/plan_state.h"
#include "model/events/thinking_events.h"

namespace agenttalk {

void FoldMemory(PlanState& plan, const MemoryWritten& e) {
  plan.memory.Write(e.agent_id, e.task_id, e.entry);
  CommandRecord* record = plan.Find(e.command_id);
  if (record != nullptr && record->execution) record->execution->news.push_back(e.entry);
}

void FoldMemory(PlanState& plan, const MemoryCleared& e) {
  plan.memory.Clear(e.agent_id, e.task_id);
}

}  // namespace agenttalk
