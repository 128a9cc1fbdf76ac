#pragma once

#include <cstdint>
#include <string>
#include <string_view>

// Text that cannot do anything to whoever looks at it.
namespace agenttalk {

// The code point of one well-formed UTF-8 sequence.
std::uint32_t DecodeUtf8(std::string_view sequence);

// Characters that steer a terminal or change what is seen without being seen: the control characters (C0,
// DEL, C1), the marks that reorder text (bidirectional overrides, embeddings and isolates), line and
// paragraph separators, and invisible tags. Newline and tab are among them.
bool IsSteering(std::uint32_t code);

// Steering characters but newline and tab become \uXXXX, and bytes that are not UTF-8 become U+FFFD. The
// escapes are JSON's own: in the text of a JSON value such characters can only stand in strings, which mean
// the same afterwards.
std::string VisibleText(std::string_view text);

// The same on one line: newlines and tabs become spaces.
std::string VisibleLine(std::string_view text);

}  // namespace agenttalk
