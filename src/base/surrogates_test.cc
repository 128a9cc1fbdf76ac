#include "base/surrogates.h"

#include <gtest/gtest.h>

#include <boost/json/value.hpp>
#include <string>
#include <string_view>

namespace agenttalk {
namespace {

std::string Text(std::string_view json) {
  const auto value = ParsePieceJson(json);
  return value ? std::string(value->as_string()) : "refused";
}

TEST(Surrogates, HalvesOfTwoPiecesAreOneCharacter) {
  EXPECT_EQ(JoinHalves("a" + Text(R"("\ud83c")") + Text(R"("\udf0d")") + "b"), "a🌍b");
  EXPECT_EQ(JoinHalves(Text(R"("x\uD83C")") + Text(R"("\uDF0Dy")")), "x🌍y");
}

TEST(Surrogates, AHalfThatStaysAloneIsReplaced) {
  EXPECT_EQ(JoinHalves(Text(R"("\ud83c!")")), "\uFFFD!");
  EXPECT_EQ(JoinHalves(Text(R"("\udf0d\ud83c")")), "\uFFFD\uFFFD");
  EXPECT_EQ(ParseModelJson(R"({"a":"\ud83c"})")->at("a").as_string(), "\uFFFD");
}

TEST(Surrogates, WhatIsWholeStaysAsItIs) {
  EXPECT_EQ(JoinHalves(Text(R"("\ud83c\udf0d")")), "🌍");
  EXPECT_EQ(JoinHalves(Text(R"("\\ud83c")")), "\\ud83c") << "an escaped backslash, not an escape";
  EXPECT_EQ(WithoutHalves(R"("\ud83c\udf0d \\ud83c \u00e9")"), R"("\ud83c\udf0d \\ud83c \u00e9")");
  EXPECT_EQ(Text(R"("\ud83)"), "refused");
  EXPECT_EQ(Text(R"(["\ud83c")"), "refused");
}

}  // namespace
}  // namespace agenttalk
