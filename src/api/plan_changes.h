#pragma once

#include <boost/json/fwd.hpp>

#include "api/hub_service.h"
#include "base/error.h"
#include "runtime/hub.h"

// A plan's tasks, shown and changed by thinking commands (docs/formats/thinking_commands.md).
namespace agenttalk {

// {"plan_id"}: {"plan_id","revision","current_task_id","tasks":[…]} in topological order.
Result<boost::json::value> QueryPlanTasks(Hub& hub, const boost::json::object& parameters);

// {"plan_id","commands":[{"command_name","args"}],"expected_revision","reason","client_id"}: one batch. The
// answer is that of the query, after the change; a refused batch is {"error":{…},"errors":[…]}.
void RequestPlanChange(Hub& hub, const boost::json::object& parameters, HubService::Done done);

}  // namespace agenttalk
