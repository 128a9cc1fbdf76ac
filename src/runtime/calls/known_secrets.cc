#include "runtime/calls/known_secrets.h"

#include <filesystem>
#include <string>

#include "base/redact.h"
#include "llm/endpoint.h"
#include "model/config/hub_config.h"

namespace agenttalk {

void LearnSecrets(const HubConfig& config, const std::filesystem::path& hub) {
  const Environment environment = ProcessEnvironment();
  for (const ProviderKindRow& row : kProviderKindRows) {
    if (!row.is_server) continue;
    if (const auto value = environment(row.key_variable)) ProcessRedactor().AddSecret(*value);
  }
  for (const auto& [name, provider] : config.providers) {
    if (IsServer(provider.kind)) static_cast<void>(FindEndpoint(provider, environment, hub));
  }
  // What a tool is given it must not tell a model.
  for (const auto& [name, tool] : config.tools) {
    for (const std::string& variable : tool.env) {
      if (const auto value = environment(variable)) ProcessRedactor().AddSecret(*value);
    }
  }
}

}  // namespace agenttalk
