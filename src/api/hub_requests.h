#pragma once

#include <boost/json/fwd.hpp>

#include "api/hub_service.h"
#include "runtime/hub.h"

// The requests that change something. `done` is called when the change is durable. A `client_id` makes a
// request safe to repeat: the second time it is answered, not done again.
namespace agenttalk {

// {"name","content","to","plan_id"}: a command or a file; a command names its plan itself.
void RequestSend(Hub& hub, const boost::json::object& parameters, HubService::Done done);
// {"id","text","decision","files":[{"name","content"}]}
void RequestAnswer(Hub& hub, const boost::json::object& parameters, HubService::Done done);
// {"plan_id"}: writes what of the plan's files is not there or not right.
void RequestExport(Hub& hub, const boost::json::object& parameters, HubService::Done done);
// {"plan_id","reason","client_id"}
void RequestRepair(Hub& hub, const boost::json::object& parameters, HubService::Done done);
void RequestPause(Hub& hub, const boost::json::object& parameters, HubService::Done done);
void RequestResume(Hub& hub, const boost::json::object& parameters, HubService::Done done);
void RequestCancel(Hub& hub, const boost::json::object& parameters, HubService::Done done);
// {"id"}
void RequestRetry(Hub& hub, const boost::json::object& parameters, HubService::Done done);
void RequestDrop(Hub& hub, const boost::json::object& parameters, HubService::Done done);

}  // namespace agenttalk
