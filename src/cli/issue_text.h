#pragma once

#include <boost/json/fwd.hpp>
#include <string>
#include <vector>

#include "base/issue.h"

namespace agenttalk {

// [{"code","path","message","hint"}], with "line" where it is known.
boost::json::array ToJson(const std::vector<Issue>& issues);

// "  error CODE /path (line 3): message" and, below it, the hint.
std::string ToText(const Issue& issue, bool is_error, bool colors);

}  // namespace agenttalk
