#pragma once

#include <functional>
#include <memory>

#include "model/command/reading.h"
#include "tools/tool.h"

namespace agenttalk {

// generate_command: the generator that is also behind `agenttalk command new`. `context` says what the hub
// knows at the moment of the call.
std::unique_ptr<Tool> MakeCommandTool(std::function<CommandContext()> context);

}  // namespace agenttalk
