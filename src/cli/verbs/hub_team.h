#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <utility>

#include "base/ids.h"
#include "model/config/agent_profile.h"
#include "model/config/hub_config.h"
#include "model/config/tool_names.h"

namespace agenttalk {

// The team as agenttalk.yaml and the profiles say, for checks of files that name agents. A configuration that
// is broken is treated as unknown, because the check of that very file says so. What plans and commands there
// are, only the hub itself can say (CallHub).
class HubTeam {
 public:
  explicit HubTeam(std::filesystem::path hub) : hub_(std::move(hub)) {}

  // The team, or null when the configuration cannot be read.
  const std::set<AgentId>* Agents();
  // The tools that a profile here may name.
  ToolNames Tools();
  // What agenttalk.yaml alone says of the agent.
  AgentProfile ConfiguredProfile(const AgentId& agent);

 private:
  const HubConfig* Config();

  std::filesystem::path hub_;
  bool config_read_ = false;
  std::optional<HubConfig> config_;
  std::optional<std::set<AgentId>> agents_;
};

}  // namespace agenttalk
