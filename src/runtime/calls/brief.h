#pragma once

#include "engine/state/plan_state.h"
#include "model/events/event.h"
#include "runtime/core/content_store.h"

namespace agenttalk {

// The texts of a command; empty when they cannot be read.
CommandBrief LoadBrief(ContentStore& contents, const CommandRecord& record);

}  // namespace agenttalk
