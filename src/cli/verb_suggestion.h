#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace agenttalk {

// How many letters must be inserted, dropped, replaced or swapped with their neighbour to get from one to the
// other.
std::size_t EditDistance(std::string_view from, std::string_view to);

// Those of `known` that a person may have meant by `word`: near in spelling, or begun by it; nearest first.
std::vector<std::string> Suggestions(std::string_view word, std::span<const std::string> known);

}  // namespace agenttalk
