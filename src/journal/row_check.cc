#include "journal/row_check.h"

#include <fmt/format.h>

#include <cstdint>
#include <expected>

#include "base/digest.h"
#include "base/error.h"
#include "base/error_code.h"
#include "journal/journal.h"

namespace agenttalk {

Result<void> CheckContinues(const JournalRow& row, std::uint64_t last_event, std::uint64_t last_version) {
  if (row.version != last_version + 1) {
    return Fail(ErrorCode::kVersionConflict,
                fmt::format("row {} of stream '{}' was refused: its version {} must be {}", row.first_event,
                            row.stream.str(), row.version, last_version + 1));
  }
  if (row.first_event != last_event + 1 || row.event_count == 0) {
    return Fail(ErrorCode::kVersionConflict,
                fmt::format("row {} of stream '{}' was refused: {} events must continue event {}",
                            row.first_event, row.stream.str(), row.event_count, last_event));
  }
  return {};
}

Result<void> CheckCovered(const Snapshot& snapshot, std::uint64_t last_event, std::uint64_t last_version) {
  const bool covered = snapshot.version <= last_version && snapshot.last_event <= last_event;
  if (covered && snapshot.version > 0) return {};
  return Fail(ErrorCode::kVersionConflict,
              fmt::format("a snapshot of stream '{}' at version {} was refused: the stream is at {}",
                          snapshot.stream.str(), snapshot.version, last_version));
}

Error FencedError(std::uint64_t given, std::uint64_t current) {
  return Error{ErrorCode::kFenced,
               fmt::format("epoch {} may not write any more: the journal is in epoch {}", given, current),
               "another process has taken the hub over; this one must end"};
}

std::unexpected<Error> ContentMissing(const Digest& digest) {
  return Fail(ErrorCode::kNotFound, fmt::format("the journal holds no content {}", digest.Hex()));
}

}  // namespace agenttalk
