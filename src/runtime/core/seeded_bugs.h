#pragma once

#include <span>
#include <vector>

#include "engine/state/hub_state.h"
#include "journal/journal.h"
#include "model/events/event.h"
#include "runtime/core/core.h"

// The bugs of base/plant.h that take more than a line. Only a build with fault switches ever reaches them.
namespace agenttalk {

// drop_intent: what is going to be done is not recorded.
std::vector<Event> WithoutIntents(std::span<const Event> events);

// rerun_step: model calls whose outcomes the journal holds are made again.
void RerunRecordedCalls(Journal& journal, const HubState& state, Performer& performer);

}  // namespace agenttalk
