#include "llm/outage.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "base/time.h"
#include "base/timer.h"

namespace agenttalk {

void Outage::Failed(MonotonicTime now, Duration wait, std::string why) {
  const bool was_open = open();
  if (failures_++ == 0) since_ = now;
  last_ = std::move(why);
  // Calls that began before it was noticed end together; only what a probe says moves the next one.
  if (was_open && now < next_probe_) return;
  if (was_open) ++failed_probes_;
  next_probe_ = now + wait;
}

std::string Outage::Describe(MonotonicTime now) const {
  return fmt::format("it has failed for everybody for {} ({} calls); last: {}", ToText(now - since_),
                     failures_, last_);
}

}  // namespace agenttalk
