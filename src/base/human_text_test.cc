#include "base/human_text.h"

#include <gtest/gtest.h>

#include <string>

namespace agenttalk {
namespace {

TEST(HumanText, StripsWhatSteersATerminalAndKeepsLines) {
  EXPECT_EQ(CleanHumanText("a\x1b[31mb\nc\td\x07"), "a[31mb\nc\td");
}

TEST(HumanText, MendsBytesThatAreNoText) {
  EXPECT_EQ(CleanHumanText("a\xff"), "a\xEF\xBF\xBD");
}

TEST(HumanText, HidesSecretsAlsoWhereTheyWouldBeCut) {
  const std::string secret = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789";
  const std::string clean = CleanHumanText("key " + secret, 20);
  EXPECT_EQ(clean.find("abcdefgh"), std::string::npos) << clean;
}

TEST(HumanText, SaysHowMuchIsLeftOut) {
  EXPECT_EQ(CleanHumanText("äbcdef", 3), "äb […4 bytes left out]");
}

}  // namespace
}  // namespace agenttalk
