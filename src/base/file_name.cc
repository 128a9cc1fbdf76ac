#include "base/file_name.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "base/glob.h"
#include "base/ids.h"

namespace agenttalk {
namespace {

constexpr std::size_t kLongestPattern = 128;

bool IsPatternCharacter(char c) {
  const bool alphanumeric = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
  return alphanumeric || std::string_view("._-*?[]!^").find(c) != std::string_view::npos;
}

}  // namespace

bool IsIgnoredFileName(std::string_view name) {
  return name.starts_with('.') || name.ends_with(".tmp") || name.ends_with(".part") || name.ends_with('~');
}

bool IsInputName(std::string_view name) {
  return IsSafeName(name) && !IsIgnoredFileName(name);
}

bool IsInputPattern(std::string_view pattern) {
  if (!IsGlob(pattern)) return IsInputName(pattern);
  return pattern.size() <= kLongestPattern && pattern.find("..") == std::string_view::npos &&
         !IsIgnoredFileName(pattern) && std::ranges::all_of(pattern, IsPatternCharacter);
}

bool IsOutputName(std::string_view name) {
  return IsInputName(name) && !name.starts_with("cmd_") && !name.starts_with("msg_");
}

}  // namespace agenttalk
