#pragma once

#include <string>

#include "base/issue.h"

namespace agenttalk {

// "  error CODE /path (line 3): message" and, below it, the hint.
std::string ToText(const Issue& issue, bool is_error, bool colors);

}  // namespace agenttalk
