#include "base/suggestion.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>

namespace agenttalk {
namespace {

constexpr std::array<std::string_view, 5> kNames = {"plan_id", "task_id", "prompt", "timeout", "retry_times"};

TEST(EditDistance, CountsSingleChanges) {
  EXPECT_EQ(EditDistance("", ""), 0U);
  EXPECT_EQ(EditDistance("", "abc"), 3U);
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3U);
  EXPECT_EQ(EditDistance("timeout", "timeuot"), 1U);
  EXPECT_EQ(EditDistance("abc", "abc"), 0U);
}

TEST(NearestName, FindsTheMistypedName) {
  EXPECT_EQ(NearestName("promt", kNames), "prompt");
  EXPECT_EQ(NearestName("time_out", kNames), "timeout");
  EXPECT_EQ(NearestName("retry_time", kNames), "retry_times");
}

TEST(NearestName, SeesThroughOtherSpellingHabits) {
  EXPECT_EQ(NearestName("planId", kNames), "plan_id");
  EXPECT_EQ(NearestName("PLAN-ID", kNames), "plan_id");
}

TEST(NearestName, StaysSilentWhenNothingIsNear) {
  EXPECT_EQ(NearestName("colour", kNames), "");
  EXPECT_EQ(NearestName("x", kNames), "");
  EXPECT_EQ(NearestName("", kNames), "");
  EXPECT_EQ(NearestName(std::string(100000, 'p'), kNames), "");
  EXPECT_EQ(NearestName("promt", {}), "");
}

TEST(DidYouMean, IsAQuestionOrNothing) {
  EXPECT_EQ(DidYouMean("promt", kNames), "did you mean \"prompt\"?");
  EXPECT_EQ(DidYouMean("colour", kNames), "");
}

}  // namespace
}  // namespace agenttalk
