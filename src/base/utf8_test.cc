#include "base/utf8.h"

#include <gtest/gtest.h>

#include <string_view>

namespace agenttalk {
namespace {

using namespace std::string_view_literals;

TEST(Utf8, AcceptsTheFirstAndLastCharacterOfEveryLength) {
  for (const auto text :
       {""sv, "\0\x7F"sv, "\xC2\x80\xDF\xBF"sv, "\xE0\xA0\x80\xED\x9F\xBF\xEE\x80\x80\xEF\xBF\xBF"sv,
        "\xF0\x90\x80\x80\xF4\x8F\xBF\xBF"sv}) {
    EXPECT_TRUE(IsUtf8(text));
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

}  // namespace
}  // namespace agenttalk
