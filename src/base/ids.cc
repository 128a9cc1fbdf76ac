#include "base/ids.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace agenttalk {
namespace {

constexpr std::size_t kMaxNameLength = 128;

bool IsAlphanumeric(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

}  // namespace

bool IsSafeName(std::string_view name) {
  if (name.empty() || name.size() > kMaxNameLength || !IsAlphanumeric(name.front())) return false;
  if (name.find("..") != std::string_view::npos) return false;
  return std::ranges::all_of(name,
                             [](char c) { return IsAlphanumeric(c) || c == '.' || c == '_' || c == '-'; });
}

}  // namespace agenttalk
