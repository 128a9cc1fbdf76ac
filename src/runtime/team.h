#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/ids.h"
#include "engine/turn/input.h"
#include "mailbox/intake.h"
#include "model/config/agent_profile.h"
#include "model/config/hub_config.h"
#include "model/steps/sop.h"

namespace agenttalk {

// The file that says how a hub is set up.
inline constexpr const char* kTeamFile = "agenttalk.yaml";

// Who works in a hub, and by which rules: agenttalk.yaml, and the words of agents/<id>/agent_profile.json.
struct Team {
  HubConfig config;
  std::map<AgentId, AgentProfile> agents;
  std::map<AgentId, std::vector<Sop>> sops;  // of those that follow procedures, the first that matches counts
  std::vector<std::string> problems = {};    // profile files that do not count, in whole or in part
};

// The error names the file and the first thing that is wrong with it.
Result<Team> LoadTeam(const std::filesystem::path& hub);

// What a score measures that nobody gave criteria for; empty: the default, which is English.
std::string DefaultCriteria(PromptLanguage language);

Configuration ToConfiguration(const Team& team);
std::vector<AgentFolders> FoldersOf(const Team& team);

}  // namespace agenttalk
