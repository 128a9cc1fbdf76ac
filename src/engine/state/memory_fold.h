#pragma once

#include "engine/state/plan_state.h"
#include "model/events/thinking_events.h"

// What events mean for agents' working memory: a part of the fold (engine/state/fold.h).
namespace agenttalk {

void FoldMemory(PlanState& plan, const MemoryWritten& e);
void FoldMemory(PlanState& plan, const MemoryCleared& e);

}  // namespace agenttalk
