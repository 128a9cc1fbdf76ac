#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>

#include "base/time.h"
#include "base/timer.h"

namespace agenttalk {

// How many requests and tokens may begin within any minute. It keeps what began in the last minute, so that
// no window of 60 seconds, wherever it starts, holds more than the limit: a bucket that refills would let
// twice as much through around its edge. Pure; the time is given.
class Pacer {
 public:
  static constexpr Duration kWindow = std::chrono::minutes(1);

  // 0: no limit.
  Pacer(std::uint32_t requests_per_minute, std::uint64_t tokens_per_minute);

  // When a request of that many tokens may begin, if nothing else does: `now` or later. One that is larger
  // than a whole minute's limit may begin when nothing else is in the window.
  [[nodiscard]] MonotonicTime EarliestStart(MonotonicTime now, std::uint64_t tokens);
  // It begins; the result names it. `tokens` should err on the high side.
  std::uint64_t Start(MonotonicTime now, std::uint64_t tokens);
  // What it really took.
  void Settle(std::uint64_t started, std::uint64_t tokens);
  // The provider wants to hear nothing until then.
  void PauseUntil(MonotonicTime when);
  [[nodiscard]] MonotonicTime paused_until() const { return paused_until_; }

 private:
  struct Begun {
    MonotonicTime at;
    std::uint64_t number = 0;
    std::uint64_t tokens = 0;
  };

  void Forget(MonotonicTime now);

  const std::uint32_t requests_;
  const std::uint64_t tokens_;
  std::deque<Begun> window_;     // oldest first
  std::uint64_t in_window_ = 0;  // tokens
  std::uint64_t started_ = 0;
  MonotonicTime paused_until_{};
};

// How many calls may be under way at once. Halved when the provider says that it is too much, and then raised
// by one for every round of successes, until it is what was configured. After an outage it begins with one
// and doubles with every round until it is half of what it was: a server that has just come back is not met
// by everybody at once.
class Throttle {
 public:
  explicit Throttle(std::uint32_t most) : most_(most), allowed_(most) {}

  [[nodiscard]] bool Admits(std::size_t under_way) const {
    return static_cast<double>(under_way) + 1 <= allowed_;
  }
  void OnSuccess();
  // Calls that were refused together count as one sign.
  void OnRefused(MonotonicTime now);
  // The provider fails for everybody.
  void OnOutage();
  [[nodiscard]] double allowed() const { return allowed_; }

 private:
  const double most_;
  double allowed_;
  double doubles_below_ = 0;
  MonotonicTime last_cut_{};
};

}  // namespace agenttalk
