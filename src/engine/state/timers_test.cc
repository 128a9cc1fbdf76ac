#include "engine/state/timers.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "base/time.h"

namespace agenttalk {
namespace {

TEST(Timers, DropWhatHoldsNoMoreAndKeepTheOrder) {
  Timers timers;
  const auto is_stale = [](const Timers::Entry& entry) { return entry.plan != 7; };
  for (std::uint32_t i = 0; i < 100'000; ++i) {
    const auto due = Timestamp(std::chrono::seconds(200'000 - i));
    timers.Add({.due = due, .plan = i % 1000 == 0 ? 7U : 8U, .command = i, .question = 0});
    timers.DropStale(is_stale);
    EXPECT_LE(timers.size(), std::size_t{5000});
  }
  std::uint32_t last = 100'000;
  std::size_t count = 0;
  while (const auto due = timers.Pop(Timestamp::max())) {
    EXPECT_LT(due->command, last) << "the earliest first";
    last = due->command;
    if (!is_stale(*due)) ++count;
  }
  EXPECT_EQ(count, 100U);
}

}  // namespace
}  // namespace agenttalk
