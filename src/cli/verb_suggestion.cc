#include "cli/verb_suggestion.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/suggestion.h"

namespace agenttalk {

std::vector<std::string> Suggestions(std::string_view word, std::span<const std::string> known) {
  constexpr std::size_t kMost = 3;
  const std::size_t tolerated = word.size() <= 4 ? 1 : 2;
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const std::string& candidate : known) {
    const bool begun = word.size() >= 2 && candidate.starts_with(word);
    const std::size_t distance = begun ? 0 : EditDistance(word, candidate);
    if (distance <= tolerated) near.emplace_back(distance, candidate);
  }
  std::ranges::stable_sort(near, {}, &std::pair<std::size_t, std::string>::first);
  std::vector<std::string> names;
  for (auto& [distance, name] : near) {
    if (names.size() < kMost) names.push_back(std::move(name));
  }
  return names;
}

}  // namespace agenttalk
