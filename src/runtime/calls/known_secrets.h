#pragma once

#include <filesystem>

#include "model/config/hub_config.h"

namespace agenttalk {

// Makes the keys of the configured providers, and those in the usual variables, known to the redactor,
// whether or not anything is asked of a provider: what is shown of a hub's past must not hold them either. A
// key that cannot be read hides nothing and is no error here.
void LearnSecrets(const HubConfig& config, const std::filesystem::path& hub);

}  // namespace agenttalk
