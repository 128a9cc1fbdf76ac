#pragma once

#include <boost/json/fwd.hpp>

#include "api/hub_service.h"
#include "runtime/hub.h"

// One plan for the page, in pieces whose size does not depend on that of the plan, but for one letter a task.
// Each can be asked for as it was: `at` is the number of an event.
namespace agenttalk {

// {"plan_id","at"?}: how far it is, what happens now, what went wrong, what it cost. Asked for again and
// again while the plan runs.
void TellSummary(Hub& hub, const boost::json::object& parameters, HubService::Done done);
// {"plan_id","at"?,"text"?,"state"?,"order"?,"after"?,"limit"?}: {"tasks","commands","total","next"}.
void TellTasks(Hub& hub, const boost::json::object& parameters, HubService::Done done);
// {"plan_id","at"?}: {"revision","tasks":[[id, agent, column, row]],"edges":[[from, to]]} by index into
// `tasks`.
void TellGraph(Hub& hub, const boost::json::object& parameters, HubService::Done done);

}  // namespace agenttalk
