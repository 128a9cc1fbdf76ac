#pragma once

#include <cstdint>

#include "model/content/cost.h"

namespace agenttalk {

// How much more than was reserved for them a plan's model calls took, in thousandths; 1000: no more. Servers
// count tokens differently, and an estimate that was too low once is too low again.
struct Miscount {
  std::uint64_t input = 1000;
  std::uint64_t output = 1000;

  // Takes the outcome of a call into account.
  void Learn(const Cost& reserved, const Cost& used);
  // What has to be reserved where `estimate` is expected.
  [[nodiscard]] Cost Scaled(const Cost& estimate) const;

  bool operator==(const Miscount&) const = default;
  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("input", self.input), f("output", self.output);
  }
};

}  // namespace agenttalk
