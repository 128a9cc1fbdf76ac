#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"

namespace agenttalk {

// The hub as an MCP server on stdin and stdout, until the client closes stdin or a signal comes. It holds
// nothing of the hub: requests go to the process that serves it, or are recorded here and worked on by
// `agenttalk run` with these options.
Result<void> ServeMcpOnStdio(const std::filesystem::path& hub, std::vector<std::string> run_options);

}  // namespace agenttalk
