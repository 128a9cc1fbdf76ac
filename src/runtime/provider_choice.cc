#include "runtime/provider_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/issue.h"
#include "journal/durable_file.h"
#include "journal/journal.h"
#include "llm/script.h"
#include "llm/scripted_provider.h"
#include "model/agent_profile.h"
#include "model/event.h"
#include "model/event_codec.h"
#include "model/hub_config.h"
#include "runtime/call_desk.h"
#include "runtime/team.h"

namespace agenttalk {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOfflineHint =
    "name one in agenttalk.yaml (provider: …); `--answers FILE` needs no model at all";

// Uses by provider name; "" stands for the default.
using UsesByProvider = std::map<std::string, std::vector<std::uint64_t>>;

void Count(std::vector<std::uint64_t>& uses, std::int64_t entry) {
  const auto index = static_cast<std::size_t>(entry);
  if (uses.size() <= index) uses.resize(index + 1);
  ++uses[index];
}

// Which entries were used, by the provider that the command's agent has now.
Result<UsesByProvider> CountUses(Journal& journal, const Team& team, bool one_for_all) {
  UsesByProvider uses;
  std::map<std::pair<PlanId, CommandId>, AgentId> agents;
  const auto count = [&](const Event& event) {
    if (const auto* received = std::get_if<CommandReceived>(&event.body)) {
      agents[{event.plan_id, received->command.command_id}] = received->agent_id;
    } else if (const auto* finished = std::get_if<ModelCallFinished>(&event.body)) {
      if (finished->script_entry < 0) return;
      const auto agent = team.agents.find(agents[{event.plan_id, finished->command_id}]);
      const bool named = !one_for_all && agent != team.agents.end();
      Count(uses[named ? agent->second.provider : std::string()], finished->script_entry);
    }
  };
  Result<void> decoded;
  TRY(journal.ReadAll(0, [&](const JournalRowView& row) {
    decoded =
        DecodeEvents(PlanId(std::string(row.stream)), row.first_event, row.event_count, row.events, count);
    return decoded.has_value();
  }));
  TRY(std::move(decoded));
  return uses;
}

Result<Script> LoadScript(const fs::path& file) {
  const std::string text = TRY(ReadFileUpTo(file, 64 * kMebibyte));
  auto script = ParseScript(text);
  if (script) return *std::move(script);
  const Issue& first = script.error().errors.front();
  return Fail(first.code,
              fmt::format("{}, line {}, {}: {}", file.string(), first.line, first.path, first.message),
              first.hint);
}

// Makes each provider once, whatever names it goes by.
class Maker {
 public:
  Maker(const Team& team, fs::path hub, const ProviderChoice& choice, Journal& journal)
      : team_(team), hub_(std::move(hub)), choice_(choice), journal_(journal) {}

  Result<ProviderSet> Make() {
    std::set<std::string> names;
    for (const auto& [id, profile] : team_.agents) {
      if (profile.runtime == AgentRuntime::kBuiltin) names.insert(profile.provider);
    }
    ProviderSet set;
    if (choice_.answers) {
      const ProviderSet::Entry entry = TRY(Scripted(*choice_.answers, {}, true));
      for (const std::string& name : names) set.entries[name] = entry;
      return set;
    }
    for (const std::string& name : names) set.entries[name] = TRY(MakeNamed(name));
    return set;
  }

 private:
  Result<ProviderSet::Entry> MakeNamed(const std::string& agent_says) {
    std::string name = agent_says;
    if (name.empty()) name = choice_.provider.empty() ? team_.config.provider : choice_.provider;
    if (name.empty()) {
      return Fail(ErrorCode::kProviderMissing, "no model provider is configured", kOfflineHint);
    }
    if (const auto found = team_.config.providers.find(name); found != team_.config.providers.end()) {
      return MakeOf(name, agent_says, found->second);
    }
    if (const auto kind = ParseProviderKind(name)) {
      ProviderConfig plain;
      plain.kind = *kind;
      return MakeOf(name, agent_says, plain);
    }
    return Fail(ErrorCode::kProviderMissing, fmt::format("there is no provider {}", name), kOfflineHint);
  }

  Result<ProviderSet::Entry> MakeOf(const std::string& name, const std::string& agent_says,
                                    const ProviderConfig& config) {
    if (config.kind != ProviderKind::kScripted) {
      return Fail(ErrorCode::kProviderMissing,
                  fmt::format("provider {}: this version cannot ask {} yet", name, ToString(config.kind)),
                  "take a provider of kind scripted, or `--answers FILE`");
    }
    if (config.answers.empty()) {
      return Fail(ErrorCode::kProviderMissing,
                  fmt::format("provider {} is scripted but has no answers", name),
                  "set answers: FILE, or say --answers FILE");
    }
    ProviderSet::Entry entry = TRY(Scripted(hub_ / config.answers, agent_says, false));
    if (config.prices) entry.prices = {config.prices->input, config.prices->output};
    return entry;
  }

  Result<ProviderSet::Entry> Scripted(const fs::path& file, const std::string& agent_says, bool one_for_all) {
    auto& known = by_file_[file.string()];
    if (known == nullptr) {
      Script script = TRY(LoadScript(file));
      std::vector<std::uint64_t> uses;
      const bool counted = std::ranges::any_of(
          script.entries, [](const ScriptEntry& entry) { return entry.times.has_value(); });
      if (counted) {
        if (!uses_) uses_ = TRY(CountUses(journal_, team_, one_for_all));
        uses = (*uses_)[agent_says];
      }
      known = std::make_shared<ScriptedProvider>(std::move(script), std::move(uses));
    }
    return ProviderSet::Entry{known, {}};
  }

  const Team& team_;
  const fs::path hub_;
  const ProviderChoice& choice_;
  Journal& journal_;
  std::optional<UsesByProvider> uses_;
  std::map<std::string, std::shared_ptr<ScriptedProvider>> by_file_;
};

}  // namespace

Result<ProviderSet> MakeProviders(const Team& team, const fs::path& hub, const ProviderChoice& choice,
                                  Journal& journal) {
  return Maker(team, hub, choice, journal).Make();
}

}  // namespace agenttalk
