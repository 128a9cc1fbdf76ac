#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <chrono>
#include <concepts>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/time.h"
#include "model/config/agent_profile.h"
#include "model/config/hub_config.h"
#include "model/config/hub_config_reader.h"
#include "model/config/hub_tool.h"
#include "model/config/mcp_server_reader.h"
#include "model/config/model_parameters.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

// Adds a member unless it has its default.
template <typename T>
void Add(json::object& object, std::string_view key, const T& value, const T& standard) {
  if (value == standard) return;
  if constexpr (std::same_as<T, Duration>) {
    object[key] = std::chrono::duration<double>(value).count();
  } else if constexpr (std::is_enum_v<T>) {
    object[key] = ToString(value);
  } else {
    object[key] = value;
  }
}

void AddNested(json::object& object, std::string_view key, json::object nested) {
  if (!nested.empty()) object[key] = std::move(nested);
}

json::object PricesJson(const TokenPrices& prices) {
  json::object object{{"input", prices.input}, {"output", prices.output}};
  if (prices.cache_read) object["cache_read"] = *prices.cache_read;
  if (prices.cache_write) object["cache_write"] = *prices.cache_write;
  return object;
}

json::object ProviderJson(const ProviderConfig& provider) {
  const ProviderConfig standard;
  json::object object{{"kind", ToString(provider.kind)}};
  Add(object, "model", provider.model, standard.model);
  Add(object, "base_url", provider.base_url, standard.base_url);
  Add(object, "api_key_env", provider.api_key_env, standard.api_key_env);
  Add(object, "api_key_file", provider.api_key_file, standard.api_key_file);
  if (!provider.env.empty()) object["env"] = json::array(provider.env.begin(), provider.env.end());
  if (!provider.argv.empty()) object["argv"] = json::array(provider.argv.begin(), provider.argv.end());
  Add(object, "prompt_via", provider.prompt_via, standard.prompt_via);
  Add(object, "answer_at", provider.answer_at, standard.answer_at);
  if (!provider.model_argv.empty()) {
    object["model_argv"] = json::array(provider.model_argv.begin(), provider.model_argv.end());
  }
  Add(object, "answers", provider.answers, standard.answers);
  json::object headers;
  for (const auto& [name, value] : provider.headers) headers[name] = value;
  AddNested(object, "headers", std::move(headers));
  Add(object, "ca_file", provider.ca_file, standard.ca_file);
  Add(object, "max_tokens_as", provider.max_tokens_as, standard.max_tokens_as);
  AddParameters(object, provider.parameters);
  Add(object, "timeout", provider.timeout, standard.timeout);
  if (provider.max_retries) object["max_retries"] = *provider.max_retries;
  Add(object, "requests_per_minute", provider.requests_per_minute, standard.requests_per_minute);
  Add(object, "tokens_per_minute", provider.tokens_per_minute, standard.tokens_per_minute);
  if (provider.prices) object["prices"] = PricesJson(*provider.prices);
  Add(object, "structured_output", provider.structured_output, standard.structured_output);
  Add(object, "native_tools", provider.native_tools, standard.native_tools);
  Add(object, "stream", provider.stream, standard.stream);
  Add(object, "idle_timeout", provider.idle_timeout, standard.idle_timeout);
  return object;
}

json::object LimitsJson(const HubLimits& limits) {
  const HubLimits standard;
  json::object object;
  Add(object, "budget_usd", limits.budget_usd, standard.budget_usd);
  Add(object, "budget_tokens", limits.budget_tokens, standard.budget_tokens);
  Add(object, "hub_budget_usd", limits.hub_budget_usd, standard.hub_budget_usd);
  Add(object, "hub_budget_tokens", limits.hub_budget_tokens, standard.hub_budget_tokens);
  Add(object, "allow_unpriced", limits.allow_unpriced, standard.allow_unpriced);
  Add(object, "max_parallel_calls", limits.max_parallel_calls, standard.max_parallel_calls);
  Add(object, "max_command_bytes", limits.max_command_bytes, standard.max_command_bytes);
  Add(object, "max_json_depth", limits.max_json_depth, standard.max_json_depth);
  Add(object, "max_input_bytes", limits.max_input_bytes, standard.max_input_bytes);
  Add(object, "max_nodes", limits.max_nodes, standard.max_nodes);
  Add(object, "max_hops", limits.max_hops, standard.max_hops);
  Add(object, "max_open_questions", limits.max_open_questions, standard.max_open_questions);
  Add(object, "max_answer_bytes", limits.max_answer_bytes, standard.max_answer_bytes);
  Add(object, "max_tool_output_bytes", limits.max_tool_output_bytes, standard.max_tool_output_bytes);
  Add(object, "max_tool_rounds", limits.max_tool_rounds, standard.max_tool_rounds);
  Add(object, "max_collaboration_depth", limits.max_collaboration_depth, standard.max_collaboration_depth);
  Add(object, "max_collaborations", limits.max_collaborations, standard.max_collaborations);
  return object;
}

}  // namespace

json::value ToJson(const HubConfig& config) {
  const HubConfig standard;
  json::object object{{"version", 1}};
  Add(object, "provider", config.provider, standard.provider);
  json::object providers;
  for (const auto& [name, provider] : config.providers) providers[name] = ProviderJson(provider);
  AddNested(object, "providers", std::move(providers));
  json::object tools;
  for (const auto& [name, tool] : config.tools) tools[name] = ToJson(tool);
  AddNested(object, "tools", std::move(tools));
  json::object agents;
  for (const auto& [id, profile] : config.agents) {
    json::value agent = ToJson(profile);
    agent.get_object().erase("agent_id");
    agents[id.str()] = std::move(agent);
  }
  AddNested(object, "agents", std::move(agents));
  AddNested(object, "mcp_servers", McpServersJson(config.mcp_servers));
  AddNested(object, "limits", LimitsJson(config.limits));
  json::object human;
  Add(human, "name", config.human.name, standard.human.name);
  Add(human, "question_deadline", config.human.question_deadline, standard.human.question_deadline);
  Add(human, "approval_deadline", config.human.approval_deadline, standard.human.approval_deadline);
  AddNested(object, "human", std::move(human));
  json::object paths;
  Add(paths, "prompts", config.paths.prompts, standard.paths.prompts);
  Add(paths, "skills", config.paths.skills, standard.paths.skills);
  Add(paths, "sops", config.paths.sops, standard.paths.sops);
  AddNested(object, "paths", std::move(paths));
  if (config.heartbeat_interval != standard.heartbeat_interval) {
    const std::chrono::duration<double> seconds = config.heartbeat_interval;
    object["heartbeat"] = json::object{{"interval_seconds", seconds.count()}};
  }
  Add(object, "language", config.language, standard.language);
  Add(object, "mirror", config.mirror, standard.mirror);
  Add(object, "reuse", config.reuse, standard.reuse);
  return object;
}

}  // namespace agenttalk
