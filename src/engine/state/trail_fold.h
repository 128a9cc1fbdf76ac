#pragma once

#include "engine/state/plan_state.h"
#include "model/events/event.h"

namespace agenttalk {

// Enters the event into the trails of the commands that it is about (PlanState::trails): the one it names,
// the one that made what it delivers, or the last command of the task it names. Called after the event was
// applied, except for the end of a question, whose question must still be there.
void FoldTrail(PlanState& plan, const Event& event);

}  // namespace agenttalk
