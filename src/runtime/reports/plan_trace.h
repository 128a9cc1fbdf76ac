#pragma once

#include <boost/json/fwd.hpp>

#include "base/error.h"
#include "base/ids.h"
#include "journal/journal.h"

namespace agenttalk {

// A plan's history as a tree: tasks, their commands, the attempts to execute them, the calls of models and
// tools, what was delivered, and beside each what was decided, with durations, tokens and cost. Made from the
// events alone; an event of a type that is not known here appears as a decision of what it is about.
Result<boost::json::object> PlanTraceJson(Journal& journal, const PlanId& plan);

}  // namespace agenttalk
