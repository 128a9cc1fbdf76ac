#include "base/utf8.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace agenttalk {
namespace {

using namespace std::string_view_literals;

TEST(Utf8, AcceptsEveryLengthOfCharacter) {
  EXPECT_EQ(Utf8SequenceLength("a"), 1U);
  EXPECT_EQ(Utf8SequenceLength("\xC3\xA9"), 2U);
  EXPECT_EQ(Utf8SequenceLength("名"), 3U);
  EXPECT_EQ(Utf8SequenceLength("\xF0\x9F\x98\x80"), 4U);
  EXPECT_TRUE(IsUtf8("a\xC3\xA9名\xF0\x9F\x98\x80"));
  EXPECT_TRUE(IsUtf8(""));
}

TEST(Utf8, AcceptsTheFirstAndLastCharacterOfEveryLength) {
  for (const auto text :
       {""sv, "\0\x7F"sv, "\xC2\x80\xDF\xBF"sv, "\xE0\xA0\x80\xED\x9F\xBF\xEE\x80\x80\xEF\xBF\xBF"sv,
        "\xF0\x90\x80\x80\xF4\x8F\xBF\xBF"sv}) {
    EXPECT_TRUE(IsUtf8(text));
  }
}

TEST(Utf8, IsCheckedAtEveryPlaceOfALongText) {
  for (std::size_t before = 0; before < 20; ++before) {
    for (std::size_t after = 0; after < 20; ++after) {
      const std::string head(before, 'a');
      const std::string tail(after, 'z');
      EXPECT_TRUE(IsUtf8(head + "\xC3\xA9" + tail));
      EXPECT_FALSE(IsUtf8(head + "\xC3" + tail));
      EXPECT_FALSE(IsUtf8(head + "\xA9" + tail));
    }
  }
}

TEST(Utf8, RefusesOverlongFormsSurrogatesAndWhatIsAboveUnicode) {
  for (const auto text : {"\xC0\x80"sv, "\xC1\xBF"sv, "\xE0\x9F\xBF"sv, "\xED\xA0\x80"sv,
                          "\xF0\x8F\xBF\xBF"sv, "\xF4\x90\x80\x80"sv, "\xF5\x80\x80\x80"sv, "\xFF"sv}) {
    EXPECT_FALSE(IsUtf8(text));
  }
}

TEST(Utf8, RefusesCutAndStrayBytes) {
  for (const auto text :
       {"\x80"sv, "a\xC3"sv, "\xE4\xBD"sv, "\xE4\xBD\x41"sv, "\xF0\x9F\x98"sv, "\xC3\x28"sv}) {
    EXPECT_FALSE(IsUtf8(text));
  }
}

TEST(Utf8, ReplacesBadBytesAndKeepsTheRest) {
  EXPECT_EQ(ToValidUtf8("a\xFF名\xE5\x90"), "a\xEF\xBF\xBD名\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(ToValidUtf8("fine"), "fine");
}

TEST(Utf8, PrefixNeverCutsACharacter) {
  const std::string text =
      "a名\xF0\x9F\x98\x80"
      "b";
  EXPECT_EQ(Utf8Prefix(text, 0), "");
  EXPECT_EQ(Utf8Prefix(text, 1), "a");
  EXPECT_EQ(Utf8Prefix(text, 3), "a");
  EXPECT_EQ(Utf8Prefix(text, 4), "a名");
  EXPECT_EQ(Utf8Prefix(text, 7), "a名");
  EXPECT_EQ(Utf8Prefix(text, 100), text);
}

TEST(Blank, IsWhiteSpaceOfAnyWidth) {
  EXPECT_TRUE(IsBlank(""));
  EXPECT_TRUE(IsBlank(" \t\r\n\v\f"));
  EXPECT_TRUE(IsBlank("\xE3\x80\x80\xC2\xA0"));
  EXPECT_FALSE(IsBlank(" x "));
  EXPECT_FALSE(IsBlank("。"));
  EXPECT_FALSE(IsBlank("\xFF"));
}

TEST(Controls, AreDroppedExceptNewlineAndTab) {
  EXPECT_EQ(WithoutControls("a\x1B[31mb\tc\nd\r\x7F\xC2\x9B"
                            "e名"),
            "a[31mb\tc\nde名");
}

}  // namespace
}  // namespace agenttalk
