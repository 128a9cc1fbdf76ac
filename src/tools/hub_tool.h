#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "model/config/hub_tool.h"
#include "tools/sandboxed_program.h"
#include "tools/tool.h"

namespace agenttalk {

// The tools that agenttalk.yaml declares: programs in the sandbox. `options.limits` bounds them; each may
// have less time and less output.
std::vector<std::unique_ptr<Tool>> MakeHubTools(const std::map<std::string, HubToolConfig>& tools,
                                                const ProgramToolOptions& options);

}  // namespace agenttalk
