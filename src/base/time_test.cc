#include "base/time.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>

namespace agenttalk {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

TEST(Rfc3339, LeavesOutAZeroFraction) {
  EXPECT_EQ(ToRfc3339(Timestamp(Duration(0))), "1970-01-01T00:00:00Z");
  EXPECT_EQ(ToRfc3339(Timestamp(Duration(1))), "1970-01-01T00:00:00.000001Z");
  EXPECT_EQ(ToRfc3339(Timestamp(Duration(-1))), "1969-12-31T23:59:59.999999Z");
}

TEST(Rfc3339, ReadsBackWhatItWrites) {
  for (const std::int64_t count :
       {0LL, 1LL, -1LL, 1794744101000123LL, 951782399999999LL, 253402300799999999LL}) {
    const Timestamp time{Duration(count)};
    EXPECT_EQ(ParseRfc3339(ToRfc3339(time)), time) << ToRfc3339(time);
  }
}

TEST(Rfc3339, UnderstandsOffsetsFractionsAndLeapSeconds) {
  const auto noon = ParseRfc3339("2026-11-15T12:00:00Z");
  ASSERT_TRUE(noon);
  EXPECT_EQ(ParseRfc3339("2026-11-15T20:00:00+08:00"), noon);
  EXPECT_EQ(ParseRfc3339("2026-11-15t06:30:00-05:30"), noon);
  EXPECT_EQ(ParseRfc3339("2026-11-15 12:00:00.5z"), *noon + milliseconds(500));
  EXPECT_EQ(ParseRfc3339("2026-11-15T12:00:00.1234567891234567890123Z"), *noon + Duration(123456));
  EXPECT_EQ(ParseRfc3339("2026-11-15T11:59:60Z"), noon);
}

TEST(Rfc3339, RefusesEverythingElse) {
  for (const char* text :
       {"", "2026", "2026-11-15", "2026-11-15T12:00:00", "2026-02-29T12:00:00Z", "2026-13-01T00:00:00Z",
        "2026-11-15T24:00:00Z", "2026-11-15T12:60:00Z", "2026-11-15T12:00:61Z", "2026-11-15T12:00:00.Z",
        "2026-11-15T12:00:00Zx", "2026-11-15T12:00:00+0800", "26-11-15T12:00:00Z", "-026-11-15T12:00:00Z"}) {
    EXPECT_FALSE(ParseRfc3339(text)) << text;
  }
}

TEST(ParsedDuration, TakesOneNumberWithAUnitOrSeconds) {
  EXPECT_EQ(ParseDuration("50ms"), milliseconds(50));
  EXPECT_EQ(ParseDuration("10s"), seconds(10));
  EXPECT_EQ(ParseDuration("10m"), minutes(10));
  EXPECT_EQ(ParseDuration("2h"), hours(2));
  EXPECT_EQ(ParseDuration("1d"), hours(24));
  EXPECT_EQ(ParseDuration("90"), seconds(90));
  EXPECT_EQ(ParseDuration("1.5"), milliseconds(1500));
  EXPECT_EQ(ParseDuration("0"), seconds(0));
}

TEST(ParsedDuration, TakesSeveralParts) {
  EXPECT_EQ(ParseDuration("1h30m"), minutes(90));
  EXPECT_EQ(ParseDuration("2m 5s"), seconds(125));
}

TEST(ParsedDuration, RefusesEverythingElse) {
  for (const char* text : {"", " ", "s", "-5s", "+5s", "5 s", "5x", "5S", "1e3", "nan", "inf", "5s ",
                           "5s  5s", "10m5", "1e999", "99999999999999999999d", "0x10", ".5s", "ten"}) {
    EXPECT_FALSE(ParseDuration(text)) << text;
  }
}

TEST(DurationText, IsShort) {
  EXPECT_EQ(ToText(Duration(0)), "0s");
  EXPECT_EQ(ToText(Duration(12)), "12us");
  EXPECT_EQ(ToText(milliseconds(50)), "50ms");
  EXPECT_EQ(ToText(milliseconds(1500)), "1.5s");
  EXPECT_EQ(ToText(seconds(10)), "10s");
  EXPECT_EQ(ToText(seconds(125)), "2m 5s");
  EXPECT_EQ(ToText(seconds(120)), "2m");
  EXPECT_EQ(ToText(minutes(62)), "1h 2m");
  EXPECT_EQ(ToText(hours(50)), "2d 2h");
  EXPECT_EQ(ToText(-milliseconds(50)), "-50ms");
  EXPECT_TRUE(ToText(Duration::min()).starts_with("-106751991d"));
}

TEST(DurationText, ReadsBackWhenNothingWasRounded) {
  for (const auto duration :
       {Duration(0), Duration(12), Duration(milliseconds(50)), Duration(seconds(125))}) {
    EXPECT_EQ(ParseDuration(ToText(duration)), duration);
  }
}

}  // namespace
}  // namespace agenttalk
