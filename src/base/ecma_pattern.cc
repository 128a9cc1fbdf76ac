#include "base/ecma_pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/utf8.h"

namespace agenttalk {
namespace {

// What the escapes of ECMA 262 stand for, whatever the locale; inside of brackets.
std::string_view MembersOf(char escape) {
  switch (escape) {
    case 'd':
    case 'D':
      return "0-9";
    case 'w':
    case 'W':
      return "A-Za-z0-9_";
    case 's':
    case 'S':
      return R"(\t\n\v\f\r \x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}\x{FEFF})";
    default:
      return {};
  }
}

}  // namespace

bool IsHex(std::string_view digits) {
  return digits.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

std::optional<std::string> TranslateEcmaPattern(std::string_view pattern) {
  constexpr std::size_t kDigits = 4;
  std::string out;
  bool in_brackets = false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c != '\\' || i + 1 == pattern.size()) {
      if (c == '[') in_brackets = true;
      if (c == ']') in_brackets = false;
      out += c;
      continue;
    }
    const char escape = pattern[++i];
    if (escape == 'p' || escape == 'P') return std::nullopt;
    const std::string_view digits = pattern.substr(i + 1, kDigits);
    const std::string_view members = MembersOf(escape);
    const bool excludes = escape >= 'A' && escape <= 'Z';
    if (escape == 'u' && digits.size() == kDigits && IsHex(digits)) {
      out += fmt::format("\\x{{{}}}", digits);
      i += kDigits;
    } else if (members.empty() || (in_brackets && excludes)) {
      out += {c, escape};
    } else {
      out += in_brackets ? std::string(members) : fmt::format("[{}{}]", excludes ? "^" : "", members);
    }
  }
  return out;
}

std::wstring WideText(std::string_view utf8) {
  std::wstring wide;
  while (!utf8.empty()) {
    const std::size_t length = std::max<std::size_t>(1, Utf8SequenceLength(utf8));
    const auto first = static_cast<unsigned char>(utf8.front());
    constexpr std::array<unsigned, 5> kMask = {0xFF, 0x7F, 0x1F, 0x0F, 0x07};
    unsigned code = first & kMask.at(length);
    for (std::size_t i = 1; i < length; ++i)
      code = (code << 6U) | (static_cast<unsigned char>(utf8[i]) & 0x3FU);
    wide += static_cast<wchar_t>(code);
    utf8.remove_prefix(length);
  }
  return wide;
}

}  // namespace agenttalk
