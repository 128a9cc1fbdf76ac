#pragma once

#include <string_view>

namespace agenttalk {

// The agent that is a person.
inline constexpr std::string_view kHuman = "human";

}  // namespace agenttalk
