#pragma once

#include <boost/json/fwd.hpp>

#include "base/error.h"
#include "runtime/hub.h"

namespace agenttalk {

// {"plan_id", "what"?, "attempt"?, "rows"?}: a plan's overview (with `rows` only so many of each list), or a
// task or command with everything that was asked, answered, done and made (docs/formats/show.md).
Result<boost::json::value> QueryShow(Hub& hub, const boost::json::object& parameters);
// {"plan_id", "name", "version"?}: the bytes of a file that the plan was given or has made.
Result<boost::json::value> QueryFile(Hub& hub, const boost::json::object& parameters);
// {"plan_id", "what"?}: the history of a plan, or of one task or command, as a tree.
Result<boost::json::value> QueryTrace(Hub& hub, const boost::json::object& parameters);

}  // namespace agenttalk
