#pragma once

#include <boost/json/fwd.hpp>

#include "base/error.h"
#include "engine/state/plan_state.h"
#include "runtime/core/content_store.h"

namespace agenttalk {

// Two plans side by side, task by task (command by command, where there are no tasks): how they are defined,
// how they went, what they brought, what it took. Outputs are compared by hash, texts also by lines.
Result<boost::json::object> PlanDiffJson(const PlanState& a, const PlanState& b, ContentStore& contents);

}  // namespace agenttalk
