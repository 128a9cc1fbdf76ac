#pragma once

#include <optional>

#include "base/error.h"
#include "base/ids.h"
#include "engine/state/hub_state.h"

// Who may set whom to work. Rights come from the hub's configuration alone; whoever can write into a box
// speaks for the agent whose box it is, and for nobody else.
namespace agenttalk {

// The permission without which nobody may give commands to another's tasks.
inline constexpr const char* kSendCommand = "send_command";

// Why `from` must not send to `to`, which its visibility leaves out; nothing: it may.
std::optional<Error> ForbidSending(const HubState& state, const AgentId& from, const AgentId& to);

// Why a command that is in a box of `owner` must not be given to `agent`; nothing: it may.
std::optional<Error> ForbidCommand(const HubState& state, const AgentId& owner, const AgentId& agent);

}  // namespace agenttalk
