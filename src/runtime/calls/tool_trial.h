#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/ids.h"
#include "runtime/team.h"
#include "tools/tool_registry.h"
#include "tools/tool_runner.h"

// Tools without a plan: what each agent has, and one call as an agent would make it. Neither needs the
// journal, so both work beside a server.
namespace agenttalk {

struct AgentTools {
  AgentId agent;
  std::vector<ToolListing> tools;
};

struct ToolOverview {
  std::vector<AgentTools> agents;     // those that the engine plays, in order of their ids
  std::vector<std::string> problems;  // for people
};

ToolOverview ListTools(const Team& team, const std::filesystem::path& hub);

struct ToolTrial {
  AgentId agent;
  std::string tool;
  std::string arguments;                           // JSON text
  std::map<std::string, std::string> inputs = {};  // what lies in inputs/, by name
};

// Runs it to its end in a folder of its own, which is gone afterwards. An error: the call is refused, as it
// would be to the agent.
Result<ToolOutcomeReport> TryTool(const Team& team, const std::filesystem::path& hub, const ToolTrial& trial);

}  // namespace agenttalk
