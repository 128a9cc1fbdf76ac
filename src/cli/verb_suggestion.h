#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace agenttalk {

// Those of `known` that a person may have meant by `word`: near in spelling, or begun by it; nearest first.
std::vector<std::string> Suggestions(std::string_view word, std::span<const std::string> known);

}  // namespace agenttalk
