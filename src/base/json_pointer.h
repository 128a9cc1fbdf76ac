#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace agenttalk {

// Appends "/" and the token, escaped as RFC 6901 asks.
void AppendPointer(std::string& pointer, std::string_view token);
void AppendPointer(std::string& pointer, std::size_t index);

}  // namespace agenttalk
