#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "base/error.h"
#include "base/ids.h"
#include "journal/journal.h"
#include "model/events/event.h"

namespace agenttalk {

// Which rows of a stream are read.
struct ReplayRange {
  std::uint64_t after_version = 0;
  std::uint64_t until_event = UINT64_MAX;  // rows that begin later are left out
};

// Hands the events of a stream to `apply`, in order and in parts, with the version that the stream has after
// each part. The rows of a long stream are read and decoded on a thread of their own while the caller applies
// those before. How much sooner a start is ready depends on whether the machine has a processor to spare.
Result<void> ReplayStream(Journal& journal, const PlanId& stream, const ReplayRange& range,
                          const std::function<void(std::span<const Event>, std::uint64_t version)>& apply);

}  // namespace agenttalk
