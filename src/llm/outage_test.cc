#include "llm/outage.h"

#include <gtest/gtest.h>

#include <chrono>

#include "base/timer.h"

namespace agenttalk {
namespace {

using namespace std::chrono_literals;

TEST(Outage, BeginsAfterManyFailuresInARowAndEndsWithAnAnswer) {
  Outage outage;
  const MonotonicTime start{1h};
  for (int i = 0; i < 7; ++i) outage.Failed(start, 500ms, "refused");
  EXPECT_FALSE(outage.open());
  outage.Answered();
  for (int i = 0; i < 7; ++i) outage.Failed(start, 500ms, "refused");
  EXPECT_FALSE(outage.open());
  outage.Failed(start + 2min, 500ms, "reset");
  EXPECT_TRUE(outage.open());
  EXPECT_EQ(outage.next_probe(), start + 2min + 500ms);
  EXPECT_EQ(outage.Describe(start + 3min), "it has failed for everybody for 3m (8 calls); last: reset");
  outage.Answered();
  EXPECT_FALSE(outage.open());
}

TEST(Outage, OnlyProbesMoveTheNextProbe) {
  Outage outage;
  const MonotonicTime start{1h};
  for (int i = 0; i < 64; ++i) outage.Failed(start, 500ms, "refused");
  EXPECT_EQ(outage.failed_probes(), 0U);
  EXPECT_EQ(outage.next_probe(), start + 500ms);
  outage.Failed(start + 600ms, 1s, "refused");
  EXPECT_EQ(outage.failed_probes(), 1U);
  EXPECT_EQ(outage.next_probe(), start + 1600ms);
}

}  // namespace
}  // namespace agenttalk
