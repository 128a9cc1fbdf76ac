#include "runtime/calls/tool_overview.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/json.h"
#include "mcp/client/mcp_tool.h"
#include "model/config/agent_profile.h"
#include "runtime/calls/mcp_pins.h"
#include "runtime/team.h"
#include "tools/tool_origin.h"
#include "tools/tool_registry.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

void AddMissing(const Team& team, const ToolRegistry& registry, const McpPins& pins, const WhyMissing& why,
                AgentTools& agent) {
  for (const McpPins::Known& known : pins.All()) {
    if (!team.config.mcp_servers.contains(known.server)) continue;
    const std::string name = mcp::McpToolName(known.server, known.tool);
    const auto is_listed = [&](const ToolListing& one) { return one.spec.name == name; };
    if (!registry.IsGranted(agent.agent, name) || std::ranges::any_of(agent.tools, is_listed)) continue;
    ToolListing& one = agent.tools.emplace_back();
    one.spec.name = name;
    one.origin = {ToolOriginKind::kMcpServer, known.server};
    one.obstacle = known.changed
                       ? "it describes itself differently than before; `agenttalk trust --show` shows how"
                       : why(known.server);
  }
}

json::object OriginJson(const ToolOrigin& origin) {
  json::object object{{"kind", ToString(origin.kind)}};
  if (origin.kind == ToolOriginKind::kMcpServer) object["server"] = origin.server;
  return object;
}

json::object ListingJson(const ToolListing& tool) {
  const std::string problem =
      tool.permitted ? tool.obstacle : fmt::format("the agent lacks the permission \"{}\"", tool.permission);
  auto schema = ParseJson(tool.spec.input_schema);
  return {{"name", tool.spec.name},
          {"description", tool.remark},
          {"origin", OriginJson(tool.origin)},
          {"idempotent", tool.idempotent},
          {"usable", problem.empty()},
          {"problem", problem.empty() ? json::value() : json::value(problem)},
          {"unchecked", json::array(tool.unchecked.begin(), tool.unchecked.end())},
          {"schema", schema ? *std::move(schema) : json::value()}};
}

}  // namespace

std::vector<AgentTools> OverviewOf(const Team& team, const ToolRegistry& registry, const McpPins& pins,
                                   const WhyMissing& why) {
  std::vector<AgentTools> agents;
  for (const auto& [id, profile] : team.agents) {
    if (profile.runtime != AgentRuntime::kBuiltin) continue;
    AgentTools& agent = agents.emplace_back(id, registry.ListOf(id));
    AddMissing(team, registry, pins, why, agent);
  }
  return agents;
}

json::array ToolsJson(const std::vector<AgentTools>& agents) {
  json::array list;
  for (const AgentTools& agent : agents) {
    json::array tools;
    for (const ToolListing& tool : agent.tools) tools.push_back(ListingJson(tool));
    list.push_back({{"agent_id", agent.agent.str()}, {"tools", std::move(tools)}});
  }
  return list;
}

}  // namespace agenttalk
