#include "runtime/core/clock.h"

#include <time.h>  // NOLINT(modernize-deprecated-headers): clock_gettime is POSIX

#include <chrono>
#include <optional>

#include "base/time.h"

namespace agenttalk {
namespace {

// Clocks are slewed all the time; only what somebody would notice is a jump.
constexpr Duration kNoticed = std::chrono::seconds(5);

}  // namespace

Timestamp MachineClocks::Wall() const {
  return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
}

Duration MachineClocks::Running() const {
  timespec time{};
  ::clock_gettime(CLOCK_BOOTTIME, &time);
  return std::chrono::duration_cast<Duration>(std::chrono::seconds(time.tv_sec) +
                                              std::chrono::nanoseconds(time.tv_nsec));
}

void EngineClock::NotBefore(Timestamp time) {
  const Timestamp now = Now();
  if (time <= now) return;
  ahead_ -= time - now;
  start_ += time - now;
}

std::optional<Duration> EngineClock::TakeJump() {
  const Duration ahead = source_.Wall() - Now();
  const Duration jump = ahead - ahead_;
  if (jump < kNoticed && jump > -kNoticed) return std::nullopt;
  ahead_ = ahead;
  return jump;
}

}  // namespace agenttalk
