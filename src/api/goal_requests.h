#pragma once

#include <boost/json/fwd.hpp>
#include <string_view>

#include "api/hub_service.h"
#include "base/ids.h"
#include "runtime/hub.h"

namespace agenttalk {

// The plan of a goal that has no plan yet: the same words are the same plan.
PlanId PlanIdOfGoal(std::string_view goal);

// {"goal", "files", "plan_id" (default: of the goal's words), "fresh", "author", "client_id"}: begins the
// goal, or goes on with it.
void RequestGoal(Hub& hub, const boost::json::object& parameters, HubService::Done done);

// {"plan_id", "text", "author", "client_id"}: a remark on a plan. The answer holds its number, "remark"; what
// was made of it stands in the plan's status.
void RequestSay(Hub& hub, const boost::json::object& parameters, HubService::Done done);

}  // namespace agenttalk
