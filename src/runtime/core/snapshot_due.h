#pragma once

#include <algorithm>
#include <cstdint>

namespace agenttalk {

// A snapshot is worth its bytes when folding what came since the last one costs about as much.
inline constexpr std::uint64_t kFewestRowsBetweenSnapshots = 1024;
// And a start folds no more than takes half a second, unless the plan is so large that writing its snapshots
// would take more time than its work.
inline constexpr std::uint64_t kMostRowsToFold = 32'768;
inline constexpr std::uint64_t kPartsWrittenInARow = 4;

// Whether so many rows since a plan's last snapshot are enough for another one of so many parts (commands,
// tasks).
constexpr bool IsSnapshotDue(std::uint64_t rows, std::uint64_t parts) {
  const std::uint64_t most = std::max(kMostRowsToFold, parts / kPartsWrittenInARow);
  return rows >= std::max(kFewestRowsBetweenSnapshots, std::min(parts, most));
}

}  // namespace agenttalk
