#include "mailbox/line_tail.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace agenttalk {
namespace {

TEST(InspectTail, FindsTheLastNumberAndHowOftenItIsThere) {
  const std::string log = "{\"seq\":1}\n{\"seq\":2,\"a\":1}\n{\"seq\":2,\"a\":2}\n";
  const LineTail tail = InspectTail(log, true);
  EXPECT_EQ(tail.good_bytes, log.size());
  EXPECT_EQ(tail.last_seq, 2U);
  EXPECT_EQ(tail.lines_of_last, 2U);
}

TEST(InspectTail, OfNothingIsNothing) {
  const LineTail tail = InspectTail("", true);
  EXPECT_EQ(tail.good_bytes, 0U);
  EXPECT_EQ(tail.last_seq, std::nullopt);
}

TEST(InspectTail, CutsOffWhatACrashLeaves) {
  const std::string good = "{\"seq\":1}\n";
  for (const std::string& damage :
       {std::string("{\"seq\":2"), std::string("{\"seq\":2}"), std::string("{\"se\n"), std::string(100, '\0'),
        std::string("{\"seq\":2,\"a\":\"\0\0\0\"}\n{\"seq\":3}\n", 31), std::string("\0\n", 2),
        std::string("\n")}) {
    const LineTail tail = InspectTail(good + damage, true);
    EXPECT_EQ(tail.good_bytes, good.size()) << damage;
    EXPECT_EQ(tail.last_seq, 1U) << damage;
  }
}

TEST(InspectTail, KeepsLinesThatSomebodyElseWrote) {
  const std::string log = "{\"seq\":1}\n{\"note\":\"mine\"}\n";
  const LineTail tail = InspectTail(log, true);
  EXPECT_EQ(tail.good_bytes, log.size());
  EXPECT_EQ(tail.last_seq, 1U);
  EXPECT_EQ(tail.lines_of_last, 1U);
}

TEST(InspectTail, DoesNotJudgeALineWhoseBeginningItDoesNotSee) {
  const std::string window = "cut\"}\n";
  EXPECT_EQ(InspectTail(window, false).good_bytes, window.size());
  EXPECT_EQ(InspectTail(window, true).good_bytes, 0U);
}

}  // namespace
}  // namespace agenttalk
