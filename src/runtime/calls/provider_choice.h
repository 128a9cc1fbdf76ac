#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "base/error.h"
#include "journal/journal.h"
#include "llm/endpoint.h"
#include "model/config/hub_config.h"
#include "runtime/calls/call_desk.h"
#include "runtime/calls/model_access.h"
#include "runtime/team.h"

namespace agenttalk {

// What the command line says about models.
struct ProviderChoice {
  std::optional<std::filesystem::path> answers;  // a script that answers for every agent
  std::string provider;                          // a configured name or a kind; empty: the hub's
  std::optional<std::filesystem::path> record;   // a cassette that gets what is asked and answered
  std::optional<std::filesystem::path> replay;   // a cassette that answers for every agent
};

// The provider that a name stands for; of the empty name the hub's default, or else the first that is there
// of ANTHROPIC_API_KEY, OPENAI_API_KEY or OPENAI_BASE_URL, and an Ollama that answers.
struct NamedProvider {
  std::string name;
  ProviderConfig config;
};
Result<NamedProvider> ResolveProvider(const HubConfig& config, const std::string& name, ModelAccess& access);

// Names the model of an endpoint that has none: the first that the server lists, else "default".
Result<void> ChooseModel(Endpoint& endpoint, ModelAccess& access);

// The providers that the team's agents need; others may be configured without being usable. PROVIDER_MISSING
// says what to set. How often a script's entries were used is counted in the journal. `report` is told what
// people should know while the providers are used.
Result<ProviderSet> MakeProviders(const Team& team, const std::filesystem::path& hub,
                                  const ProviderChoice& choice, Journal& journal, ModelAccess& access,
                                  std::function<void(const std::string&)> report);

// Why a goal cannot be worked on with these providers: its stages would be asked of a script that has no
// answer for them.
std::optional<Error> GoalObstacle(const ProviderSet& providers);

}  // namespace agenttalk
