#include "runtime/calls/provider_choice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/issue.h"
#include "base/issue_text.h"
#include "base/posix_root.h"
#include "base/suggestion.h"
#include "base/time.h"
#include "engine/stage/match.h"
#include "journal/durable_file.h"
#include "journal/journal.h"
#include "llm/cassette_file.h"
#include "llm/endpoint.h"
#include "llm/exec_provider.h"
#include "llm/http_provider.h"
#include "llm/model_list.h"
#include "llm/model_provider.h"
#include "llm/paced_provider.h"
#include "llm/price_table.h"
#include "llm/recording_provider.h"
#include "llm/replaying_provider.h"
#include "llm/script.h"
#include "llm/scripted_provider.h"
#include "model/config/agent_profile.h"
#include "model/config/hub_config.h"
#include "model/events/event.h"
#include "model/events/event_codec.h"
#include "model/request/model_request.h"
#include "runtime/calls/call_desk.h"
#include "runtime/calls/model_access.h"
#include "runtime/calls/recent_calls.h"
#include "runtime/team.h"

namespace agenttalk {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOfflineHint =
    "set ANTHROPIC_API_KEY, OPENAI_API_KEY or OPENAI_BASE_URL, start Ollama, or name one in agenttalk.yaml "
    "(provider: …); `--provider scripted --answers FILE` needs none";
// Long enough for a server on this machine, short enough not to be felt where there is none.
constexpr Duration kOllamaPatience = std::chrono::milliseconds(500);
constexpr Duration kListPatience = std::chrono::seconds(5);
constexpr const char* kNamelessModel = "default";
// What is held back for an answer whose length nobody limits.
constexpr std::uint64_t kUnboundedAnswerTokens = 2000;

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
  return Fail(first.code, IssueInFile(file.string(), first), first.hint);
}

std::string UsualKind(const Environment& environment) {
  const auto is_set = [&](const char* name) { return !environment(name).value_or("").empty(); };
  if (is_set("ANTHROPIC_API_KEY")) return "anthropic";
  if (is_set("OPENAI_API_KEY") || is_set("OPENAI_BASE_URL")) return "openai";
  return "ollama";
}

// The first model of an Ollama that answers.
Result<NamedProvider> FindOllama(ModelAccess& access) {
  ProviderConfig config;
  config.kind = ProviderKind::kOllama;
  const std::vector<Endpoint> endpoints = {TRY(FindEndpoint(config, access.environment, {}))};
  const std::vector<ModelList> found = ListModels(*access.reactor, *access.http, endpoints, kOllamaPatience);
  if (!found.front() || found.front()->empty()) {
    return Fail(ErrorCode::kProviderMissing, "no model provider is configured", kOfflineHint);
  }
  config.model = found.front()->front();
  return NamedProvider{"ollama", config};
}

// A configured name, or a kind as it is without any settings.
std::optional<NamedProvider> ResolveConfigured(const HubConfig& config, const std::string& name) {
  if (const auto found = config.providers.find(name); found != config.providers.end()) {
    return NamedProvider{name, found->second};
  }
  const auto kind = ParseProviderKind(name);
  if (!kind) return std::nullopt;
  ProviderConfig plain;
  plain.kind = *kind;
  return NamedProvider{name, plain};
}

// A program runs where its command works.
Result<std::string> WorkFolder(const fs::path& hub, const CallIds& ids) {
  const std::string& work = ids.task.empty() ? ids.command.str() : ids.task.str();
  const std::string folder =
      fmt::format("agents/{}/workspace/{}/{}/work", ids.agent.str(), ids.plan.str(), work);
  const PosixRoot root = TRY(PosixRoot::Open(hub.string()));
  TRY(root.MakeFolder(folder));
  return (hub / folder).string();
}

double RandomShare() {
  static std::mt19937_64 random{std::random_device{}()};
  return std::uniform_real_distribution<double>(0, 1)(random);
}

Timestamp WallClock() {
  return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
}

