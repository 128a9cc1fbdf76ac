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
    std::function<void(const std::string&)>
        alert;  // for the people of the hub, durably; none: nobody is told
    std::function<void(const std::string&)> settle;  // what that alert was about is in order
  };

  // They outlive it. `owner` tells its programs from those of another process that uses the same hub, and is
  // empty for the one that serves it.
  McpAccess(const std::filesystem::path& hub, const Team& team, ModelAccess& access, ToolRegistry& registry,
            Hooks hooks, const std::string& owner = {});

  // Before the hub begins its work: waits for what the servers offer.
  void WaitForStart() { servers_.WaitForStart(); }
  void Reconfigure(const Team& team);
  // Whether a person has accepted tools that changed; once in a while.
  void LookAtPins();

  // Why a tool of the server that was known is not there now, for people.
  [[nodiscard]] std::string WhyMissing(const std::string& server) const;
  [[nodiscard]] const McpPins& pins() const { return pins_; }

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
