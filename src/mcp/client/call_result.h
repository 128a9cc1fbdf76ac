#pragma once

#include <boost/json/fwd.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "mcp/client/remote_tool.h"
#include "tools/tool_runner.h"

namespace agenttalk::mcp {

struct ResultLimits {
  std::size_t file_bytes = std::size_t{64} << 20U;
  std::size_t files = 100;
};

// The result of a call in words, for a model. What is no text (images, sound, bytes) becomes files in
// outputs/, under names that `taken` does not have.
ToolOutcomeReport ReadCallResult(const RemoteTool& tool, const boost::json::object& result,
                                 const ResultLimits& limits, std::vector<std::string> taken);

}  // namespace agenttalk::mcp
