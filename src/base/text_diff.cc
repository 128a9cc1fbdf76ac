#include "base/text_diff.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace agenttalk {
namespace {

// The table of common subsequences takes four bytes for each pair of lines.
constexpr std::size_t kMostPairs = 4'000'000;

using Lines = std::span<const std::string_view>;

std::vector<std::string_view> Split(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

void Remove(TextDiff& diff, std::string_view line) {
  ++diff.removed;
  diff.lines.push_back("-" + std::string(line));
}

void Add(TextDiff& diff, std::string_view line) {
  ++diff.added;
  diff.lines.push_back("+" + std::string(line));
}

void Compare(Lines before, Lines after, TextDiff& diff) {
  const std::size_t width = after.size() + 1;
  // The longest common subsequence of what is left from (i, j) on.
  std::vector<std::uint32_t> common((before.size() + 1) * width);
  for (std::size_t i = before.size(); i-- > 0;) {
    for (std::size_t j = after.size(); j-- > 0;) {
      common[i * width + j] = before[i] == after[j]
                                  ? common[(i + 1) * width + j + 1] + 1
                                  : std::max(common[(i + 1) * width + j], common[i * width + j + 1]);
    }
  }
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < before.size() && j < after.size()) {
    if (before[i] == after[j]) {
      ++i, ++j;
    } else if (common[(i + 1) * width + j] >= common[i * width + j + 1]) {
      Remove(diff, before[i++]);
    } else {
      Add(diff, after[j++]);
    }
  }
  while (i < before.size()) Remove(diff, before[i++]);
  while (j < after.size()) Add(diff, after[j++]);
}

}  // namespace

TextDiff DiffLines(std::string_view before, std::string_view after) {
  const std::vector<std::string_view> all_before = Split(before);
  const std::vector<std::string_view> all_after = Split(after);
  Lines a = all_before;
  Lines b = all_after;
  while (!a.empty() && !b.empty() && a.front() == b.front()) a = a.subspan(1), b = b.subspan(1);
  while (!a.empty() && !b.empty() && a.back() == b.back()) {
    a = a.first(a.size() - 1), b = b.first(b.size() - 1);
  }
  TextDiff diff;
  if ((a.size() + 1) * (b.size() + 1) <= kMostPairs) {
    Compare(a, b, diff);
    return diff;
  }
  for (const std::string_view line : a) Remove(diff, line);
  for (const std::string_view line : b) Add(diff, line);
  return diff;
}

}  // namespace agenttalk
