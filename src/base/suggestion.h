#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace agenttalk {

// Insertions, deletions, replacements and swaps of neighbours that turn one word into the other.
std::size_t EditDistance(std::string_view a, std::string_view b);

// The candidate that was probably meant by `word` ("planId" → "plan_id"), or "" when none is near.
std::string_view NearestName(std::string_view word, std::span<const std::string_view> candidates);

// `did you mean "plan_id"?`, or "" when no candidate is near: ready to be a hint.
std::string DidYouMean(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace agenttalk
