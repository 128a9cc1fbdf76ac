#pragma once

#include "engine/plan_state.h"
#include "model/event.h"
#include "runtime/content_store.h"

namespace agenttalk {

// The texts of a command; empty when they cannot be read.
CommandBrief LoadBrief(ContentStore& contents, const CommandRecord& record);

}  // namespace agenttalk
