#include "cli/suggestion.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace agenttalk {

std::size_t EditDistance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> before_last;
  std::vector<std::size_t> last(to.size() + 1);
  std::iota(last.begin(), last.end(), 0);
  for (std::size_t i = 1; i <= from.size(); ++i) {
    std::vector<std::size_t> row(to.size() + 1, i);
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last = std::exchange(last, std::move(row));
  }
  return last[to.size()];
}

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
