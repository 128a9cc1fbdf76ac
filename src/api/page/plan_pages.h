#pragma once

#include <boost/json/fwd.hpp>

#include "base/error.h"
#include "runtime/hub.h"

// One plan for the page, in pieces whose size does not depend on that of the plan, but for one letter a task.
// Each can be asked for as it was: `at` is the number of an event.
namespace agenttalk {

// {"plan_id","at"?}: how far it is, what happens now, what went wrong, what it cost. Asked for again and
// again while the plan runs.
Result<boost::json::value> QuerySummary(Hub& hub, const boost::json::object& parameters);
// {"plan_id","at"?,"text"?,"state"?,"order"?,"after"?,"limit"?}: {"tasks","commands","total","next"}.
Result<boost::json::value> QueryTasks(Hub& hub, const boost::json::object& parameters);
// {"plan_id","at"?}: {"revision","tasks":[[id, agent, column, row]],"edges":[[from, to]]} by index into
// `tasks`.
Result<boost::json::value> QueryGraph(Hub& hub, const boost::json::object& parameters);

}  // namespace agenttalk
