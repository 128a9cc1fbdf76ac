#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/ids.h"
#include "runtime/calls/mcp_access.h"
#include "runtime/calls/mcp_pins.h"
#include "runtime/calls/model_access.h"
#include "runtime/calls/tool_overview.h"
#include "runtime/calls/tool_set.h"
#include "runtime/team.h"
#include "tools/tool_runner.h"

// Tools without a plan: what each agent has, and one call as an agent would make it. Neither needs the
// journal, so both work beside a server.
namespace agenttalk {

struct ToolTrial {
  AgentId agent;
  std::string tool;
  std::string arguments;                           // JSON text
  std::map<std::string, std::string> inputs = {};  // what is in inputs/, by name
};

// The tools of a hub, on a loop of their own.
class ToolBench {
 public:
  struct Servers {
    std::string forbidden = {};  // why no MCP server may be started or reached; empty: they may
    // Only those with a tool that might have this name; empty: all that agents use.
    std::string needed_for = {};
  };

  // Waits until the MCP servers have told their tools. Their programs end with it.
  static Result<std::unique_ptr<ToolBench>> Open(const Team& team, const std::filesystem::path& hub,
                                                 const Servers& servers);
  ~ToolBench();
  ToolBench(const ToolBench&) = delete;
  ToolBench& operator=(const ToolBench&) = delete;

  [[nodiscard]] std::vector<AgentTools> Overview() const;
  [[nodiscard]] const std::vector<std::string>& problems() const { return problems_; }  // for people
  // Runs it to its end in a folder of its own, which is gone afterwards. An error: the call is refused, as it
  // would be to the agent.
  Result<ToolOutcomeReport> Try(const ToolTrial& trial);

 private:
  class Loop;

  ToolBench(const Team& team, std::filesystem::path hub, ModelAccess access);
  void UseServers(const Servers& servers);

  const Team& team_;
  const std::filesystem::path hub_;
  std::string forbidden_;
  std::vector<std::string> problems_;
  ModelAccess access_;
  std::unique_ptr<Loop> loop_;
  ToolSet set_;
  McpPins pins_;
  std::unique_ptr<McpAccess> mcp_;
};

}  // namespace agenttalk
