#pragma once

#include <boost/json/fwd.hpp>
#include <string>

namespace agenttalk {

// A plan's status for people. `now` (RFC 3339) is when it is looked at: what goes on has taken until then.
std::string StatusText(const boost::json::object& status, const std::string& now, bool colors);

// What to do when no process works on an unfinished plan; empty otherwise. Ends with a newline.
std::string IdleText(const boost::json::object& status);

}  // namespace agenttalk
