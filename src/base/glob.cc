#include "base/glob.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/utf8.h"

namespace agenttalk {
namespace {

constexpr std::array<std::string_view, 3> kReserved = {"cmd_", "msg_", "."};

// The first character as a number, and its length; a stray byte is a character of its own, beyond Unicode.
struct Character {
  std::uint32_t code = 0;
  std::size_t length = 1;
};

Character FirstCharacter(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t length = Utf8SequenceLength(text);
  if (length == 0) return {0x110000U + first, 1};
  if (length == 1) return {first, 1};
  std::uint32_t code = first & (0xFFU >> (length + 1));
  for (const char c : text.substr(1, length - 1))
    code = (code << 6) | (static_cast<unsigned char>(c) & 0x3FU);
  return {code, length};
}

// The position after the `]` that closes the set at the front of `pattern`; a `]` right after the opening (or
// its negation) belongs to the set. Nothing when the set is never closed.
std::optional<std::size_t> SetEnd(std::string_view pattern) {
  std::size_t first = 1;
  if (pattern.size() > 1 && (pattern[1] == '!' || pattern[1] == '^')) first = 2;
  const std::size_t close = pattern.find(']', first + 1);
  if (close == std::string_view::npos) return std::nullopt;
  return close + 1;
}

bool InSet(std::string_view set, std::uint32_t wanted) {
  std::string_view body = set.substr(1, set.size() - 2);
  const bool negated = body.front() == '!' || body.front() == '^';
  if (negated) body.remove_prefix(1);
  bool found = false;
  while (!body.empty()) {
    const Character low = FirstCharacter(body);
    body.remove_prefix(low.length);
    std::uint32_t high = low.code;
    if (body.size() > 1 && body.front() == '-') {
      const Character end = FirstCharacter(body.substr(1));
      high = end.code;
      body.remove_prefix(1 + end.length);
    }
    found = found || (wanted >= low.code && wanted <= high);
  }
  return found != negated;
}

// Takes one element off the pattern if it matches the character; never called at a star.
bool TakeElement(std::string_view& pattern, const Character& character) {
  if (pattern.empty()) return false;
  if (pattern.front() == '?') {
    pattern.remove_prefix(1);
    return true;
  }
  if (pattern.front() == '[') {
    if (const std::optional<std::size_t> end = SetEnd(pattern); end) {
      if (!InSet(pattern.substr(0, *end), character.code)) return false;
      pattern.remove_prefix(*end);
      return true;
    }
  }
  const Character expected = FirstCharacter(pattern);
  if (expected.code != character.code) return false;
  pattern.remove_prefix(expected.length);
  return true;
}

}  // namespace

bool IsGlob(std::string_view text) {
  return text.find_first_of("*?[") != std::string_view::npos;
}

// Only the last star seen ever has to give way: what an earlier one could still match, the last one can too.
bool WildcardMatches(std::string_view pattern, std::string_view text) {
  std::optional<std::string_view> after_star;
  std::string_view retry_text;
  while (!text.empty()) {
    if (!pattern.empty() && pattern.front() == '*') {
      pattern.remove_prefix(1);
      if (pattern.empty()) return true;
      after_star = pattern;
      retry_text = text;
      continue;
    }
    const Character character = FirstCharacter(text);
    if (TakeElement(pattern, character)) {
      text.remove_prefix(character.length);
    } else if (after_star) {
      retry_text.remove_prefix(FirstCharacter(retry_text).length);
      pattern = *after_star;
      text = retry_text;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*') == std::string_view::npos;
}

bool GlobMatches(std::string_view pattern, std::string_view file_name) {
  const bool reserved = std::ranges::any_of(kReserved, [&](std::string_view prefix) {
    return file_name.starts_with(prefix) && !pattern.starts_with(prefix);
  });
  return !reserved && WildcardMatches(pattern, file_name);
}

std::string_view GlobPrefix(std::string_view pattern) {
  return pattern.substr(0, pattern.find_first_of("*?["));
}

}  // namespace agenttalk
