#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "base/file_descriptor.h"
#include "mcp/client/remote_server.h"
#include "mcp/client/stdio_transport.h"
#include "model/config/mcp_server_config.h"

namespace agenttalk::mcp {

// The program of a server: its arguments, what it sees of the environment, the sandbox around it. `filter` is
// what the sandbox reads when it starts, and must live until then.
Result<ServerProgram> MakeServerProgram(const ServerSeams& seams, const std::string& name,
                                        const McpServerConfig& config, FileDescriptor& filter);

// Whether the configuration lets agents see this tool of the server.
bool IsWanted(const McpServerConfig& config, std::string_view tool);

}  // namespace agenttalk::mcp
