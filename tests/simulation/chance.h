#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace agenttalk {

// All the chance of one simulated run. Only operations whose result is the same everywhere.
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : engine_(seed) {}

  // From 0 to limit - 1.
  std::uint64_t Below(std::uint64_t limit) { return limit == 0 ? 0 : engine_() % limit; }
  bool OneIn(std::uint64_t n) { return Below(n) == 0; }
  template <typename T>
  const T& Pick(const std::vector<T>& choices) {
    return choices[static_cast<std::size_t>(Below(choices.size()))];
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace agenttalk
