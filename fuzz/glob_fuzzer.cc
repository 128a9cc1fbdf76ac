// Globs: the matcher agrees with a naive one that tries everything, and with its own literal prefix. The
// input is a pattern, a newline and a name.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "base/file_name.h"
#include "base/glob.h"
#include "base/utf8.h"

namespace agenttalk {
namespace {

// Short enough that trying everything ends.
constexpr std::size_t kLongestPattern = 24;
constexpr std::size_t kLongestName = 24;
constexpr std::ptrdiff_t kMostStars = 5;

std::string_view First(std::string_view text) {
  const std::size_t length = Utf8SequenceLength(text);
  return text.substr(0, length == 0 ? 1 : length);
}

// Byte order of well-formed characters is their code point order; a stray byte sorts behind all of them.
bool LessOrEqual(std::string_view a, std::string_view b) {
  const bool stray_a = Utf8SequenceLength(a) == 0;
  const bool stray_b = Utf8SequenceLength(b) == 0;
  return stray_a != stray_b ? stray_b : a <= b;
}

// The index of the `]` that closes the set at the front, or npos.
std::size_t Close(std::string_view pattern) {
  std::size_t i = 1;
  if (i < pattern.size() && (pattern[i] == '!' || pattern[i] == '^')) ++i;
  for (++i; i < pattern.size(); ++i) {
    if (pattern[i] == ']') return i;
  }
  return std::string_view::npos;
}

bool NaiveInSet(std::string_view body, std::string_view character) {
  const bool negated = body[0] == '!' || body[0] == '^';
  if (negated) body.remove_prefix(1);
  bool found = false;
  while (!body.empty()) {
    const std::string_view low = First(body);
    body.remove_prefix(low.size());
    std::string_view high = low;
    if (body.size() >= 2 && body[0] == '-') {
      high = First(body.substr(1));
      body.remove_prefix(1 + high.size());
    }
    if (LessOrEqual(low, character) && LessOrEqual(character, high)) found = true;
  }
  return found != negated;
}

bool NaiveMatches(std::string_view pattern, std::string_view name) {
  if (pattern.empty()) return name.empty();
  if (pattern[0] == '*') {
    if (NaiveMatches(pattern.substr(1), name)) return true;
    return !name.empty() && NaiveMatches(pattern, name.substr(First(name).size()));
  }
  if (name.empty()) return false;
  const std::string_view character = First(name);
  const std::string_view rest = name.substr(character.size());
  if (pattern[0] == '?') return NaiveMatches(pattern.substr(1), rest);
  if (const std::size_t close = pattern[0] == '[' ? Close(pattern) : std::string_view::npos;
      close != std::string_view::npos) {
    return NaiveInSet(pattern.substr(1, close - 1), character) &&
           NaiveMatches(pattern.substr(close + 1), rest);
  }
  const std::string_view expected = First(pattern);
  return expected == character && NaiveMatches(pattern.substr(expected.size()), rest);
}

void CheckGlob(std::string_view pattern, std::string_view name) {
  const bool matches = WildcardMatches(pattern, name);
  if (matches) CHECK(IsGlob(pattern) ? name.starts_with(GlobPrefix(pattern)) : pattern == name);
  if (GlobMatches(pattern, name)) CHECK(matches);
  if (IsInputName(name)) CHECK(IsInputPattern(name) && GlobMatches(name, name));
  if (pattern.size() > kLongestPattern || name.size() > kLongestName) return;
  if (std::ranges::count(pattern, '*') > kMostStars) return;
  CHECK(matches == NaiveMatches(pattern, name));
}

}  // namespace
}  // namespace agenttalk

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t bar = text.find('\n');
  if (bar != std::string_view::npos) agenttalk::CheckGlob(text.substr(0, bar), text.substr(bar + 1));
  return 0;
}
