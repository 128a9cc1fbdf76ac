#pragma once

#include "base/time.h"

namespace agenttalk {

// The wall clock. It may jump; the engine's time does not go back with it.
class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual Timestamp Now() const = 0;
};

class SystemClock final : public Clock {
 public:
  [[nodiscard]] Timestamp Now() const override {
    return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
  }
};

// Stands still until it is told to move.
class FakeClock final : public Clock {
 public:
  explicit FakeClock(Timestamp start) : now_(start) {}
  [[nodiscard]] Timestamp Now() const override { return now_; }
  void Advance(Duration by) { now_ += by; }
  void Set(Timestamp to) { now_ = to; }

 private:
  Timestamp now_;
};

}  // namespace agenttalk
