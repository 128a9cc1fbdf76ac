#include "runtime/calls/known_secrets.h"

#include <filesystem>

#include "base/redact.h"
#include "llm/endpoint.h"
#include "model/config/hub_config.h"

namespace agenttalk {

void LearnSecrets(const HubConfig& config, const std::filesystem::path& hub) {
  const Environment environment = ProcessEnvironment();
  for (const char* name : {"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OLLAMA_API_KEY"}) {
    if (const auto value = environment(name)) ProcessRedactor().AddSecret(*value);
  }
  for (const auto& [name, provider] : config.providers) {
    const bool has_server = provider.kind != ProviderKind::kExec && provider.kind != ProviderKind::kScripted;
    if (has_server) static_cast<void>(FindEndpoint(provider, environment, hub));
  }
}

}  // namespace agenttalk
