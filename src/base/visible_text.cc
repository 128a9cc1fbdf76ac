#include "base/visible_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

#include "base/utf8.h"

namespace agenttalk {
namespace {

void AppendEscaped(std::uint32_t code, std::string& out) {
  auto end = std::back_inserter(out);
  if (code <= 0xFFFF) {
    fmt::format_to(end, "\\u{:04x}", code);
  } else {
    const std::uint32_t above = code - 0x10000;
    fmt::format_to(end, "\\u{:04x}\\u{:04x}", 0xD800 + (above >> 10U), 0xDC00 + (above & 0x3FFU));
  }
}

// Printable ASCII, which most text is.
bool IsPlain(char c) {
  return c >= ' ' && c < '\x7f';
}

}  // namespace

std::uint32_t DecodeUtf8(std::string_view sequence) {
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(sequence[i]));
  };
  switch (sequence.size()) {
    case 2:
      return (byte(0) & 0x1FU) << 6U | (byte(1) & 0x3FU);
    case 3:
      return (byte(0) & 0x0FU) << 12U | (byte(1) & 0x3FU) << 6U | (byte(2) & 0x3FU);
    case 4:
      return (byte(0) & 0x07U) << 18U | (byte(1) & 0x3FU) << 12U | (byte(2) & 0x3FU) << 6U |
             (byte(3) & 0x3FU);
    default:
      return byte(0);
  }
}

bool IsSteering(std::uint32_t code) {
  if (code < 0x20 || (code >= 0x7F && code < 0xA0)) return true;
  if (code < 0x061C) return false;
  return code == 0x061C || code == 0x200E || code == 0x200F || (code >= 0x2028 && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x206F) || (code >= 0xFFF9 && code <= 0xFFFB) ||
         (code >= 0xE0000 && code <= 0xE007F);
}

std::string VisibleText(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto plain = static_cast<std::size_t>(std::ranges::find_if_not(text, IsPlain) - text.begin());
    out.append(text.substr(0, plain));
    text.remove_prefix(plain);
    if (text.empty()) break;
    const std::size_t length = Utf8SequenceLength(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(length, 1));
    if (length == 0) {
      out.append("\xEF\xBF\xBD");
    } else if (const std::uint32_t code = DecodeUtf8(character);
               IsSteering(code) && code != '\n' && code != '\t') {
      AppendEscaped(code, out);
    } else {
      out.append(character);
    }
    text.remove_prefix(character.size());
  }
  return out;
}

std::string VisibleLine(std::string_view text) {
  std::string line = VisibleText(text);
  std::ranges::replace_if(line, [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return line;
}

}  // namespace agenttalk
