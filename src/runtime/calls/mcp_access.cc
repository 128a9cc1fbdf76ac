#include "runtime/calls/mcp_access.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/glob.h"
#include "mcp/client/mcp_tool.h"
#include "mcp/client/remote_server.h"
#include "mcp/client/remote_tool.h"
#include "mcp/client/server_set.h"
#include "model/config/mcp_server_config.h"
#include "model/config/tool_names.h"
#include "runtime/calls/mcp_pins.h"
#include "runtime/calls/model_access.h"
#include "runtime/team.h"
#include "tools/tool.h"
#include "tools/tool_origin.h"
#include "tools/tool_registry.h"

namespace agenttalk {
namespace {

constexpr std::size_t kLargestMessage = std::size_t{32} << 20U;

// Whether this entry of a profile could name a tool of the server.
bool MayName(const std::string& entry, const std::string& prefix) {
  if (!IsGlob(entry)) return entry.starts_with(prefix);
  const std::string_view start = GlobPrefix(entry);
  return start.starts_with(prefix) || std::string_view(prefix).starts_with(start);
}

// A server that nobody may use is not started.
std::map<std::string, McpServerConfig> UsedServers(const Team& team) {
  std::map<std::string, McpServerConfig> used;
  for (const auto& [name, config] : team.config.mcp_servers) {
    const std::string prefix = McpToolPrefix(name);
    const bool wanted = std::ranges::any_of(team.agents, [&](const auto& agent) {
      return std::ranges::any_of(agent.second.tools,
                                 [&](const std::string& entry) { return MayName(entry, prefix); });
    });
    if (wanted) used.emplace(name, config);
  }
  return used;
}

}  // namespace

McpAccess::McpAccess(const std::filesystem::path& hub, const Team& team, ModelAccess& access,
                     ToolRegistry& registry, Hooks hooks, const std::string& owner)
    : registry_(registry),
      hooks_(std::move(hooks)),
      pins_(hub),
      servers_(
          {*access.reactor, *access.http, access.environment, hub, kLargestMessage,
           team.config.limits.max_input_bytes, owner},
          {[this](const std::shared_ptr<mcp::RemoteServer>& server) { Offer(server); },
           [this](const std::string& name) { registry_.SetSource({ToolOriginKind::kMcpServer, name}, {}); },
           hooks_.report}) {
  servers_.Configure(UsedServers(team));
}

void McpAccess::Reconfigure(const Team& team) {
  servers_.Configure(UsedServers(team));
}

void McpAccess::Offer(const std::shared_ptr<mcp::RemoteServer>& server) {
  std::vector<std::unique_ptr<Tool>> tools;
  for (const mcp::RemoteTool& tool : server->tools()) {
    const std::string digest = tool.digest().Hex();
    const std::string text = fmt::format(
        "The tool {} of the MCP server {} does not describe itself as it did when it was first used. Agents "
        "do not have it any more. Read what it says now with `agenttalk trust --show`; if that is right, run "
        "`agenttalk trust`.",
        tool.name, server->name());
    if (pins_.Judge(server->name(), tool.name, digest, tool.description) != McpPins::Verdict::kChanged) {
      if (hooks_.settle) hooks_.settle(text);
      tools.push_back(mcp::MakeMcpTool(server, tool));
      continue;
    }
    if (!alerted_.insert(server->name() + "\n" + tool.name + "\n" + digest).second) continue;
    hooks_.report(text);
    if (hooks_.alert) hooks_.alert(text);
  }
  if (const auto saved = pins_.Save(); !saved) hooks_.report(saved.error().message);
  std::string problems;
  for (const std::string& problem :
       registry_.SetSource({ToolOriginKind::kMcpServer, server->name()}, std::move(tools)))
    problems += problem + "\n";
  // Said once, not with every list.
  if (std::exchange(reported_[server->name()], problems) != problems && !problems.empty())
    hooks_.report(problems);
}

std::string McpAccess::WhyMissing(const std::string& server) const {
  const auto found = servers_.servers().find(server);
  if (found == servers_.servers().end()) return fmt::format("the MCP server {} is not started", server);
  if (found->second->is_ready()) return fmt::format("the MCP server {} does not offer it any more", server);
  const std::string& problem = found->second->problem();
  return fmt::format("the MCP server {} is not running: {}", server,
                     problem.empty() ? "it has not told its tools yet" : problem);
}

void McpAccess::LookAtPins() {
  if (!pins_.IsStale()) return;
  pins_.Load();
  for (const auto& [name, server] : servers_.servers()) {
    if (server->is_ready()) Offer(server);
  }
}

}  // namespace agenttalk
