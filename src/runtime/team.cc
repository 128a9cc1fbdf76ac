#include "runtime/team.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/value.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/file_name.h"
#include "base/ids.h"
#include "base/issue.h"
#include "base/json.h"
#include "base/suggestion.h"
#include "engine/stage/match.h"
#include "engine/turn/input.h"
#include "journal/durable_file.h"
#include "mailbox/intake.h"
#include "model/config/agent_profile.h"
#include "model/config/agent_profile_reader.h"
#include "model/config/hub_config.h"
#include "model/config/hub_config_reader.h"
#include "model/config/sop.h"
#include "model/reading/checked.h"

namespace agenttalk {
namespace {

namespace fs = std::filesystem;

std::unexpected<Error> FailIssues(const fs::path& file, const Issues& issues) {
  const Issue& first = issues.errors.front();
  std::string text = file.string();
  if (first.line > 0) text += fmt::format(", line {}", first.line);
  if (!first.path.empty()) text += fmt::format(", {}", first.path);
  text += ": " + first.message;
  if (issues.errors.size() > 1) text += fmt::format(" (and {} more)", issues.errors.size() - 1);
  return Fail(first.code, std::move(text),
              first.hint.empty() ? "see `agenttalk validate " + file.string() + "`" : first.hint);
}

Result<void> ReadProfileFile(const fs::path& file, AgentId id, Team& team) {
  const std::string text = TRY(ReadFileUpTo(file, team.config.limits.max_command_bytes));
  AgentProfile base;
  if (const auto known = team.agents.find(id); known != team.agents.end()) base = known->second;
  base.agent_id = id;
  auto profile = ParseProfileFile(text, std::move(base));
  if (!profile) return FailIssues(file, profile.issues);
  team.agents.insert_or_assign(std::move(id), *profile);
  return {};
}

Result<void> CheckVisibility(const fs::path& file, const Team& team) {
  std::vector<std::string_view> names = {"human"};
  for (const auto& [id, profile] : team.agents) names.push_back(id.str());
  for (const AgentId& id : StageAgents()) names.push_back(id.str());
  for (const auto& [id, profile] : team.agents) {
    for (const AgentId& seen : profile.visibility.value_or(std::vector<AgentId>())) {
      if (std::ranges::find(names, seen.str()) != names.end()) continue;
      std::string hint = DidYouMean(seen.str(), names);
      return Fail(ErrorCode::kAgentUnknown,
                  fmt::format("{}: agent {} may see \"{}\", but there is no such agent", file.string(),
                              id.str(), seen.str()),
                  hint.empty() ? "add the agent, or remove it from `visibility`" : std::move(hint));
    }
  }
  return {};
}

// The procedures in a folder, in order of their file names.
Result<std::vector<Sop>> SopsIn(const fs::path& folder) {
  constexpr std::size_t kLargest = std::size_t{1} << 20;
  std::vector<fs::path> files;
  std::error_code ignored;
  for (fs::directory_iterator at(folder, ignored), end; at != end; at.increment(ignored)) {
    const std::string name = at->path().filename().string();
    const bool is_yaml = name.ends_with(".yaml") || name.ends_with(".yml");
    if (is_yaml && !IsIgnoredFileName(name) && at->is_regular_file(ignored)) files.push_back(at->path());
  }
  std::ranges::sort(files);
  std::vector<Sop> sops;
  for (const fs::path& file : files) {
    Checked<Sop> sop = ParseSop(TRY(ReadFileUpTo(file, kLargest)));
    if (!sop) return FailIssues(file, sop.issues);
    sops.push_back(*std::move(sop.value));
  }
  return sops;
}

// An agent's own procedures come first, then the hub's, then those that come with the program; one of the
// same name hides what comes after it.
Result<void> ReadSops(const fs::path& hub, Team& team) {
  const auto wants = [](const AgentProfile& profile) {
    return profile.strategy == Strategy::kTemplate || profile.strategy == Strategy::kAuto;
  };
  if (std::ranges::none_of(team.agents, [&](const auto& entry) { return wants(entry.second); })) return {};
  std::vector<Sop> common = TRY(SopsIn(hub / team.config.paths.sops));
  common.insert(common.end(), ShippedSops().begin(), ShippedSops().end());
  for (const auto& [id, profile] : team.agents) {
    if (!wants(profile)) continue;
    std::vector<Sop> own = TRY(SopsIn(hub / "agents" / id.str() / "sops"));
    for (const Sop& sop : common) {
      if (std::ranges::find(own, sop.name, &Sop::name) == own.end()) own.push_back(sop);
    }
    team.sops.emplace(id, std::move(own));
  }
  return {};
}

// Stages are asked with prompts of their own; what they have of an agent is its slots.
AgentProfile StageProfile(const AgentId& id) {
  constexpr std::uint32_t kStageSlots = 4;
  AgentProfile profile;
  profile.agent_id = id;
  profile.name = id.str();
  profile.max_parallel = kStageSlots;
  return profile;
}

}  // namespace

Result<Team> LoadTeam(const fs::path& hub) {
  const fs::path file = hub / kTeamFile;
  auto text = ReadFileUpTo(file, kMebibyte);
  if (!text && text.error().code == ErrorCode::kNotFound) {
    return Fail(ErrorCode::kHubMissing, hub.string() + " is not a hub: it has no " + kTeamFile,
                "make one with `agenttalk init`");
  }
  auto config = ParseHubConfig(TRY(std::move(text)));
  if (!config) return FailIssues(file, config.issues);
  Team team{*config, config->agents, {}};
  for (auto& [id, profile] : team.agents) profile.agent_id = id;
  std::error_code ignored;
  std::vector<fs::path> folders;
  for (fs::directory_iterator at(hub / "agents", ignored), end; at != end; at.increment(ignored)) {
    folders.push_back(at->path());
  }
  std::ranges::sort(folders);
  for (const fs::path& folder : folders) {
    const std::string name = folder.filename().string();
    const fs::path profile = folder / "agent_profile.json";
    if (!IsSafeName(name) || !fs::exists(profile, ignored)) continue;
    TRY(ReadProfileFile(profile, AgentId(name), team));
  }
  TRY(CheckVisibility(file, team));
  TRY(ReadSops(hub, team));
  return team;
}

std::string DefaultCriteria(PromptLanguage language) {
  return language == PromptLanguage::kChinese ? "结果符合提示词要求的程度，0-100" : "";
}

Configuration ToConfiguration(const Team& team) {
  const HubLimits& limits = team.config.limits;
  Configuration configuration;
  configuration.hub.max_hops = limits.max_hops;
  configuration.hub.max_open_questions = limits.max_open_questions;
  configuration.hub.max_tool_rounds = limits.max_tool_rounds;
  configuration.hub.max_collaboration_depth = limits.max_collaboration_depth;
  configuration.hub.max_collaborations = limits.max_collaborations;
  configuration.hub.budget_tokens = limits.budget_tokens;
  configuration.hub.budget_micro_usd = static_cast<std::uint64_t>(std::llround(limits.budget_usd * 1e6));
  configuration.hub.hub_budget_tokens = limits.hub_budget_tokens;
  configuration.hub.hub_budget_micro_usd =
      static_cast<std::uint64_t>(std::llround(limits.hub_budget_usd * 1e6));
  configuration.hub.question_deadline = team.config.human.question_deadline;
  configuration.hub.approval_deadline = team.config.human.approval_deadline;
  configuration.hub.language =
      team.config.language == PromptLanguage::kChinese ? Language::kChinese : Language::kEnglish;
  configuration.hub.reuse = team.config.reuse != ReuseScope::kNever;
  configuration.hub.share_results = team.config.reuse == ReuseScope::kHub;
  configuration.hub.score_criteria = DefaultCriteria(team.config.language);
  std::map<AgentId, AgentProfile> agents = team.agents;
  for (const AgentId& id : StageAgents()) agents.try_emplace(id, StageProfile(id));
  for (const auto& [id, profile] : agents) {
    Configuration::Agent& agent = configuration.agents[id];
    agent.settings.max_parallel = profile.max_parallel;
    agent.settings.repair_attempts = profile.repair_attempts;
    agent.settings.external = profile.runtime == AgentRuntime::kExternal;
    agent.settings.visibility = profile.visibility;
    agent.settings.strategy = IsStageAgentId(id) ? Strategy::kSimple : profile.strategy;
    agent.settings.permissions = profile.permissions;
    agent.settings.capabilities = profile.capabilities;
    agent.settings.tools = profile.tools;
    agent.profile = CanonicalJson(ToJson(profile));
    if (const auto sops = team.sops.find(id); sops != team.sops.end()) agent.sops = ToText(sops->second);
  }
  return configuration;
}

std::vector<AgentFolders> FoldersOf(const Team& team) {
  std::vector<AgentFolders> folders;
  for (const auto& [id, profile] : team.agents) {
    folders.push_back({id, profile.runtime == AgentRuntime::kExternal,
                       profile.heartbeat_interval.value_or(team.config.heartbeat_interval)});
  }
  return folders;
}

}  // namespace agenttalk
