#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>

#include "base/ids.h"
#include "runtime/team.h"

namespace agenttalk {

// Folders below agents/ whose inbox holds files although the team has no such agent, with how many. Nobody
// takes them in; they stay until the agent is declared.
std::map<AgentId, std::size_t> FindStrayInboxes(const std::filesystem::path& hub, const Team& team);
std::string StrayInboxText(const AgentId& agent, std::size_t files);

}  // namespace agenttalk
