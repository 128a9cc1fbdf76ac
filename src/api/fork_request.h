#pragma once

#include <boost/json/fwd.hpp>

#include "api/hub_service.h"
#include "runtime/hub.h"

namespace agenttalk {

// {"plan_id","from","as", "prompt","model","agent", "author","reason","client_id"}: a new plan `as` that
// shares the past of another one and executes everything from the task `from` on again, which may get another
// prompt, model or agent.
void RequestFork(Hub& hub, const boost::json::object& parameters, HubService::Done done);

}  // namespace agenttalk
