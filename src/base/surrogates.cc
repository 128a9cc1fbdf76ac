#include "base/surrogates.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/json.h"

namespace agenttalk {
namespace {

constexpr std::string_view kMark = "\xEF\xB7\x90";  // U+FDD0, which is no character: nobody writes it
constexpr std::string_view kUnknownCharacter = "\xEF\xBF\xBD";
constexpr std::size_t kEscapeLength = 6;  // \u0000
constexpr std::size_t kHexLength = 4;

std::optional<std::uint32_t> HexAt(std::string_view text, std::size_t at) {
  if (at + kHexLength > text.size()) return std::nullopt;
  std::uint32_t value = 0;
  for (const char c : text.substr(at, kHexLength)) {
    const bool digit = c >= '0' && c <= '9';
    const char lower = static_cast<char>(c | 0x20);
    if (!digit && (lower < 'a' || lower > 'f')) return std::nullopt;
    value = value * 16 + static_cast<std::uint32_t>(digit ? c - '0' : lower - 'a' + 10);
  }
  return value;
}

std::optional<std::uint32_t> EscapeAt(std::string_view text, std::size_t at) {
  if (!text.substr(at).starts_with("\\u")) return std::nullopt;
  return HexAt(text, at + 2);
}

bool IsHigh(std::optional<std::uint32_t> unit) {
  return unit && *unit >= 0xD800 && *unit <= 0xDBFF;
}
bool IsLow(std::optional<std::uint32_t> unit) {
  return unit && *unit >= 0xDC00 && *unit <= 0xDFFF;
}

// The text with every half escape as `write` has it.
template <typename Write>
std::string ReplaceHalves(std::string_view text, const Write& write) {
  std::string out;
  out.reserve(text.size() + kEscapeLength);
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != '\\') {
      out.push_back(text[at++]);
      continue;
    }
    const auto unit = EscapeAt(text, at);
    const bool pair = IsHigh(unit) && IsLow(EscapeAt(text, at + kEscapeLength));
    if (!pair && (IsHigh(unit) || IsLow(unit))) {
      out += write(*unit);
      at += kEscapeLength;
      continue;
    }
    // An escape of any other kind; of a backslash, the character after it belongs to it.
    const std::size_t length = pair ? 2 * kEscapeLength : 2;
    out += text.substr(at, length);
    at += std::min(length, text.size() - at);
  }
  return out;
}

bool MayHoldHalves(std::string_view text) {
  return text.find("\\ud") != std::string_view::npos || text.find("\\uD") != std::string_view::npos;
}

void AppendUtf8(std::uint32_t code, std::string& out) {
  out.push_back(static_cast<char>(0xF0 | (code >> 18)));
  out.push_back(static_cast<char>(0x80 | ((code >> 12) & 0x3F)));
  out.push_back(static_cast<char>(0x80 | ((code >> 6) & 0x3F)));
  out.push_back(static_cast<char>(0x80 | (code & 0x3F)));
}

std::optional<std::uint32_t> MarkedAt(std::string_view text, std::size_t at) {
  if (!text.substr(at).starts_with(kMark)) return std::nullopt;
  return HexAt(text, at + kMark.size());
}

}  // namespace

std::string WithoutHalves(std::string_view json) {
  if (!MayHoldHalves(json)) return std::string(json);
  return ReplaceHalves(json, [](std::uint32_t) { return std::string("\\ufffd"); });
}

Result<boost::json::value> ParsePieceJson(std::string_view text, const JsonLimits& limits) {
  auto strict = ParseJson(text, limits);
  if (strict || !MayHoldHalves(text)) return strict;
  const std::string marked =
      ReplaceHalves(text, [](std::uint32_t unit) { return fmt::format("\\ufdd0{:04x}", unit); });
  return ParseJson(marked, {limits.max_bytes + marked.size() - text.size(), limits.max_depth});
}

Result<boost::json::value> ParseModelJson(std::string_view text, const JsonLimits& limits) {
  auto strict = ParseJson(text, limits);
  if (strict || !MayHoldHalves(text)) return strict;
  return ParseJson(WithoutHalves(text), limits);
}

std::string JoinHalves(std::string text) {
  if (text.find(kMark) == std::string::npos) return text;
  const std::size_t length = kMark.size() + kHexLength;
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const auto unit = MarkedAt(text, at);
    if (!IsHigh(unit) && !IsLow(unit)) {
      out.push_back(text[at++]);
      continue;
    }
    const auto next = MarkedAt(text, at + length);
    if (IsHigh(unit) && IsLow(next)) {
      AppendUtf8(0x10000 + ((*unit - 0xD800) << 10) + (*next - 0xDC00), out);
      at += 2 * length;
      continue;
    }
    out += kUnknownCharacter;
    at += length;
  }
  return out;
}

}  // namespace agenttalk
