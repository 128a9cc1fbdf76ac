#pragma once

#include "engine/state/plan_state.h"
#include "engine/turn/step.h"
#include "model/events/event.h"

// How a waiting command gets its inputs: from the moment that the last of them is there, their versions are
// fixed.
namespace agenttalk {

// Binds a new command's inputs if all are there, or if it does not wait for them.
void BindIfComplete(Step& step, PlanState& plan, const CommandRecord& record);
// Puts a file into an agent's inbox for a plan, and wakes who waited for it.
void Deliver(Step& step, PlanState& plan, InputArrived arrived);
// Binds the inputs of the commands whose last missing file has just come; while inputs are taken in, notes
// them (Step::postponed).
void WakeSatisfied(Step& step);
// Binds the inputs of those of the commands that still wait and have all of them.
void WakeCommands(Step& step, const Step::Satisfied& satisfied);

}  // namespace agenttalk
