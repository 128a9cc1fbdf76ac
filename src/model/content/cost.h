#pragma once

#include <cstdint>

namespace agenttalk {

struct Cost {
  std::uint64_t input_tokens = 0;
  std::uint64_t output_tokens = 0;
  std::uint64_t micro_usd = 0;
  std::uint64_t unpriced = 0;  // calls whose price nobody knows; micro_usd does not hold them

  bool operator==(const Cost&) const = default;
  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("input_tokens", self.input_tokens), f("output_tokens", self.output_tokens),
        f("micro_usd", self.micro_usd), f("unpriced", self.unpriced);
  }
};

}  // namespace agenttalk
