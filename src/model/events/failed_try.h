#pragma once

#include <cstdint>
#include <string>

namespace agenttalk {

// A request of one model call that brought no answer and was sent again.
struct FailedTry {
  std::uint64_t at_ms = 0;    // after the call began
  std::uint64_t took_ms = 0;  // until the failure was known
  std::uint64_t status = 0;   // HTTP; 0: there was none
  std::string message;

  bool operator==(const FailedTry&) const = default;
  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("at_ms", self.at_ms), f("took_ms", self.took_ms), f("status", self.status), f("message", self.message);
  }
};

}  // namespace agenttalk
