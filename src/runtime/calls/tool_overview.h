#pragma once

#include <boost/json/fwd.hpp>
#include <functional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "runtime/calls/mcp_pins.h"
#include "runtime/team.h"
#include "tools/tool_registry.h"

// What each agent has, for people and programs that ask.
namespace agenttalk {

struct AgentTools {
  AgentId agent;
  std::vector<ToolListing> tools;
};

// Why a tool that was known is not there now, by its server.
using WhyMissing = std::function<std::string(const std::string& server)>;

// The agents that the engine plays, in order of their ids. What MCP servers had when they were last seen
// (`pins`) and the registry does not have now is listed with the reason.
std::vector<AgentTools> OverviewOf(const Team& team, const ToolRegistry& registry, const McpPins& pins,
                                   const WhyMissing& why);

// As `tools --json` prints it.
boost::json::array ToolsJson(const std::vector<AgentTools>& agents);

}  // namespace agenttalk
