#include "cli/text/plain_number.h"

#include <gtest/gtest.h>

namespace agenttalk {
namespace {

TEST(PlainNumber, HasNoExponent) {
  EXPECT_EQ(PlainNumber(0), "0");
  EXPECT_EQ(PlainNumber(85), "85");
  EXPECT_EQ(PlainNumber(72.5), "72.5");
  EXPECT_EQ(PlainNumber(0.00001), "0.00001");
  EXPECT_EQ(PlainNumber(12345678), "12345678");
  EXPECT_EQ(PlainNumber(-0.0000000001), "0");
}

}  // namespace
}  // namespace agenttalk