// Makes each provider once, whatever names it goes by: its limits hold for all who use it.
class Maker {
 public:
  Maker(const Team& team, fs::path hub, const ProviderChoice& choice, Journal& journal, ModelAccess& access,
        std::function<void(const std::string&)> report)
      : team_(team),
        hub_(std::move(hub)),
        choice_(choice),
        journal_(journal),
        access_(access),
        report_(std::move(report)) {}

  Result<ProviderSet> Make() {
    std::set<std::string> names;
    for (const auto& [id, profile] : team_.agents) {
      if (profile.runtime == AgentRuntime::kBuiltin) names.insert(profile.provider);
    }
    TRY(LoadPrices());
    ProviderSet set;
    for (const std::string& name : names) set.entries[name] = TRY(MakeEntry(name));
    if (choice_.record) TRY(Record(set));
    return set;
  }

 private:
  Result<ProviderSet::Entry> MakeEntry(const std::string& name) {
    if (choice_.answers) return Scripted(*choice_.answers, {}, true);
    if (choice_.replay) return Replayed(name);
    return MakeNamed(name);
  }

  [[nodiscard]] std::string ChosenName(const std::string& agent_says) const {
    if (!agent_says.empty()) return agent_says;
    return choice_.provider.empty() ? team_.config.provider : choice_.provider;
  }

  Result<ProviderSet::Entry> MakeNamed(const std::string& agent_says) {
    const NamedProvider named = TRY(ResolveProvider(team_.config, ChosenName(agent_says), access_));
    if (named.config.kind == ProviderKind::kScripted) return MakeScripted(named, agent_says);
    std::shared_ptr<ModelProvider>& known = by_name_[named.name];
    if (known == nullptr) known = TRY(MakeReal(named, ChosenName(agent_says)));
    PriceTag tag = TagOf(named.config);
    if (tag.model.empty()) tag.model = models_[named.name];
    tag.may_be_unknown = MayBeUnpriced();
    return ProviderSet::Entry{known, std::move(tag), HasTools(named.config), TakesSchema(named.config)};
  }

  Result<ProviderSet::Entry> MakeScripted(const NamedProvider& named, const std::string& agent_says) {
    if (named.config.answers.empty()) {
      return Fail(ErrorCode::kProviderMissing,
                  fmt::format("provider {} is scripted but has no answers", named.name),
                  "set answers: FILE, or say --answers FILE");
    }
    ProviderSet::Entry entry = TRY(Scripted(hub_ / named.config.answers, agent_says, false));
    entry.price.fixed = named.config.prices;
    return entry;
  }

  // `chosen`: what the agents that use it say; empty: nothing, they take what is there.
  Result<std::shared_ptr<ModelProvider>> MakeReal(const NamedProvider& named, const std::string& chosen) {
    const ProviderConfig& config = named.config;
    std::shared_ptr<ModelProvider> inner;
    if (config.kind == ProviderKind::kExec) {
      inner = TRY(MakeProgram(named));
    } else {
      auto endpoint = FindEndpoint(config, access_.environment, hub_);
      if (!endpoint) {
        Error& error = endpoint.error();
        error.message = fmt::format("provider {}: {}", named.name, error.message);
        error.hint += "; `--provider scripted --answers FILE` needs no key";
        return std::unexpected(std::move(endpoint).error());
      }
      if (endpoint->needs_model) TRY(ChooseModel(*endpoint, access_));
      models_[named.name] = endpoint->wire.model;
      if (SendsKeyInClear(*endpoint) && report_) {
        report_(fmt::format("provider {} sends its key over plain http, where others can read it: use https",
                            named.name));
      }
      HttpProviderOptions options{
          config.timeout, config.idle_timeout, team_.config.limits.max_answer_bytes, {}, endpoint->ca_file};
      options.key_hint = endpoint->key_source.empty()
                             ? "no key was sent; name one with api_key_env or api_key_file"
                             : "the key is that of " + endpoint->key_source;
      inner = std::make_shared<HttpProvider>(*access_.http, MakeFormat(*endpoint), options, WallClock);
    }
    PacingOptions pacing;
    pacing.requests_per_minute = config.requests_per_minute;
    pacing.tokens_per_minute = config.tokens_per_minute;
    pacing.max_parallel = team_.config.limits.max_parallel_calls;
    pacing.answer_tokens = AnswerTokens(config);
    pacing.retry.max_retries = config.max_retries;
    if (config.requests_per_minute != 0 || config.tokens_per_minute != 0) {
      pacing.earlier = TRY(EarlierCalls(chosen));
    }
    return std::make_shared<PacedProvider>(inner, pacing, *access_.reactor, *access_.gate, RandomShare);
  }

