#include <fmt/format.h>
#include <fmt/ranges.h>

#include <boost/json.hpp>
#include <cstddef>
#include <expected>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/json.h"
#include "base/time.h"
#include "engine/turn/input.h"
#include "model/config/agent_profile.h"
#include "model/config/hub_config.h"
#include "model/config/hub_config_reader.h"
#include "runtime/calls/call_desk.h"
#include "runtime/calls/known_secrets.h"
#include "runtime/calls/price_check.h"
#include "runtime/calls/provider_choice.h"
#include "runtime/calls/stage_prompt_file.h"
#include "runtime/calls/tool_set.h"
#include "runtime/hub.h"
#include "runtime/hub_trust.h"
#include "runtime/reports/stray_inbox.h"
#include "runtime/team.h"

// What changes while the hub is served: its configuration, the machine's clock, which plans it works on.
namespace agenttalk {
namespace {

// Everything that providers are made from.
std::string ProviderSettings(const Team& team) {
  const boost::json::value config = ToJson(team.config);
  boost::json::object parts;
  for (const char* key : {"provider", "providers", "presets", "limits"}) {
    if (const auto* value = config.as_object().if_contains(key)) parts[key] = *value;
  }
  std::set<std::string> names;
  for (const auto& [id, profile] : team.agents) {
    if (profile.runtime == AgentRuntime::kBuiltin) names.insert(profile.provider);
  }
  parts["names"] = boost::json::array(names.begin(), names.end());
  return CanonicalJson(parts);
}

// What the hub was trusted with at its start is not what its configuration asks for now.
Result<void> CheckStillTrusted(const std::filesystem::path& hub, const Team& before, const Team& after) {
  const std::vector<TrustNeed> needs = NeedsOf(after.config, hub);
  if (needs.empty() || needs == NeedsOf(before.config, hub) || IsTrusted(hub, needs)) return {};
  std::vector<std::string> wanted;
  for (const TrustNeed& need : needs) wanted.push_back(Describe(need));
  return Fail(
      ErrorCode::kPermissionDenied,
      fmt::format("it asks for things that this hub is not trusted with: {}", fmt::join(wanted, "; ")),
      "run `agenttalk trust` to allow them; the server then uses the change");
}

}  // namespace

void Hub::RefreshConfiguration() {
  // Looking at every file of a team takes longer than taking in a small plan.
  if (config_watch_ && config_problem_.empty() && !config_watch_->MayHaveChanged()) {
    if (mcp_) mcp_->LookAtPins();
    return;
  }
  config_due_ = {};
  NoticeConfiguration();
}

void Hub::NoticeConfiguration() {
  const Timestamp now = clock_.Now();
  if (!config_watch_ || now < config_due_) return;
  config_due_ = now + team_.config.heartbeat_interval;
  ReportStrayInboxes();
  if (mcp_) mcp_->LookAtPins();
  // What was refused is looked at again: a person may have trusted the hub with it since.
  if (!config_watch_->HasChanged() && config_problem_.empty()) return;
  auto team = LoadTeam(directory_);
  auto applied = team ? Reconfigure(*std::move(team)) : Result<void>(std::unexpected(team.error()));
  if (applied) {
    if (!config_problem_.empty()) SettleAlert(std::exchange(config_problem_, {}));
    config_watch_.emplace(directory_, team_);
    return;
  }
  const Error& error = applied.error();
  std::string problem = fmt::format("the changed configuration is not used: {}", error.message);
  if (!error.hint.empty()) problem += fmt::format(" ({})", error.hint);
  if (std::exchange(config_problem_, problem) == problem) return;
  Report(problem);
  core().Submit(HubAlert{std::move(problem)});
}

Result<void> Hub::Reconfigure(Team team) {
  if (options_.permit) TRY(CheckStillTrusted(directory_, team_, team));
  std::optional<ProviderSet> providers;
  if (ProviderSettings(team) != ProviderSettings(team_)) {
    providers = TRY(MakeProviders(team, directory_, options_.providers, *journal_, *models_,
                                  [this](const std::string& text) { Report(text); }));
    prices_ = TagsOf(*providers);
    goal_obstacle_ = GoalObstacle(*providers);
  }
  team_ = std::move(team);
  LearnSecrets(team_.config, directory_);
  stage_prompts_ = StagePromptShelf::Load(directory_, stage_prompts_.language());
  if (tools_) {
    for (const std::string& problem : AdmitTeam(team_, directory_, Poster(), *tools_)) Report(problem);
  }
  if (mcp_) {
    mcp_->Reconfigure(team_);
  } else if (models_ && tools_ && !team_.config.mcp_servers.empty()) {
    UseMcpServers(false);
  }
  node_->Reconfigure(ToConfiguration(team_), FoldersOf(team_), std::move(providers));
  Report("the configuration has changed; commands that start from now on use it");
  return {};
}

void Hub::NoticeClockJump() {
  const auto jump = clock_.TakeJump();
  if (!jump) return;
  Report(fmt::format("the system clock was set {} by {}; timers are not affected",
                     *jump > Duration::zero() ? "forward" : "back",
                     ToText(*jump > Duration::zero() ? *jump : -*jump)));
  core().Submit(ClockJump{*jump});
}

void Hub::FocusOn(const PlanId& plan) {
  if (options_.focus.empty()) return;
  core().FocusOn(plan);
  Wake();
}

void Hub::ReportStrayInboxes() {
  std::map<AgentId, std::size_t> found = FindStrayInboxes(directory_, team_);
  for (const auto& [agent, files] : found) {
    if (stray_.contains(agent)) continue;
    Report(StrayInboxText(agent, files));
  }
  stray_ = std::move(found);
}

}  // namespace agenttalk
