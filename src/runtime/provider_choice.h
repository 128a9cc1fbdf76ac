#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/error.h"
#include "journal/journal.h"
#include "runtime/call_desk.h"
#include "runtime/team.h"

namespace agenttalk {

// What the command line says about models.
struct ProviderChoice {
  std::optional<std::filesystem::path> answers;  // a script that answers for every agent
  std::string provider;                          // a configured name or a kind; empty: the hub's
};

// The providers that the team's agents need; others may be configured without being usable. PROVIDER_MISSING
// says what to set. How often a script's entries were used is counted in the journal.
Result<ProviderSet> MakeProviders(const Team& team, const std::filesystem::path& hub,
                                  const ProviderChoice& choice, Journal& journal);

}  // namespace agenttalk
