#pragma once

#include <optional>
#include <string>
#include <string_view>

// Regular expressions of ECMA 262, which JSON Schema has, for the library's own (boost::wregex).
namespace agenttalk {

// An expression in the words of the library: \u0041 is \x{0041}, and \d, \w and \s are lists. In brackets
// \D, \W and \S stay as they are. Nothing: it has \p, whose names differ.
std::optional<std::string> TranslateEcmaPattern(std::string_view pattern);

// Hexadecimal digits and nothing else.
bool IsHex(std::string_view digits);

// Characters instead of bytes.
std::wstring WideText(std::string_view utf8);

}  // namespace agenttalk
