#pragma once

#include <boost/json/fwd.hpp>

#include "api/hub_service.h"
#include "base/error.h"
#include "runtime/hub.h"

// Questions about the past.
namespace agenttalk {

// {"plan_id","at"}: the plan's status as it was after event `at`; without it, after the last one.
void TellReplay(Hub& hub, const boost::json::object& parameters, HubService::Done done);
// {"a","b"}: two plans side by side.
Result<boost::json::value> QueryDiff(Hub& hub, const boost::json::object& parameters);

}  // namespace agenttalk
