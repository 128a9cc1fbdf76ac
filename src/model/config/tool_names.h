#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace agenttalk {

// How the tools of an MCP server are called: mcp__<server>__<tool>.
inline constexpr std::string_view kMcpPrefix = "mcp__";
std::string McpToolPrefix(std::string_view server);

// Whether it can be a tool's name: letters, digits, '_' and '-', at most 64 of them, which is what every
// provider takes.
bool IsToolName(std::string_view name);

// The tools that the profiles of a hub may name: those that come with the program, the hub's own, and those
// of its MCP servers, which are known by their prefix alone until the server has been asked.
class ToolNames {
 public:
  ToolNames();  // what comes with the program

  void AddHubTool(std::string name) { names_.insert(std::move(name)); }
  void AddServer(std::string_view server) { prefixes_.push_back(McpToolPrefix(server)); }

  // Of a name or of a glob that could name one of them.
  [[nodiscard]] bool Knows(std::string_view name) const;
  // For suggestions.
  [[nodiscard]] std::vector<std::string_view> all() const;

 private:
  std::set<std::string, std::less<>> names_;
  std::vector<std::string> prefixes_;
};

}  // namespace agenttalk
