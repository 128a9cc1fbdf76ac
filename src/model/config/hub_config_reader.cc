#include "model/config/hub_config_reader.h"

#include <fmt/format.h>

#include <boost/json/value.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error_code.h"
#include "base/ids.h"
#include "base/issue.h"
#include "base/suggestion.h"
#include "base/time.h"
#include "model/config/agent_profile.h"
#include "model/config/agent_profile_reader.h"
#include "model/config/hub_config.h"
#include "model/config/hub_config_spellings.h"
#include "model/reading/checked.h"
#include "model/reading/object_reader.h"
#include "model/reading/yaml_document.h"

namespace agenttalk {
namespace {

constexpr NumberRange kNotNegative{.min = 0, .max = 1e12};
constexpr IntegerRange kCount{.min = 0, .max = 1'000'000'000};
constexpr IntegerRange kAtLeastOne{.min = 1, .max = 1'000'000};
constexpr IntegerRange kBytes{.min = 1024, .max = std::int64_t{1} << 40};
constexpr IntegerRange kDepth{.min = 8, .max = 256};
constexpr Duration kLongestPeriod = std::chrono::hours(24 * 3650);

// A path below the hub, or one a person wrote on purpose from the root; never one that climbs out.
bool IsConfiguredPath(std::string_view path) {
  return path.find("..") == std::string_view::npos && path.find('\0') == std::string_view::npos;
}

void ReadPath(ObjectReader& reader, std::string_view key, std::string& path) {
  if (reader.Text(key, path) && !IsConfiguredPath(path)) {
    reader.Error(key, ErrorCode::kNameUnsafe, "the path leaves the hub", "write it without \"..\"");
  }
}

void ReadPositivePeriod(ObjectReader& reader, std::string_view key, Duration& period) {
  Duration read{};
  if (!reader.Period(key, read)) return;
  if (read <= Duration::zero() || read > kLongestPeriod) {
    reader.Error(key, ErrorCode::kValueInvalid, "must be more than nothing and at most ten years");
    return;
  }
  period = read;
}

void ReadPrices(ObjectReader& reader, ProviderConfig& provider) {
  reader.Object("prices", [&](ObjectReader& object) {
    TokenPrices prices;
    double price = 0;
    object.Number(Field("input").Required(), kNotNegative, prices.input);
    object.Number(Field("output").Required(), kNotNegative, prices.output);
    if (object.Number("cache_read", kNotNegative, price)) prices.cache_read = price;
    if (object.Number("cache_write", kNotNegative, price)) prices.cache_write = price;
    provider.prices = prices;
  });
}

// What only one kind of provider has. A key of another kind is unknown there and reported as such.
void ReadKindFields(ObjectReader& reader, ProviderConfig& provider) {
  if (provider.kind == ProviderKind::kExec) {
    reader.Strings(Field("argv").Required().Hint("argv: [program, argument, …]"), provider.argv);
    if (!reader.Failed("argv") && (provider.argv.empty() || provider.argv.front().empty())) {
      reader.Error("argv", ErrorCode::kValueInvalid, "names no program", "argv: [program, argument, …]");
    }
    reader.Choice<PromptVia>("prompt_via", kPromptVias, provider.prompt_via);
    if (reader.String("answer_at", provider.answer_at) && !provider.answer_at.empty() &&
        !provider.answer_at.starts_with('/')) {
      reader.Error("answer_at", ErrorCode::kValueInvalid, "must be a JSON Pointer", "e.g. /result");
    }
    return;
  }
  if (provider.kind == ProviderKind::kScripted) {
    ReadPath(reader, "answers", provider.answers);
    return;
  }
  if (reader.Text("base_url", provider.base_url) && !provider.base_url.starts_with("http://") &&
      !provider.base_url.starts_with("https://")) {
    reader.Error("base_url", ErrorCode::kValueInvalid, "must start with http:// or https://");
  }
  reader.Name(Field("api_key_env").Hint("the name of an environment variable"), provider.api_key_env);
  ReadPath(reader, "api_key_file", provider.api_key_file);
  reader.Boolean("stream", provider.stream);
  ReadPositivePeriod(reader, "idle_timeout", provider.idle_timeout);
}

void ReadProvider(ObjectReader& reader, ProviderConfig& provider) {
  const bool has_kind = reader.Choice<ProviderKind>(Field("kind").Required(), kProviderKinds, provider.kind);
  reader.Text("model", provider.model);
  if (reader.Has("api_key")) {
    reader.Error(
        "api_key", ErrorCode::kValueInvalid, "keys do not belong into this file",
        "put the key into an environment variable and its name into api_key_env, or into a file and its path "
        "into api_key_file");
  }
  reader.Integer("max_tokens", kAtLeastOne, provider.max_tokens);
  double temperature = 0;
  if (reader.Number("temperature", {.min = 0, .max = 2}, temperature)) provider.temperature = temperature;
  ReadPositivePeriod(reader, "timeout", provider.timeout);
  reader.Integer("max_retries", {.min = 0, .max = 100}, provider.max_retries);
  reader.Integer("requests_per_minute", kCount, provider.requests_per_minute);
  reader.Integer("tokens_per_minute", kCount, provider.tokens_per_minute);
  reader.Boolean("structured_output", provider.structured_output);
  reader.Boolean("native_tools", provider.native_tools);
  ReadPrices(reader, provider);
  if (has_kind) {
    ReadKindFields(reader, provider);
  } else {
    reader.AllowOthers();
  }
}

void ReadLimits(ObjectReader& reader, HubLimits& limits) {
  reader.Number("budget_usd", kNotNegative, limits.budget_usd);
  reader.Integer("budget_tokens", {.min = 0}, limits.budget_tokens);
  reader.Number("hub_budget_usd", kNotNegative, limits.hub_budget_usd);
  reader.Integer("hub_budget_tokens", {.min = 0}, limits.hub_budget_tokens);
  reader.Integer("max_parallel_calls", kAtLeastOne, limits.max_parallel_calls);
  reader.Integer("max_command_bytes", kBytes, limits.max_command_bytes);
  reader.Integer("max_json_depth", kDepth, limits.max_json_depth);
  reader.Integer("max_input_bytes", kBytes, limits.max_input_bytes);
  reader.Integer("max_nodes", {.min = 1, .max = 10'000'000}, limits.max_nodes);
  reader.Integer("max_hops", kAtLeastOne, limits.max_hops);
  reader.Integer("max_open_questions", kAtLeastOne, limits.max_open_questions);
  reader.Integer("max_answer_bytes", kBytes, limits.max_answer_bytes);
  reader.Integer("max_tool_output_bytes", kBytes, limits.max_tool_output_bytes);
  reader.Integer("max_tool_rounds", kAtLeastOne, limits.max_tool_rounds);
  reader.Integer("max_collaboration_depth", kAtLeastOne, limits.max_collaboration_depth);
  reader.Integer("max_collaborations", kAtLeastOne, limits.max_collaborations);
}

void ReadMap(ObjectReader& reader, std::string_view key,
             const std::function<void(const std::string&, ObjectReader&)>& read) {
  reader.Members(key, [&](const std::string& name, ObjectReader& member) {
    if (!IsSafeName(name)) {
      member.Error({}, ErrorCode::kNameUnsafe, fmt::format("\"{}\" is not a safe name", name),
                   "letters, digits, '.', '_' and '-', starting with a letter or digit");
    }
    read(name, member);
  });
}

void ReadAgents(ObjectReader& reader, HubConfig& config) {
  ReadMap(reader, "agents", [&](const std::string& name, ObjectReader& agent) {
    AgentProfile profile;
    profile.agent_id = AgentId(name);
    AgentId id;
    if (agent.Name("agent_id", id) && id != profile.agent_id) {
      agent.Error("agent_id", ErrorCode::kValueInvalid, fmt::format("contradicts the key \"{}\"", name),
                  "remove it");
    }
    ReadProfileFields(agent, profile);
    config.agents.emplace(profile.agent_id, std::move(profile));
  });
}

void CheckProvider(const HubConfig& config, const std::string& name, std::string path, Issues& issues) {
  if (name.empty() || config.providers.contains(name) || ParseProviderKind(name)) return;
  std::vector<std::string_view> names;
  for (const auto& [known, provider] : config.providers) names.push_back(known);
  for (const auto& [kind, value] : kProviderKinds) names.push_back(kind);
  issues.errors.push_back({ErrorCode::kProviderMissing, std::move(path),
                           fmt::format("there is no provider \"{}\"", name), DidYouMean(name, names)});
}

void CheckProviders(const HubConfig& config, Issues& issues) {
  CheckProvider(config, config.provider, "/provider", issues);
  for (const auto& [id, agent] : config.agents) {
    CheckProvider(config, agent.provider, "/agents/" + id.str() + "/provider", issues);
  }
}

void ReadConfig(ObjectReader& reader, HubConfig& config) {
  std::int64_t version = 1;
  reader.Integer(Field("version").Invalid(ErrorCode::kSchemaVersionUnsupported).Hint("version: 1"),
                 {.min = 1, .max = 1}, version);
  reader.Name("provider", config.provider);
  ReadMap(reader, "providers", [&](const std::string& name, ObjectReader& provider) {
    ReadProvider(provider, config.providers[name]);
  });
  ReadAgents(reader, config);
  reader.Object("limits", [&](ObjectReader& limits) { ReadLimits(limits, config.limits); });
  reader.Object("human", [&](ObjectReader& human) {
    human.Text("name", config.human.name);
    ReadPositivePeriod(human, "question_deadline", config.human.question_deadline);
  });
  reader.Object("paths", [&](ObjectReader& paths) {
    ReadPath(paths, "prompts", config.paths.prompts);
    ReadPath(paths, "skills", config.paths.skills);
    ReadPath(paths, "sops", config.paths.sops);
  });
  std::optional<Duration> heartbeat;
  ReadHeartbeat(reader, heartbeat);
  if (heartbeat) config.heartbeat_interval = *heartbeat;
  reader.Choice<PromptLanguage>("language", kLanguages, config.language);
  reader.Choice<MirrorMode>("mirror", kMirrorModes, config.mirror);
  reader.Choice<ReuseScope>("reuse", kReuseScopes, config.reuse);
}

}  // namespace

Checked<HubConfig> ReadHubConfig(const boost::json::value& value) {
  Checked<HubConfig> checked;
  HubConfig config;
  ReadObject(value, checked.issues, [&](ObjectReader& reader) {
    ReadConfig(reader, config);
    if (!reader.Failed("providers")) CheckProviders(config, checked.issues);
  });
  if (checked.issues.ok()) checked.value = std::move(config);
  return checked;
}

Checked<HubConfig> ParseHubConfig(std::string_view yaml) {
  Checked<HubConfig> checked;
  auto document = ParseYaml(yaml);
  if (!document) {
    checked.issues.errors.push_back(std::move(document).error());
    return checked;
  }
  checked = ReadHubConfig(document->root());
  document->AddLines(checked.issues);
  return checked;
}

}  // namespace agenttalk
