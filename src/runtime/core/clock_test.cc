#include "runtime/core/clock.h"

#include <gtest/gtest.h>

#include <chrono>

#include "base/time.h"

namespace agenttalk {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

class FakeClocks final : public ClockSource {
 public:
  [[nodiscard]] Timestamp Wall() const override { return wall; }
  [[nodiscard]] Duration Running() const override { return running; }
  void Pass(Duration time) { wall += time, running += time; }

  Timestamp wall{hours(24 * 20000)};
  Duration running = hours(3);
};

TEST(EngineClock, ASetWallClockNeitherFiresNorStopsTimers) {
  FakeClocks clocks;
  EngineClock clock(clocks);
  const Timestamp start = clock.Now();
  EXPECT_EQ(start, clocks.wall);
  clocks.wall += hours(48);
  EXPECT_EQ(clock.Now(), start);
  clocks.Pass(seconds(10));
  EXPECT_EQ(clock.Now(), start + seconds(10));
  clocks.wall -= hours(96);
  clocks.Pass(seconds(10));
  EXPECT_EQ(clock.Now(), start + seconds(20));
}

TEST(EngineClock, AJumpIsToldOnce) {
  FakeClocks clocks;
  EngineClock clock(clocks);
  clocks.Pass(hours(5));
  EXPECT_FALSE(clock.TakeJump());
  clocks.wall += hours(48);
  EXPECT_EQ(clock.TakeJump(), hours(48));
  EXPECT_FALSE(clock.TakeJump());
  clocks.wall -= hours(50);
  EXPECT_EQ(clock.TakeJump(), -hours(50));
  clocks.wall += seconds(2);
  EXPECT_FALSE(clock.TakeJump()) << "a correction that nobody notices";
}

TEST(EngineClock, GoesOnFromTheJournalsTimeWhenTheWallClockIsBehindIt) {
  FakeClocks clocks;
  EngineClock clock(clocks);
  const Timestamp recorded = clocks.wall + hours(48);
  clock.NotBefore(recorded);
  EXPECT_EQ(clock.Now(), recorded);
  EXPECT_FALSE(clock.TakeJump()) << "nobody has set the clock since the start";
  clocks.Pass(seconds(7));
  EXPECT_EQ(clock.Now(), recorded + seconds(7));
  clock.NotBefore(recorded);
  EXPECT_EQ(clock.Now(), recorded + seconds(7));
}

}  // namespace
}  // namespace agenttalk
