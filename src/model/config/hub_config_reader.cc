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
#include "model/config/hub_tool.h"
#include "model/config/mcp_server_reader.h"
#include "model/config/preset_table.h"
#include "model/config/provider_reader.h"
#include "model/config/tool_names.h"
#include "model/reading/checked.h"
#include "model/reading/object_reader.h"
#include "model/reading/strictness.h"
#include "model/reading/yaml_document.h"

namespace agenttalk {
namespace {

constexpr NumberRange kNotNegative{.min = 0, .max = 1e12};
constexpr IntegerRange kAtLeastOne{.min = 1, .max = 1'000'000};
constexpr IntegerRange kBytes{.min = 1024, .max = std::int64_t{1} << 40};
constexpr IntegerRange kDepth{.min = 8, .max = 256};

void ReadLimits(ObjectReader& reader, HubLimits& limits) {
  reader.Number("budget_usd", kNotNegative, limits.budget_usd);
  reader.Integer("budget_tokens", {.min = 0}, limits.budget_tokens);
  reader.Number("hub_budget_usd", kNotNegative, limits.hub_budget_usd);
  reader.Integer("hub_budget_tokens", {.min = 0}, limits.hub_budget_tokens);
  reader.Boolean("allow_unpriced", limits.allow_unpriced);
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
  ReadPositivePeriod(reader, "keep_finished", limits.keep_finished);
}

void ReadMap(ObjectReader& reader, std::string_view key,
             const std::function<void(const std::string&, ObjectReader&)>& read) {
  const boost::json::value* value = reader.Value(key);
  if (value != nullptr && value->is_array()) {
    reader.Error(key, ErrorCode::kTypeMismatch, fmt::format("\"{}\" must be a map, not a list", key),
                 key == "agents"
                     ? "write the id of each agent as a key: `agents: {analyst: {prompt: …}}`, or "
                       "`analyst:` on a line of its own without the dash"
                     : "write each name as a key, without the dash");
    return;
  }
  reader.Members(key, [&](const std::string& name, ObjectReader& member) {
    if (!IsSafeName(name)) {
      member.Error({}, ErrorCode::kNameUnsafe, fmt::format("\"{}\" is not a safe name", name),
                   "letters, digits, '.', '_' and '-', starting with a letter or digit");
    }
    read(name, member);
  });
}

void ReadAgents(ObjectReader& reader, const ToolNames& tools, HubConfig& config) {
  ReadMap(reader, "agents", [&](const std::string& name, ObjectReader& agent) {
    AgentProfile profile;
    profile.agent_id = AgentId(name);
    AgentId id;
    if (agent.Name("agent_id", id) && id != profile.agent_id) {
      agent.Error("agent_id", ErrorCode::kValueInvalid, fmt::format("contradicts the key \"{}\"", name),
                  "remove it");
    }
    ReadProfileFields(agent, profile, tools);
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
  PresetTable presets;
  ReadMap(reader, "presets", [&](const std::string& name, ObjectReader& preset) {
    ProviderConfig checked;
    ReadProvider(preset, PresetTable::Shipped(), checked);
    presets.Add(name, checked.kind == ProviderKind::kExec, preset.object());
  });
  ReadMap(reader, "providers", [&](const std::string& name, ObjectReader& provider) {
    ReadProvider(provider, presets, config.providers[name]);
  });
  ReadMap(reader, "tools",
          [&](const std::string& name, ObjectReader& tool) { ReadHubTool(name, tool, config.tools[name]); });
  ReadMap(reader, "mcp_servers", [&](const std::string& name, ObjectReader& server) {
    ReadMcpServer(server, name, config.mcp_servers[name]);
  });
  ReadAgents(reader, ToolNamesOf(config), config);
  reader.Object("limits", [&](ObjectReader& limits) { ReadLimits(limits, config.limits); });
  reader.Object("human", [&](ObjectReader& human) {
    human.Text("name", config.human.name);
    ReadPositivePeriod(human, "question_deadline", config.human.question_deadline);
    ReadPositivePeriod(human, "approval_deadline", config.human.approval_deadline);
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

ToolNames ToolNamesOf(const HubConfig& config) {
  ToolNames names;
  for (const auto& [name, tool] : config.tools) names.AddHubTool(name);
  for (const auto& [name, server] : config.mcp_servers) names.AddServer(name);
  return names;
}

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
  RefuseUnknownNames(checked);
  document->AddLines(checked.issues);
  return checked;
}

}  // namespace agenttalk
