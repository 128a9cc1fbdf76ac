#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "base/error.h"
#include "base/ids.h"
#include "cli/verb.h"
#include "runtime/calls/provider_choice.h"
#include "runtime/team.h"

namespace agenttalk {

// The check before a hub is served: PERMISSION_DENIED when the hub does things with what belongs to its user,
// or brings work from elsewhere, and the user has not said yes. On a terminal the user is asked.
std::function<Result<void>(const Team&, const std::vector<PlanId>&)> TrustCheck(
    const Invocation& call, const std::filesystem::path& hub, const ProviderChoice& choice);

// For verbs that only look: PERMISSION_DENIED without asking.
Result<void> RequireTrust(const Team& team, const std::filesystem::path& hub);

// --trust
Parameter TrustParameter();

}  // namespace agenttalk
