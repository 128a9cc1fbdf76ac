#pragma once

#include <boost/json/fwd.hpp>

#include "base/ids.h"
#include "model/request/stored_request.h"
#include "runtime/history/command_history.h"

namespace agenttalk {

// A history as a tree: tasks, their commands, the attempts to execute them, the calls of models and tools,
// what was delivered, and beside each what was decided, with durations, tokens and cost.
boost::json::object PlanTraceJson(const PlanId& plan, const PlanHistory& history, const ContentLoader& load);

}  // namespace agenttalk
