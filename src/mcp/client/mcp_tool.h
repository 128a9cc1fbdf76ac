#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "mcp/client/remote_server.h"
#include "mcp/client/remote_tool.h"
#include "tools/tool.h"

namespace agenttalk::mcp {

// How agents call it: mcp__<server>__<tool>, with what cannot be in a tool's name replaced, and cut where it
// would be too long; then it ends with a part of its digest, so that two of them stay apart.
std::string McpToolName(std::string_view server, const std::string& tool);

// A server's tool for agents. What a model is told of it is marked as the server's words and kept short.
std::unique_ptr<Tool> MakeMcpTool(std::shared_ptr<RemoteServer> server, const RemoteTool& tool);

}  // namespace agenttalk::mcp
