#pragma once

#include "engine/state/plan_state.h"
#include "model/events/event.h"

// The fold of a command's steps (engine/role/flow.h).
namespace agenttalk {

void FoldStrategy(CommandRecord& record, const StrategyChosen& e);
void FoldInternalPlan(CommandRecord& record, const InternalPlanMade& e);
void FoldStepStarted(CommandRecord& record, const StepStarted& e);
void FoldStepFinished(CommandRecord& record, const StepFinished& e);
// True: the current step has failed and is to be tried again after a pause.
bool AwaitsStepRetry(const CommandRecord& record);
void FoldStatus(CommandRecord& record, const StatusReported& e);
// The command moves to waiting_collaboration besides.
void FoldRequest(PlanState& plan, CommandRecord& record, const CollaborationRequested& e);
void FoldResponse(PlanState& plan, const CollaborationAnswered& e);
// The command ends: it waits for nobody any more.
void FoldGivenUp(PlanState& plan, const CommandRecord& record);

}  // namespace agenttalk
