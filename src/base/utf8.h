#pragma once

#include <string_view>

namespace agenttalk {

// Well-formed UTF-8 by RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF.
bool IsUtf8(std::string_view text);

}  // namespace agenttalk
