#pragma once

#include <vector>

#include "base/error.h"
#include "cli/verb.h"
#include "runtime/calls/provider_choice.h"

// What verbs that ask models take: --answers, --provider, --record, --replay.
namespace agenttalk {

// They and what else the verb takes.
std::vector<Parameter> WithProviderParameters(std::vector<Parameter> own);

// USAGE when they contradict each other.
Result<ProviderChoice> ReadProviderChoice(const Invocation& call);

}  // namespace agenttalk
