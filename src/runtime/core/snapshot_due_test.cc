#include "runtime/core/snapshot_due.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

namespace agenttalk {
namespace {

// How many parts are written while a plan of one part a row grows to this size.
std::uint64_t PartsWritten(std::uint64_t size, std::uint64_t& most_folded) {
  std::uint64_t written = 0;
  std::uint64_t since = 0;
  for (std::uint64_t parts = 1; parts <= size; ++parts) {
    most_folded = std::max(most_folded, ++since);
    if (!IsSnapshotDue(since, parts)) continue;
    written += parts;
    since = 0;
  }
  return written;
}

TEST(SnapshotDue, SmallPlansHaveNone) {
  EXPECT_FALSE(IsSnapshotDue(1023, 1));
  EXPECT_TRUE(IsSnapshotDue(1024, 1));
  EXPECT_FALSE(IsSnapshotDue(1024, 2000));
  EXPECT_TRUE(IsSnapshotDue(2000, 2000));
}

TEST(SnapshotDue, AStartFoldsABoundedPartOfALargePlan) {
  for (const std::uint64_t size : {10'000UL, 130'000UL}) {
    std::uint64_t folded = 0;
    EXPECT_LE(PartsWritten(size, folded), kPartsWrittenInARow * size);
    EXPECT_LE(folded, kMostRowsToFold + 1);
  }
}

TEST(SnapshotDue, WritingThemTakesAFixedPartOfTheWorkHoweverLargeThePlan) {
  for (const std::uint64_t size : {1'000'000UL, 4'000'000UL}) {
    std::uint64_t folded = 0;
    EXPECT_LE(PartsWritten(size, folded), 5 * size);
    EXPECT_LE(folded, size / 4 + 1);
  }
}

}  // namespace
}  // namespace agenttalk
