#pragma once

#include <boost/json/fwd.hpp>
#include <string>

namespace agenttalk {

// The tree that `trace` shows.
std::string TraceText(const boost::json::object& trace, bool colors);

}  // namespace agenttalk
