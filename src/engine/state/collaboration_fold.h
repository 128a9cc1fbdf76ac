#pragma once

#include "engine/state/plan_state.h"
#include "model/events/event.h"

// What events mean for requests of agents to one another: a part of the fold (engine/state/fold.h).
namespace agenttalk {

// The command moves to waiting_collaboration besides.
void FoldRequest(PlanState& plan, CommandRecord& record, const CollaborationRequested& e);
void FoldResponse(PlanState& plan, const CollaborationAnswered& e);
// The command ends: it waits for nobody any more.
void FoldGivenUp(PlanState& plan, const CommandRecord& record);

}  // namespace agenttalk