  // What the limits of a provider still count of the process before this one.
  Result<std::vector<EarlierCall>> EarlierCalls(const std::string& chosen) {
    const Timestamp now = WallClock();
    if (!recent_) recent_ = TRY(ReadRecentCalls(journal_, now));
    return CallsOf(*recent_, now, [&](const std::string& provider) {
      const std::string asked = ChosenName(provider);
      return asked == chosen || asked.empty() || chosen.empty();
    });
  }

  Result<std::shared_ptr<ModelProvider>> MakeProgram(const NamedProvider& named) {
    ExecOptions options;
    options.argv = named.config.argv;
    options.env = named.config.env;
    if (options.argv.empty()) {
      return Fail(ErrorCode::kProviderMissing, "an exec provider needs a program",
                  "set argv: [program, argument, …]");
    }
    options.prompt_as_argument = named.config.prompt_via == PromptVia::kArgument;
    options.answer_at = named.config.answer_at;
    options.model = named.config.model;
    options.model_argv = named.config.model_argv;
    options.timeout = named.config.timeout;
    options.max_answer_bytes = team_.config.limits.max_answer_bytes;
    options.directory = [hub = hub_](const CallIds& ids) { return WorkFolder(hub, ids); };
    return TRY(ExecProvider::Make(*access_.reactor, std::move(options)));
  }

  Result<ProviderSet::Entry> Replayed(const std::string& agent_says) {
    if (cassette_ == nullptr) {
      cassette_ = std::make_shared<ReplayingProvider>(TRY(LoadCassette(*choice_.replay)));
    }
    // What it cost when it was recorded; a provider that is not there any more cost nothing that we know of.
    ProviderSet::Entry entry{cassette_, {}};
    entry.price.table = prices_;
    if (const auto named = ResolveConfigured(team_.config, ChosenName(agent_says))) {
      entry.price = TagOf(named->config);
      entry.native_tools = HasTools(named->config);
      entry.answer_schema = TakesSchema(named->config);
    }
    return entry;
  }

  Result<void> Record(ProviderSet& set) {
    const auto file = std::make_shared<CassetteFile>(TRY(CassetteFile::Open(*choice_.record)));
    const auto write = [file, report = report_](std::string_view line) {
      const bool failed_before = file->failure().has_value();
      file->Write(line);
      if (file->failure() && !failed_before) report("nothing more is recorded: " + file->failure()->message);
    };
    for (auto& [name, entry] : set.entries) {
      entry.provider = std::make_shared<RecordingProvider>(entry.provider, write, WallClock);
    }
    return {};
  }

  Result<void> LoadPrices() {
    PriceTable table = PriceTable::Embedded();
    const fs::path file = hub_ / "prices.yaml";
    auto text = ReadFileUpTo(file, kMebibyte);
    if (!text && text.error().code != ErrorCode::kNotFound) return std::unexpected(std::move(text).error());
    if (text) {
      auto own = PriceTable::Parse(*text);
      if (!own) {
        const Issue& first = own.error().errors.front();
        return Fail(first.code, IssueInFile(file.string(), first), first.hint);
      }
      table.Prefer(std::move(*own));
    }
    prices_ = std::make_shared<const PriceTable>(std::move(table));
    return {};
  }

  [[nodiscard]] PriceTag TagOf(const ProviderConfig& config) const {
    return {config.prices, prices_, config.model, AnswerTokens(config)};
  }

  [[nodiscard]] bool MayBeUnpriced() const {
    const HubLimits& limits = team_.config.limits;
    return limits.allow_unpriced || (limits.budget_usd == 0 && limits.hub_budget_usd == 0);
  }

