#pragma once

#include <boost/json/fwd.hpp>

#include "api/hub_service.h"
#include "base/error.h"
#include "runtime/hub.h"

// A plan by its id alone: which one is meant, and running it again without its file or its goal.
namespace agenttalk {

// {"plan_id", "state"} of a plan that exists; PLAN_UNKNOWN with the nearest id otherwise.
Result<boost::json::value> QueryPlanIdentity(Hub& hub, const boost::json::object& parameters);
// Unfinished: it continues. Failed tasks run again. Finished: nothing happens, unless `fresh`.
void RequestContinue(Hub& hub, const boost::json::object& parameters, HubService::Done done);

}  // namespace agenttalk
