#pragma once

#include <span>
#include <string>

#include "cli/verb.h"

namespace agenttalk {

// "agenttalk validate FILE… [--strict]"
std::string UsageLine(const Verb& verb);
// Usage, summary, every parameter, an example.
std::string HelpText(const Verb& verb, bool colors);
// All verbs with their summaries.
std::string HelpText(std::span<const Verb> verbs, bool colors);

}  // namespace agenttalk
