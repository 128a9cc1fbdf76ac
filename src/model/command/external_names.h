#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/ids.h"

// The files that pass between the engine and an agent that another program plays (docs/external_agents.md),
// by the command they are about.
namespace agenttalk {

// In its inbox: the command, and why its last result was refused.
std::string DeliveryName(const CommandId& command);
std::optional<CommandId> DeliveryOf(std::string_view name);
std::string RefusalName(const CommandId& command);
std::optional<CommandId> RefusalOf(std::string_view name);

// In its outbox: what came of the command.
std::string ResultName(const CommandId& command);
std::optional<CommandId> ResultOf(std::string_view name);
bool IsResultName(std::string_view name);

}  // namespace agenttalk
