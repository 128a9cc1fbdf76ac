#include "cli/verbs/hub_team.h"

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "base/ids.h"
#include "cli/hub_location.h"
#include "cli/text_file.h"
#include "model/config/agent_profile.h"
#include "model/config/hub_config.h"
#include "model/config/hub_config_reader.h"
#include "model/config/tool_names.h"

namespace agenttalk {
namespace {

namespace fs = std::filesystem;

// Calls `visit` with every entry's name; a folder that is not there has none.
template <typename Visit>
void ForEachName(const fs::path& folder, const Visit& visit) {
  std::error_code ignored;
  for (fs::directory_iterator at(folder, ignored), end; at != end; at.increment(ignored)) {
    visit(at->path().filename().string());
  }
}

}  // namespace

const HubConfig* HubTeam::Config() {
  if (!config_read_) {
    config_read_ = true;
    const auto text = ReadTextFile((hub_ / kHubFile).string(), kMebibyte);
    if (text) config_ = ParseHubConfig(*text).value;
  }
  return config_ ? &*config_ : nullptr;
}

const std::set<AgentId>* HubTeam::Agents() {
  if (agents_) return &*agents_;
  const HubConfig* config = Config();
  if (config == nullptr) return nullptr;
  agents_.emplace();
  for (const auto& [id, profile] : config->agents) agents_->insert(id);
  ForEachName(hub_ / "agents", [&](const std::string& name) {
    std::error_code ignored;
    const bool has_profile = fs::is_regular_file(hub_ / "agents" / name / "agent_profile.json", ignored);
    if (has_profile && IsSafeName(name)) agents_->insert(AgentId(name));
  });
  return &*agents_;
}

ToolNames HubTeam::Tools() {
  const HubConfig* config = Config();
  return config == nullptr ? ToolNames() : ToolNamesOf(*config);
}

AgentProfile HubTeam::ConfiguredProfile(const AgentId& agent) {
  const HubConfig* config = Config();
  if (config != nullptr && config->agents.contains(agent)) return config->agents.at(agent);
  AgentProfile profile;
  profile.agent_id = agent;
  return profile;
}

}  // namespace agenttalk
