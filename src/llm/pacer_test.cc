#include "llm/pacer.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "base/time.h"
#include "base/timer.h"

namespace agenttalk {
namespace {

using namespace std::chrono_literals;

const MonotonicTime kStart{std::chrono::hours(5)};

TEST(Pacer, LetsEverythingThroughWithoutLimits) {
  Pacer pacer(0, 0);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(pacer.EarliestStart(kStart, 1'000'000), kStart);
    pacer.Start(kStart, 1'000'000);
  }
}

TEST(Pacer, HoldsTheNextRequestUntilTheOldestIsAMinuteAgo) {
  Pacer pacer(2, 0);
  pacer.Start(kStart, 1);
  pacer.Start(kStart + 10s, 1);
  EXPECT_EQ(pacer.EarliestStart(kStart + 20s, 1), kStart + 60s);
  pacer.Start(kStart + 60s, 1);
  EXPECT_EQ(pacer.EarliestStart(kStart + 60s, 1), kStart + 70s);
}

TEST(Pacer, CountsWhatARequestReallyTook) {
  Pacer pacer(0, 100);
  const std::uint64_t first = pacer.Start(kStart, 90);
  EXPECT_EQ(pacer.EarliestStart(kStart, 20), kStart + 60s);
  pacer.Settle(first, 30);
  EXPECT_EQ(pacer.EarliestStart(kStart, 20), kStart);
  pacer.Settle(12345, 1);
}

TEST(Pacer, LetsARequestThatIsLargerThanTheLimitThroughAlone) {
  Pacer pacer(0, 100);
  EXPECT_EQ(pacer.EarliestStart(kStart, 500), kStart);
  pacer.Start(kStart, 500);
  EXPECT_EQ(pacer.EarliestStart(kStart + 1s, 1), kStart + 60s);
}

TEST(Pacer, KeepsStillWhenTheProviderAsksForIt) {
  Pacer pacer(0, 0);
  pacer.PauseUntil(kStart + 7s);
  pacer.PauseUntil(kStart + 3s);
  EXPECT_EQ(pacer.EarliestStart(kStart, 1), kStart + 7s);
}

// Requests that want to begin as soon as they may, at random times and of random size.
TEST(Pacer, NoMinuteHoldsMoreThanTheLimitWhereverItStarts) {
  constexpr std::uint32_t kRequests = 20;
  constexpr std::uint64_t kTokens = 1000;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::mt19937 random(seed);
    Pacer pacer(kRequests, kTokens);
    MonotonicTime now = kStart;
    std::vector<std::pair<MonotonicTime, std::uint64_t>> begun;
    for (int i = 0; i < 400; ++i) {
      now += std::chrono::milliseconds(random() % 3 == 0 ? random() % 20'000 : 0);
      const std::uint64_t tokens = 1 + random() % 200;
      now = pacer.EarliestStart(now, tokens);
      EXPECT_EQ(pacer.EarliestStart(now, tokens), now);
      pacer.Start(now, tokens);
      begun.emplace_back(now, tokens);
    }
    for (std::size_t first = 0; first < begun.size(); ++first) {
      std::size_t count = 0;
      std::uint64_t sum = 0;
      for (std::size_t i = first; i < begun.size() && begun[i].first < begun[first].first + 60s; ++i) {
        ++count;
        sum += begun[i].second;
      }
      ASSERT_LE(count, kRequests) << "seed " << seed;
      ASSERT_LE(sum, kTokens) << "seed " << seed;
    }
  }
}

TEST(Throttle, HalvesOnceForRefusalsThatComeTogetherAndRecovers) {
  Throttle throttle(8);
  EXPECT_TRUE(throttle.Admits(7));
  EXPECT_FALSE(throttle.Admits(8));
  throttle.OnRefused(kStart);
  throttle.OnRefused(kStart + 10ms);
  EXPECT_EQ(throttle.allowed(), 4);
  for (int i = 0; i < 5; ++i) throttle.OnRefused(kStart + std::chrono::seconds(2 * (i + 1)));
  EXPECT_EQ(throttle.allowed(), 1);
  EXPECT_TRUE(throttle.Admits(0));
  for (int i = 0; i < 100; ++i) throttle.OnSuccess();
  EXPECT_EQ(throttle.allowed(), 8);
}

}  // namespace
}  // namespace agenttalk
