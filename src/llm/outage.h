#pragma once

#include <cstdint>
#include <string>

#include "base/time.h"
#include "base/timer.h"

namespace agenttalk {

// Notices that a provider fails for everybody, and then lets one call at a time find out whether it is back.
// Pure; the time is given.
class Outage {
 public:
  // So many failures in a row, of whichever calls, without a single answer between them.
  static constexpr std::uint32_t kFailuresInARow = 8;

  // True while calls must wait for a probe.
  [[nodiscard]] bool open() const { return failures_ >= kFailuresInARow; }
  // When the next probe may begin; only while it is open.
  [[nodiscard]] MonotonicTime next_probe() const { return next_probe_; }
  [[nodiscard]] std::uint32_t failures() const { return failures_; }
  // How many probes have failed: the waits between them grow.
  [[nodiscard]] std::uint32_t failed_probes() const { return failed_probes_; }

  void Answered() { *this = Outage(); }
  // `wait` passes before the next probe.
  void Failed(MonotonicTime now, Duration wait, std::string why);

  // "it has failed for everybody for 2m (12 calls); last: …"
  [[nodiscard]] std::string Describe(MonotonicTime now) const;

 private:
  std::uint32_t failures_ = 0;
  std::uint32_t failed_probes_ = 0;
  MonotonicTime since_{};
  MonotonicTime next_probe_{};
  std::string last_;
};

}  // namespace agenttalk
