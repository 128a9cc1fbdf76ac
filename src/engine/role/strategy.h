#pragma once

#include <cstdint>

#include "base/error.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/steps/internal_plan.h"

// How it is decided how an agent goes about a task (engine/role/flow.h): by rules or by its model, at once,
// by a procedure or by a plan of the model's own.
namespace agenttalk {

// The first thing that a command of such an agent does; what follows from the choice is under way then.
Result<void> ChooseStrategy(Turn& turn, const PlanState& plan, const CommandRecord& record);
// The model has chosen.
Result<void> UseStrategy(Turn& turn, const PlanState& plan, const CommandRecord& record, std::uint32_t call,
                         StrategyAnswer answer);
// The model has made a plan: it is followed, or sent back with what is wrong with it.
void UsePlan(Turn& turn, const PlanState& plan, const CommandRecord& record, std::uint32_t call,
             InternalPlan internal);

}  // namespace agenttalk
