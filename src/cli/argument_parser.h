#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "cli/arguments.h"
#include "cli/verb.h"

namespace agenttalk {

// Reads what follows the verb's name. What does not fit is a USAGE error that says how to get help.
Result<Arguments> ParseArguments(const Verb& verb, const std::vector<std::string>& words);

}  // namespace agenttalk
