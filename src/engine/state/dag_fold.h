#pragma once

#include <cstdint>

#include "base/language.h"
#include "base/time.h"
#include "engine/state/plan_state.h"
#include "model/events/event.h"

// What events mean for the tasks of a plan: a part of the fold (engine/state/fold.h).
namespace agenttalk {

void FoldDag(PlanState& plan, const DagAdopted& e);
void FoldForked(PlanState& plan, const PlanForked& e);
void FoldCompleted(PlanState& plan, const TaskCompleted& e, Timestamp at, Language language);
void FoldReset(PlanState& plan, const TasksReset& e);
// True: a command that a planner made for the task in advance is let go.
bool FoldChanged(PlanState& plan, const TaskChanged& e, Timestamp at);

void FoldNumberTaken(PlanState& plan, const NumberTaken& e);
// Events of commands, as far as their task goes; nothing in an open plan.
void FoldTaskCommand(PlanState& plan, const CommandRecord& record);
void FoldTaskStart(PlanState& plan, const CommandRecord& record, Timestamp at);
void FoldTaskCost(PlanState& plan, const CommandRecord& record, const Cost& cost);
void FoldTaskResult(PlanState& plan, const CommandRecord& record, const CommandSucceeded& e);
void FoldVersion(PlanState& plan, const InputArrived& e, std::uint32_t command);
void FoldPlanChange(PlanState& plan, const PlanChanged& e, Timestamp at);

// The command came before the task's dependencies were done, and waits for them.
bool IsHeld(const PlanState& plan, const CommandRecord& record);

}  // namespace agenttalk
