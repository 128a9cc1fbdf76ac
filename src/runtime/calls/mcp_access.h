#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "mcp/client/remote_server.h"
#include "mcp/client/server_set.h"
#include "runtime/calls/mcp_pins.h"
#include "runtime/calls/model_access.h"
#include "runtime/team.h"
#include "tools/tool_registry.h"

namespace agenttalk {

// The MCP servers of a hub as a source of tools: those that some agent may use are kept running, and the
// registry has what they offer.
class McpAccess {
 public:
  struct Hooks {
    std::function<void(const std::string&)> report;  // for whoever started the hub
    std::function<void(const std::string&)> alert;   // for the people of the hub, durably
  };

  // They outlive it.
  McpAccess(const std::filesystem::path& hub, const Team& team, ModelAccess& access, ToolRegistry& registry,
            Hooks hooks);

  // Before the hub begins its work: waits for what the servers offer.
  void WaitForStart() { servers_.WaitForStart(); }
  void Reconfigure(const Team& team);
  // Whether a person has accepted tools that changed; once in a while.
  void LookAtPins();

  // The servers there are, for people.
  [[nodiscard]] const mcp::ServerSet& servers() const { return servers_; }

 private:
  void Offer(const std::shared_ptr<mcp::RemoteServer>& server);

  ToolRegistry& registry_;
  const Hooks hooks_;
  McpPins pins_;
  std::set<std::string> alerted_;  // changes that people have been told of
  std::map<std::string, std::string> reported_;
  mcp::ServerSet servers_;
};

}  // namespace agenttalk
