#pragma once

#include <string>
#include <vector>

#include "base/issue.h"

namespace agenttalk {

// "  error CODE /path (line 3): message" and, below it, the hint.
std::string ToText(const Issue& issue, bool is_error, bool colors);

// Without what follows from another one: where "agnt" is unknown and "agent" was meant, "agent" is not
// missing besides.
std::vector<Issue> WithoutConsequences(const std::vector<Issue>& issues);

}  // namespace agenttalk
