#include "mailbox/deferrals.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "mailbox/file_system.h"

namespace agenttalk {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Verdict = Deferrals::Verdict;

constexpr Duration kHeartbeat = seconds(10);
const Timestamp kStart{seconds(1000)};

FileStat Sized(std::uint64_t size, std::int64_t mtime_ns = 1) {
  FileStat stat;
  stat.size = size;
  stat.mtime_ns = mtime_ns;
  return stat;
}

// Defers the file whenever it is due, as intake does; returns when it is given up.
Duration GivenUpAfter(const std::function<FileStat(Timestamp)>& looks) {
  Deferrals deferrals;
  Timestamp now = kStart;
  while (deferrals.Defer("x", looks(now), now, kHeartbeat) == Verdict::kWait) {
    now = *deferrals.NextDue();
    EXPECT_EQ(deferrals.TakeDue(now), std::vector<std::string>{"x"});
  }
  EXPECT_EQ(deferrals.size(), 0U);
  return now - kStart;
}

TEST(Deferrals, GiveUpAfterExactlyAHeartbeat) {
  EXPECT_EQ(GivenUpAfter([](Timestamp) { return Sized(5); }), kHeartbeat);
}

TEST(Deferrals, GiveAGrowingFileMoreTimeButNotForEver) {
  const auto growing_for = [](Duration time) {
    return GivenUpAfter([time](Timestamp now) {
      const auto elapsed = std::min<Duration>(now - kStart, time);
      return Sized(static_cast<std::uint64_t>(elapsed.count()));
    });
  };
  EXPECT_GE(growing_for(seconds(30)), seconds(35));
  EXPECT_LE(growing_for(seconds(30)), seconds(60));
  EXPECT_LE(growing_for(seconds(100000)), kHeartbeat * 70);
}

TEST(Deferrals, LookAgainSoonAndThenLessOften) {
  Deferrals deferrals;
  ASSERT_EQ(deferrals.Defer("x", Sized(1), kStart, kHeartbeat), Verdict::kWait);
  EXPECT_EQ(*deferrals.NextDue(), kStart + milliseconds(10));
  EXPECT_TRUE(deferrals.TakeDue(kStart + milliseconds(9)).empty());
  const Timestamp second = kStart + milliseconds(10);
  EXPECT_EQ(deferrals.TakeDue(second).size(), 1U);
  ASSERT_EQ(deferrals.Defer("x", Sized(1), second, kHeartbeat), Verdict::kWait);
  EXPECT_EQ(*deferrals.NextDue(), second + milliseconds(20));
}

TEST(Deferrals, DoNotMistakeAClockJumpForAHeartbeat) {
  Deferrals deferrals;
  ASSERT_EQ(deferrals.Defer("x", Sized(1), kStart, kHeartbeat), Verdict::kWait);
  EXPECT_EQ(deferrals.Defer("x", Sized(1), kStart + seconds(500), kHeartbeat), Verdict::kWait);
}

TEST(Deferrals, KnowHowLongAFileHasBeenQuiet) {
  Deferrals deferrals;
  EXPECT_EQ(deferrals.QuietFor("x", Sized(1), kStart), Duration::zero());
  (void)deferrals.Defer("x", Sized(1), kStart, kHeartbeat);
  EXPECT_EQ(deferrals.QuietFor("x", Sized(1), kStart + seconds(1)), seconds(1));
  EXPECT_EQ(deferrals.QuietFor("x", Sized(2), kStart + seconds(1)), Duration::zero());
  EXPECT_EQ(deferrals.QuietFor("x", Sized(1, 2), kStart + seconds(1)), Duration::zero());
}

TEST(Deferrals, ForgetFilesAndFolders) {
  Deferrals deferrals;
  for (const std::string path : {"a/x", "a/y", "ab/x"})
    (void)deferrals.Defer(path, Sized(1), kStart, kHeartbeat);
  deferrals.Forget("a/x");
  EXPECT_EQ(deferrals.size(), 2U);
  deferrals.ForgetFolder("a");
  EXPECT_EQ(deferrals.TakeDue(kStart + seconds(1)), std::vector<std::string>{"ab/x"});
  deferrals.Forget("ab/x");
  EXPECT_EQ(deferrals.NextDue(), std::nullopt);
}

}  // namespace
}  // namespace agenttalk
