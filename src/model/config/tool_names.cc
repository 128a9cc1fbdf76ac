#include "model/config/tool_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/glob.h"
#include "model/config/known_names.h"

namespace agenttalk {

std::string McpToolPrefix(std::string_view server) {
  return fmt::format("{}{}__", kMcpPrefix, server);
}

bool IsToolName(std::string_view name) {
  constexpr std::size_t kLongest = 64;
  return !name.empty() && name.size() <= kLongest && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

ToolNames::ToolNames() : names_(kKnownTools.begin(), kKnownTools.end()) {}

bool ToolNames::Knows(std::string_view name) const {
  if (!IsGlob(name)) {
    return names_.contains(name) || std::ranges::any_of(prefixes_, [&](const std::string& prefix) {
             return name.size() > prefix.size() && name.starts_with(prefix);
           });
  }
  const std::string_view start = GlobPrefix(name);
  return std::ranges::any_of(names_, [&](const std::string& one) { return WildcardMatches(name, one); }) ||
         std::ranges::any_of(prefixes_, [&](const std::string& prefix) {
           return start.starts_with(prefix) || std::string_view(prefix).starts_with(start);
         });
}

std::vector<std::string_view> ToolNames::all() const {
  std::vector<std::string_view> names(names_.begin(), names_.end());
  names.insert(names.end(), prefixes_.begin(), prefixes_.end());
  return names;
}

}  // namespace agenttalk
