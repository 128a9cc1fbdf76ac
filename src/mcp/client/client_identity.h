#pragma once

#include <boost/json/object.hpp>

// What this client says of itself to every server.
namespace agenttalk::mcp {

inline boost::json::object ClientInfo() {
  return {{"name", "agenttalk"}, {"version", AGENTTALK_VERSION}};
}

inline boost::json::object ClientCapabilities() {
  return {{"elicitation", {{"form", boost::json::object()}, {"url", boost::json::object()}}}};
}

}  // namespace agenttalk::mcp
