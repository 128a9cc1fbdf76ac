#include "base/suggestion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace agenttalk {
namespace {

// Longer words are not mistyped names, and comparing them would cost the square of their length.
constexpr std::size_t kLongestWord = 64;
// What is shorter begins too many names.
constexpr std::size_t kShortestBeginning = 4;

// camelCase, snake_case and kebab-case of one name look the same here.
std::string Folded(std::string_view word) {
  std::string out;
  for (const char c : word) {
    if (c == '_' || c == '-' || c == ' ') continue;
    out.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
  }
  return out;
}

}  // namespace

std::size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(before_last, last);
    std::swap(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::string_view NearestName(std::string_view word, std::span<const std::string_view> candidates) {
  if (word.empty() || word.size() > kLongestWord) return {};
  const std::string folded = Folded(word);
  std::string_view nearest;
  std::size_t smallest = 1 + std::max<std::size_t>(1, folded.size() / 3);
  for (const std::string_view candidate : candidates) {
    if (candidate.empty() || candidate.size() > kLongestWord) continue;
    const std::string other = Folded(candidate);
    const std::size_t distance = EditDistance(folded, other);
    if (distance < smallest && distance < std::max(folded.size(), other.size())) {
      smallest = distance;
      nearest = candidate;
    }
  }
  if (!nearest.empty() || folded.size() < kShortestBeginning) return nearest;
  // "budget" for "budget_usd".
  const auto begun = std::ranges::find_if(candidates, [&](std::string_view candidate) {
    return candidate.size() <= kLongestWord && Folded(candidate).starts_with(folded);
  });
  return begun == candidates.end() ? std::string_view() : *begun;
}

std::string DidYouMean(std::string_view word, std::span<const std::string_view> candidates) {
  const std::string_view nearest = NearestName(word, candidates);
  return nearest.empty() ? std::string() : fmt::format("did you mean \"{}\"?", nearest);
}

}  // namespace agenttalk
