#include "engine/command/authority.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "engine/state/hub_state.h"

namespace agenttalk {

std::optional<Error> ForbidSending(const HubState& state, const AgentId& from, const AgentId& to) {
  const auto sender = state.agents.find(from);
  if (sender == state.agents.end() || !sender->second.settings.visibility || to == from) return std::nullopt;
  const auto& visible = *sender->second.settings.visibility;
  if (std::ranges::find(visible, to) != visible.end()) return std::nullopt;
  return Error{ErrorCode::kNotVisible, fmt::format("{} may not send to {}", from.str(), to.str()),
               fmt::format("add {} to the visibility of {}", to.str(), from.str())};
}

std::optional<Error> ForbidCommand(const HubState& state, const AgentId& owner, const AgentId& agent) {
  if (owner == agent) return std::nullopt;
  const auto found = state.agents.find(owner);
  const bool granted =
      found != state.agents.end() && std::ranges::find(found->second.settings.permissions, kSendCommand) !=
                                         found->second.settings.permissions.end();
  if (!granted) {
    return Error{
        ErrorCode::kPermissionDenied,
        fmt::format("the task belongs to {}, and the box to {}, which may not command others", agent.str(),
                    owner.str()),
        fmt::format("put the command into the inbox of {}, use `agenttalk send`, or add \"{}\" to the "
                    "permissions of {} in agenttalk.yaml",
                    agent.str(), kSendCommand, owner.str())};
  }
  return ForbidSending(state, owner, agent);
}

}  // namespace agenttalk
