#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace agenttalk {

inline constexpr std::size_t kLongestHumanText = 16 * 1024;

// A text on its way to or from a person: well-formed, without control characters but newline and tab, without
// secrets, and at most `longest` bytes; what is cut off is said at its end.
std::string CleanHumanText(std::string_view text, std::size_t longest = kLongestHumanText);

}  // namespace agenttalk
