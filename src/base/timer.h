#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "base/time.h"

namespace agenttalk {

// Time that only goes forward, for deadlines and pauses within a process.
using MonotonicTime = std::chrono::time_point<std::chrono::steady_clock, Duration>;

// Something that ends when it is destroyed: a timer, a watch.
class Registration {
 public:
  Registration() = default;
  virtual ~Registration() = default;
  Registration(const Registration&) = delete;
  Registration& operator=(const Registration&) = delete;
};

// The seam for waiting: real in Reactor, stepped by hand in FakeTimers.
class TimerService {
 public:
  virtual ~TimerService() = default;
  [[nodiscard]] virtual MonotonicTime Now() const = 0;
  // Calls back once, not before `when` and not from within this function. Destroying the result, which is
  // allowed inside the callback, cancels.
  [[nodiscard]] virtual std::unique_ptr<Registration> At(MonotonicTime when, std::function<void()> call) = 0;
};

}  // namespace agenttalk
