#pragma once

#include <boost/json/fwd.hpp>

#include "base/error.h"
#include "model/events/event.h"
#include "runtime/history/log_line.h"
#include "runtime/hub.h"

namespace agenttalk {

// {"plan_id", "after"?, "limit"?, "tail"?, "before"?, "words"?, "brief"?}: a plan's events in order. `tail`
// gives the last ones and reads hardly any others; `words` adds to each what happened in words, as `log`
// prints it; `brief` leaves out its data.
Result<boost::json::value> QueryLog(Hub& hub, const boost::json::object& parameters);

// One event as `log --json` prints it, with `words` if wanted.
boost::json::object ShownEvent(Hub& hub, const EventOwner& owner, const Event& event, bool words);

}  // namespace agenttalk
