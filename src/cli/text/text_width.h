#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// How much room a text takes on a terminal: Chinese, Japanese and Korean characters take two columns, marks
// that combine with the character before them none, TerminalControl none; what a Console shows as \uXXXX
// takes that much.
namespace agenttalk {

std::size_t DisplayWidth(std::string_view text);
// At most `columns` wide; what is cut off is shown by "…".
std::string Clipped(std::string_view text, std::size_t columns);
// With spaces behind it, so that it is `columns` wide; longer ones stay as they are.
std::string Padded(std::string_view text, std::size_t columns);

}  // namespace agenttalk
