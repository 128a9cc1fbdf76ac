#pragma once

#include <boost/json/fwd.hpp>
#include <string_view>

namespace agenttalk::mcp {

// How this server introduces itself.
boost::json::object ServerInfo();
boost::json::object ServerCapabilities();
// For the model that is going to use the tools.
extern const std::string_view kInstructions;

}  // namespace agenttalk::mcp
