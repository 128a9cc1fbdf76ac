#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace agenttalk {

// How one text became another, by lines.
struct TextDiff {
  std::size_t added = 0;
  std::size_t removed = 0;
  std::vector<std::string> lines;  // "-gone" and "+come", in order, without what both have
};

// Fewest changes where the part that differs is of ordinary size; of very long ones everything between the
// common beginning and the common end counts as replaced.
TextDiff DiffLines(std::string_view before, std::string_view after);

}  // namespace agenttalk
