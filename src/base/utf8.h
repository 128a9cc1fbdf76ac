#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace agenttalk {

// The length of the well-formed UTF-8 sequence that `text` starts with; 0 when it does not start with one.
std::size_t Utf8SequenceLength(std::string_view text);

// Well-formed UTF-8 by RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF.
bool IsUtf8(std::string_view text);

// Every byte that is not part of a well-formed sequence becomes U+FFFD.
std::string ToValidUtf8(std::string_view text);

// The longest prefix of at most `max_bytes` that does not cut a character in two.
std::string_view Utf8Prefix(std::string_view text, std::size_t max_bytes);

// True if there is nothing to read: empty, or white space only (also the wide space of Chinese text).
bool IsBlank(std::string_view text);

// Without the control characters that could steer a terminal; newline and tab stay.
std::string WithoutControls(std::string_view text);

}  // namespace agenttalk
