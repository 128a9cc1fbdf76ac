#pragma once

#include "engine/state/hub_state.h"
#include "model/events/event.h"

namespace agenttalk {

// The state after one more event. Reads nothing but the event: the same events give the same state whatever
// the configuration, the clock or the program's version say by then.
void Apply(HubState& state, const Event& event);

// Makes a plan that was read from a snapshot part of the hub: its commands take their places at their agents,
// their deadlines in the timers.
void Attach(HubState& state, PlanState& plan);

}  // namespace agenttalk
