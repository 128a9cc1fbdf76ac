#pragma once

#include <string_view>

#include "base/issue.h"

namespace agenttalk {

// What the YAML parser found wrong, in words that say what to change. `line` and `column` count from 1.
Issue ExplainYamlError(std::string_view text, int line, int column, std::string_view parser_says);

}  // namespace agenttalk
