#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "base/error.h"
#include "base/ids.h"
#include "model/command/command.h"
#include "model/command/reading.h"
#include "tools/tool.h"

namespace agenttalk {

// What making commands stands on.
struct CommandDesk {
  // What the hub knows at the moment of the call; an agent that asks wants to send the command itself.
  std::function<CommandContext(const AgentId&)> facts;
  // Whether the agent may send commands.
  std::function<bool(const AgentId&)> may_send;
  // Keeps the command's number for it; called back when that is durable.
  std::function<void(const Command&, const AgentId&, std::function<void(Result<void>)>)> keep_number;
};

// Generates a command and, if it is a task's, keeps its number. `done` may be called later.
void MakeCommand(const CommandDesk& desk, const AgentId& agent, const boost::json::value& params,
                 std::function<void(ReadCommandResult)> done);

// generate_command: the generator that is also behind `agenttalk command new`.
std::unique_ptr<Tool> MakeCommandTool(CommandDesk desk);

}  // namespace agenttalk
