#include "base/utf8.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace agenttalk {
namespace {

// What may follow a lead byte: how many bytes, and the range of the first of them (the others are 80..BF).
struct Tail {
  std::size_t length = 0;
  std::uint8_t low = 0x80;
  std::uint8_t high = 0xBF;
};

constexpr Tail kNotALead{.length = 4};

Tail TailOf(std::uint8_t lead) {
  if (lead < 0xC2) return kNotALead;
  if (lead < 0xE0) return {.length = 1};
  if (lead == 0xE0) return {.length = 2, .low = 0xA0};
  if (lead == 0xED) return {.length = 2, .high = 0x9F};
  if (lead < 0xF0) return {.length = 2};
  if (lead == 0xF0) return {.length = 3, .low = 0x90};
  if (lead == 0xF4) return {.length = 3, .high = 0x8F};
  if (lead < 0xF4) return {.length = 3};
  return kNotALead;
}

bool TailMatches(std::string_view following, const Tail& tail) {
  if (tail.length == kNotALead.length || following.size() < tail.length) return false;
  const auto first = static_cast<std::uint8_t>(following[0]);
  if (first < tail.low || first > tail.high) return false;
  for (std::size_t i = 1; i < tail.length; ++i) {
    if ((static_cast<std::uint8_t>(following[i]) & 0xC0U) != 0x80U) return false;
  }
  return true;
}

}  // namespace

bool IsUtf8(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const auto lead = static_cast<std::uint8_t>(text[at++]);
    if (lead < 0x80) continue;
    const Tail tail = TailOf(lead);
    if (!TailMatches(text.substr(at), tail)) return false;
    at += tail.length;
  }
  return true;
}

}  // namespace agenttalk
