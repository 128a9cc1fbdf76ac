#pragma once

#include <optional>

#include "base/time.h"

namespace agenttalk {

// The time that timers and events go by.
class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual Timestamp Now() const = 0;
};

// The machine's clocks: one that people set, and one that only runs.
class ClockSource {
 public:
  virtual ~ClockSource() = default;
  [[nodiscard]] virtual Timestamp Wall() const = 0;
  // Since some moment in the past; counts on while the machine sleeps, and never jumps.
  [[nodiscard]] virtual Duration Running() const = 0;
};

class MachineClocks final : public ClockSource {
 public:
  [[nodiscard]] Timestamp Wall() const override;
  [[nodiscard]] Duration Running() const override;
};

// Reads the wall clock once, at the start of the process, and then follows the one that only runs: when the
// wall clock is set, no timer fires early and none stops.
class EngineClock final : public Clock {
 public:
  explicit EngineClock(const ClockSource& source)
      : source_(source), start_(source.Wall()), started_(source.Running()) {}

  [[nodiscard]] Timestamp Now() const override { return start_ + (source_.Running() - started_); }
  // The journal knows a later time: the wall clock was set back between two processes. Time goes on from
  // there instead of standing still until the wall clock has caught up.
  void NotBefore(Timestamp time);
  // By how much the wall clock was set since this was last asked; nothing: it only ran.
  std::optional<Duration> TakeJump();

 private:
  const ClockSource& source_;
  Timestamp start_;
  const Duration started_;
  Duration ahead_{};  // the wall clock's lead over this one when it was last looked at
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
