#pragma once

#include <boost/json/fwd.hpp>

#include "api/hub_service.h"
#include "base/error.h"
#include "runtime/hub.h"

// Commands that somebody is making: what the hub knows is asked where it is known.
namespace agenttalk {

// {"params": {…}}: generate_command. A task's number is kept for the command.
void RequestCommand(Hub& hub, const boost::json::object& parameters, HubService::Done done);
// {"text": …, "strict": bool}: what is wrong with a command, as {"errors": […], "warnings": […]}.
Result<boost::json::value> QueryCommandCheck(Hub& hub, const boost::json::object& parameters);

}  // namespace agenttalk
