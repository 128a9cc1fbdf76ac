#pragma once

#include "engine/state/plan_state.h"
#include "model/events/event.h"

// The fold of a command's steps (engine/role/flow.h).
namespace agenttalk {

void FoldStrategy(CommandRecord& record, const StrategyChosen& e);
void FoldInternalPlan(CommandRecord& record, const InternalPlanMade& e);
void FoldStepStarted(CommandRecord& record, const StepStarted& e);
void FoldStepFinished(CommandRecord& record, const StepFinished& e);
void FoldStatus(CommandRecord& record, const StatusReported& e);
// The current step waits for another agent; what that one answered.
void FoldWaiting(CommandRecord& record, const CollaborationRequested& e);
void FoldReply(CommandRecord& asker, const CollaborationAnswered& e);

}  // namespace agenttalk
