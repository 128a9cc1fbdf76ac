#pragma once

#include <boost/json/fwd.hpp>

#include "api/hub_service.h"
#include "runtime/hub.h"

namespace agenttalk {

// {"plan_id","after","wait_s","limit"}: events after `after` (0 or a `last` that was given before; absent:
// none, only where the end is), of one plan or of all. While there are none a served hub keeps the answer
// back until one is durable, at most for `wait_s` seconds: whoever asks again and again misses nothing and
// never polls. {"events","last","waited"}.
void FollowEvents(Hub& hub, const boost::json::object& parameters, HubService::Done done);

}  // namespace agenttalk
