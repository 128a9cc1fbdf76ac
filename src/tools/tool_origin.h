#pragma once

#include <cstdint>
#include <string>

namespace agenttalk {

// Who brings a tool.
enum class ToolOriginKind : std::uint8_t { kBuiltIn, kOwn, kMcpServer };

struct ToolOrigin {
  ToolOriginKind kind = ToolOriginKind::kBuiltIn;
  std::string server = {};  // of kMcpServer: its name in agenttalk.yaml

  bool operator==(const ToolOrigin&) const = default;
};

// For programs: "builtin", "own", "mcp".
inline const char* ToString(ToolOriginKind kind) {
  switch (kind) {
    case ToolOriginKind::kBuiltIn:
      return "builtin";
    case ToolOriginKind::kOwn:
      return "own";
    case ToolOriginKind::kMcpServer:
      return "mcp";
  }
  return "";
}

// For people.
inline std::string ToText(const ToolOrigin& origin) {
  switch (origin.kind) {
    case ToolOriginKind::kBuiltIn:
      return "built in";
    case ToolOriginKind::kOwn:
      return "agenttalk.yaml";
    case ToolOriginKind::kMcpServer:
      return "MCP server " + origin.server;
  }
  return {};
}

}  // namespace agenttalk
