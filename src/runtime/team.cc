#include "runtime/team.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json/value.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/file_name.h"
#include "base/ids.h"
#include "base/issue.h"
#include "base/issue_text.h"
#include "base/json.h"
#include "base/language.h"
#include "base/posix_root.h"
#include "base/suggestion.h"
#include "engine/stage/match.h"
#include "engine/turn/input.h"
#include "mailbox/intake.h"
#include "model/config/agent_profile.h"
#include "model/config/agent_profile_reader.h"
#include "model/config/hub_config.h"
#include "model/config/hub_config_reader.h"
#include "model/reading/checked.h"
#include "model/steps/sop.h"
#include "model/words/catalogue.h"

namespace agenttalk {
namespace {

namespace fs = std::filesystem;

// Where nobody set a budget, a person is asked before more than this is spent. Only what has a price counts.
constexpr std::uint64_t kDefaultHubBudget = 20'000'000;  // millionths of a dollar

std::unexpected<Error> FailIssues(const fs::path& file, const Issues& issues) {
  const Issue& first = issues.errors.front();
  std::string text = IssueInFile(file.string(), first);
  if (issues.errors.size() > 1) text += fmt::format(" (and {} more)", issues.errors.size() - 1);
  return Fail(first.code, std::move(text),
              first.hint.empty() ? "see `agenttalk validate " + file.string() + "`" : first.hint);
}

// What a profile in an agent's folder may not say: whoever can write there, such as the program that plays
// the agent, would give itself rights. They come from agenttalk.yaml, which is its owner's. A restriction is
// no right.
constexpr std::array<std::string_view, 4> kOwnFolderTools = {"read_file", "write_file", "list_files",
                                                             "search_files"};

void KeepRights(const AgentProfile& granted, bool declared, AgentProfile& profile,
                std::vector<std::string>& problems) {
  const auto ignore = [&](const char* key) {
    problems.push_back(
        fmt::format("{}: {} in its agent_profile.json does not count: say it in agenttalk.yaml",
                    profile.agent_id.str(), key));
  };
  const auto keep = [&](const char* key, auto& said, const auto& right) {
    if (said == right) return;
    ignore(key);
    said = right;
  };
  if (!declared) {
    // Nobody granted it anything: it has its own task's folder.
    const auto more = std::ranges::remove_if(profile.tools, [](const std::string& tool) {
      return std::ranges::find(kOwnFolderTools, tool) == kOwnFolderTools.end();
    });
    if (!more.empty()) ignore("tools");
    profile.tools.erase(more.begin(), more.end());
    keep("permissions", profile.permissions, granted.permissions);
    return;
  }
  keep("tools", profile.tools, granted.tools);
  keep("permissions", profile.permissions, granted.permissions);
  keep("provider", profile.provider, granted.provider);
  keep("model", profile.model, granted.model);
  keep("runtime", profile.runtime, granted.runtime);
  keep("max_parallel", profile.max_parallel, granted.max_parallel);
  keep("heartbeat", profile.heartbeat_interval, granted.heartbeat_interval);
  keep("repair_attempts", profile.repair_attempts, granted.repair_attempts);
  if (granted.visibility && profile.visibility != granted.visibility) {
    std::erase_if(*profile.visibility, [&](const AgentId& agent) {
      return std::ranges::find(*granted.visibility, agent) == granted.visibility->end();
    });
  }
}

// A program that its owner declared writes into this agent's folder. What it leaves there must not stop the
// hub; what people write by hand must be right before anything runs.
bool IsPlayedByAProgram(const Team& team, const AgentId& id) {
  const auto declared = team.config.agents.find(id);
  return declared != team.config.agents.end() && declared->second.runtime == AgentRuntime::kExternal;
}

Result<void> ReadProfileFile(const PosixRoot& root, const AgentId& id, Team& team) {
  const std::string file = fmt::format("agents/{}/agent_profile.json", id.str());
  const auto text = root.ReadFile(file, team.config.limits.max_command_bytes);
  if (!text && text.error().code == ErrorCode::kNotFound) return {};
  const auto refuse = [&](const Error& why) -> Result<void> {
    if (!IsPlayedByAProgram(team, id)) return std::unexpected(why);
    team.problems.push_back(fmt::format("{} does not count: {}", file, why.message));
    return {};
  };
  if (!text) return refuse(text.error());
  AgentProfile granted;
  const auto known = team.agents.find(id);
  if (known != team.agents.end()) granted = known->second;
  granted.agent_id = id;
  auto profile = ParseProfileFile(*text, granted, ToolNamesOf(team.config));
  if (!profile) return refuse(FailIssues(root.directory() / fs::path(file), profile.issues).error());
  KeepRights(granted, known != team.agents.end(), *profile.value, team.problems);
  team.agents.insert_or_assign(id, *std::move(profile.value));
  return {};
}

Result<void> CheckVisibility(const fs::path& file, Team& team) {
  std::vector<std::string_view> names = {"human"};
  for (const auto& [id, profile] : team.agents) names.push_back(id.str());
  for (const AgentId& id : StageAgents()) names.push_back(id.str());
  const auto unknown = [&](const AgentId& seen) {
    return std::ranges::find(names, seen.str()) == names.end();
  };
  for (auto& [id, profile] : team.agents) {
    if (!profile.visibility) continue;
    if (IsPlayedByAProgram(team, id) && !team.config.agents.at(id).visibility) {
      std::erase_if(*profile.visibility, unknown);  // its file says so, and nobody can be sent to there
      continue;
    }
    const auto wrong = std::ranges::find_if(*profile.visibility, unknown);
    if (wrong == profile.visibility->end()) continue;
    std::string hint = DidYouMean(wrong->str(), names);
    return Fail(ErrorCode::kAgentUnknown,
                fmt::format("{}: agent {} may see \"{}\", but there is no such agent", file.string(),
                            id.str(), wrong->str()),
                hint.empty() ? "add the agent, or remove it from `visibility`" : std::move(hint));
  }
  return {};
}

// The procedures in a folder, in order of their file names.
Result<std::vector<Sop>> SopsIn(const PosixRoot& root, const std::string& folder) {
  constexpr std::size_t kLargest = std::size_t{1} << 20;
  std::vector<Sop> sops;
  for (const std::string& name : root.NamesIn(folder)) {
    const bool is_yaml = name.ends_with(".yaml") || name.ends_with(".yml");
    if (!is_yaml || IsIgnoredFileName(name)) continue;
    const std::string file = folder + "/" + name;
    auto text = root.ReadFile(file, kLargest);
    if (!text && text.error().code == ErrorCode::kFileUnsafe) continue;
    Checked<Sop> sop = ParseSop(TRY(std::move(text)));
    if (!sop) return FailIssues(root.directory() / fs::path(file), sop.issues);
    sops.push_back(*std::move(sop.value));
  }
  return sops;
}

// An agent's own procedures come first, then the hub's, then those that come with the program; one of the
// same name hides what comes after it.
Result<void> ReadSops(const PosixRoot& root, Team& team) {
  const auto wants = [](const AgentProfile& profile) {
    return profile.runtime == AgentRuntime::kBuiltin &&
           (profile.strategy == Strategy::kTemplate || profile.strategy == Strategy::kAuto);
  };
  if (std::ranges::none_of(team.agents, [&](const auto& entry) { return wants(entry.second); })) return {};
  std::vector<Sop> common = TRY(SopsIn(root, team.config.paths.sops));
  common.insert(common.end(), ShippedSops().begin(), ShippedSops().end());
  for (const auto& [id, profile] : team.agents) {
    if (!wants(profile)) continue;
    std::vector<Sop> own = TRY(SopsIn(root, fmt::format("agents/{}/sops", id.str())));
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
  const auto missing = [&] {
    return Fail(ErrorCode::kHubMissing, hub.string() + " is not a hub: it has no " + kTeamFile,
                "make one with `agenttalk init`");
  };
  const auto root = PosixRoot::Open(hub.string());
  if (!root && root.error().code == ErrorCode::kNotFound) return missing();
  if (!root) return std::unexpected(root.error());
  auto text = root->ReadFile(kTeamFile, kMebibyte);
  if (!text && text.error().code == ErrorCode::kNotFound) return missing();
  auto config = ParseHubConfig(TRY(std::move(text)));
  if (!config) return FailIssues(hub / kTeamFile, config.issues);
  Team team{*config, config->agents, {}};
  for (auto& [id, profile] : team.agents) profile.agent_id = id;
  for (const std::string& name : root->NamesIn("agents")) {
    if (IsSafeName(name)) TRY(ReadProfileFile(*root, AgentId(name), team));
  }
  TRY(CheckVisibility(hub / kTeamFile, team));
  TRY(ReadSops(*root, team));
  return team;
}

std::string DefaultCriteria(PromptLanguage language) {
  return language == PromptLanguage::kChinese
             ? std::string(Wording(Phrase::kScoreCriteria, Language::kChinese))
             : std::string();
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
  const bool unbudgeted = limits.budget_tokens == 0 && limits.hub_budget_tokens == 0 &&
                          limits.budget_usd == 0 && limits.hub_budget_usd == 0;
  if (unbudgeted) configuration.hub.hub_budget_micro_usd = kDefaultHubBudget;
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
