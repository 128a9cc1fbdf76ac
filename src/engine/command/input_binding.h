#pragma once

#include "engine/state/plan_state.h"
#include "engine/turn/turn.h"
#include "model/events/event.h"

// How a waiting command gets its inputs: from the moment that the last of them is there, their versions are
// fixed.
namespace agenttalk {

// Binds a new command's inputs if all are there, or if it does not wait for them.
void BindIfComplete(Turn& turn, const PlanState& plan, const CommandRecord& record);
// Puts a file into an agent's inbox for a plan, and wakes who waited for it.
void Deliver(Turn& turn, const PlanState& plan, InputArrived&& arrived);
// Binds the inputs of the commands whose last missing file has just come; while inputs are taken in, notes
// them (Turn::postponed).
void WakeSatisfied(Turn& turn);
// Binds the inputs of those of the commands that still wait and have all of them.
void WakeCommands(Turn& turn, const Turn::Satisfied& satisfied);

}  // namespace agenttalk
