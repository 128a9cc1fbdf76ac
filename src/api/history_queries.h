#pragma once

#include <boost/json/fwd.hpp>

#include "base/error.h"
#include "runtime/hub.h"

// Questions about the past.
namespace agenttalk {

// {"plan_id","at"}: the plan's status as it was after event `at`; without it, after the last one.
Result<boost::json::value> QueryReplay(Hub& hub, const boost::json::object& parameters);
// {"a","b"}: two plans side by side.
Result<boost::json::value> QueryDiff(Hub& hub, const boost::json::object& parameters);

}  // namespace agenttalk