  static bool HasTools(const ProviderConfig& config) { return config.native_tools && IsServer(config.kind); }
  static bool TakesSchema(const ProviderConfig& config) {
    return config.structured_output && IsServer(config.kind);
  }

  static std::uint64_t AnswerTokens(const ProviderConfig& config) {
    return config.parameters.max_tokens != 0 ? config.parameters.max_tokens : kUnboundedAnswerTokens;
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
    ProviderSet::Entry entry{known, {}};
    const AgentId& first = StageAgent(Stage::kUnderstanding);
    if (!MayAnswer(known->script(), Stage::kUnderstanding, first.str())) {
      entry.script = file.filename().string();
    }
    return entry;
  }

  const Team& team_;
  const fs::path hub_;
  const ProviderChoice& choice_;
  Journal& journal_;
  ModelAccess& access_;
  const std::function<void(const std::string&)> report_;
  std::optional<UsesByProvider> uses_;
  std::optional<std::vector<RecentCall>> recent_;
  std::map<std::string, std::shared_ptr<ScriptedProvider>> by_file_;
  std::map<std::string, std::shared_ptr<ModelProvider>> by_name_;
  std::map<std::string, std::string> models_;  // what a provider asks where nobody names a model
  std::shared_ptr<ReplayingProvider> cassette_;
  std::shared_ptr<const PriceTable> prices_;
};

}  // namespace

Result<void> ChooseModel(Endpoint& endpoint, ModelAccess& access) {
  const std::vector<ModelList> found = ListModels(*access.reactor, *access.http, {endpoint}, kListPatience);
  if (found.front() && !found.front()->empty()) {
    endpoint.wire.model = found.front()->front();
    return {};
  }
  if (endpoint.kind == ProviderKind::kOllama) {
    return Fail(ErrorCode::kProviderMissing, "an ollama provider needs a model, and the server lists none",
                "set model: NAME; `ollama list` shows what is there");
  }
  // Servers of one model often have no list, and take any name.
  endpoint.wire.model = kNamelessModel;
  return {};
}

Result<NamedProvider> ResolveProvider(const HubConfig& config, const std::string& name, ModelAccess& access) {
  const std::string wanted = name.empty() ? UsualKind(access.environment) : name;
  if (auto found = ResolveConfigured(config, wanted)) {
    // Without a model an Ollama is of no use, and nobody has named one.
    if (name.empty() && found->config.kind == ProviderKind::kOllama && found->config.model.empty()) {
      return FindOllama(access);
    }
    return *std::move(found);
  }
  std::vector<std::string> known;
  for (const ProviderKindRow& row : kProviderKindRows) {
    if (row.kind != ProviderKind::kExec) known.emplace_back(row.name);  // a program needs settings
  }
  for (const auto& [configured, settings] : config.providers) known.push_back(configured);
  const std::vector<std::string_view> names(known.begin(), known.end());
  const std::string meant = DidYouMean(wanted, names);
  return Fail(ErrorCode::kProviderMissing, fmt::format("there is no provider {}", wanted),
              meant.empty() ? fmt::format("use one of {}", fmt::join(known, ", ")) : meant);
}

std::optional<Error> GoalObstacle(const ProviderSet& providers) {
  const ProviderSet::Entry* entry = providers.Find({});
  if (entry == nullptr || entry->script.empty()) return std::nullopt;
  return Error{
      ErrorCode::kProviderMissing,
      fmt::format("goals and feedback need a model; this hub answers from a script ({}), which has no "
                  "answers for them",
                  entry->script),
      "set ANTHROPIC_API_KEY or OPENAI_API_KEY and add --provider anthropic (or openai, ollama, or "
      "a name from agenttalk.yaml); `agenttalk providers` lists what can be used"};
}

Result<ProviderSet> MakeProviders(const Team& team, const fs::path& hub, const ProviderChoice& choice,
                                  Journal& journal, ModelAccess& access,
                                  std::function<void(const std::string&)> report) {
  return Maker(team, hub, choice, journal, access, std::move(report)).Make();
}

}  // namespace agenttalk
