#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

namespace agenttalk {

// How the values of an enum are spelled in files: one table for reading and writing.
template <typename E, std::size_t N>
using Spellings = std::array<std::pair<std::string_view, E>, N>;

template <typename E, std::size_t N>
constexpr std::string_view SpellingOf(const Spellings<E, N>& table, E value) {
  for (const auto& [spelling, candidate] : table) {
    if (candidate == value) return spelling;
  }
  return "";
}

template <typename E, std::size_t N>
constexpr std::optional<E> FindSpelling(const Spellings<E, N>& table, std::string_view text) {
  for (const auto& [spelling, value] : table) {
    if (spelling == text) return value;
  }
  return std::nullopt;
}

}  // namespace agenttalk
