#pragma once

#include <boost/json/fwd.hpp>

#include "api/hub_service.h"
#include "engine/turn/input.h"
#include "runtime/hub.h"

namespace agenttalk {

// Submits, and answers when it is durable: {"status", …more}.
void SubmitFor(Hub& hub, Input input, boost::json::object more, HubService::Done done);

}  // namespace agenttalk
