#pragma once

#include <boost/json/fwd.hpp>

#include "api/hub_service.h"
#include "runtime/hub.h"

namespace agenttalk {

// {"plan" (text of a plan.yaml) or "dag" (text of a task_dag.json), "files":[{"name","content_base64"}],
// "fresh", "author","reason","client_id"}: begins the plan, goes on with it, or revises it.
void RequestPlan(Hub& hub, const boost::json::object& parameters, HubService::Done done);
// The same, with the plan read and checked beside the loop.
void RequestPlanBeside(Hub& hub, const boost::json::object& parameters, HubService::Done done);

}  // namespace agenttalk
