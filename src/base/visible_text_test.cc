#include "base/visible_text.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <string>

#include "base/json.h"

namespace agenttalk {
namespace {

TEST(VisibleText, ShowsWhatWouldSteerATerminal) {
  EXPECT_EQ(VisibleText("a\x1b[2Jb"), "a\\u001b[2Jb");
  EXPECT_EQ(VisibleText("bell\x07 back\x08 cr\r del\x7f"), "bell\\u0007 back\\u0008 cr\\u000d del\\u007f");
  EXPECT_EQ(VisibleText("c1 \xC2\x9B"
                        "31m \xC2\x9D"),
            "c1 \\u009b31m \\u009d");
  EXPECT_EQ(VisibleText("\xE2\x80\xAE"
                        "txt.exe \xE2\x81\xA6"),
            "\\u202etxt.exe \\u2066");
  EXPECT_EQ(VisibleText("\xF3\xA0\x81\x81"), "\\udb40\\udc41");
}

TEST(VisibleText, LeavesTextAsItIs) {
  EXPECT_EQ(VisibleText("two\nlines\tand 中文, naïve, 👩‍🔬"),
            "two\nlines\tand 中文, naïve, 👩‍🔬");
  EXPECT_EQ(VisibleText(""), "");
}

TEST(VisibleText, ReplacesBytesThatAreNotUtf8) {
  EXPECT_EQ(VisibleText("a\x9b"
                        "b\xff"),
            "a\xEF\xBF\xBD"
            "b\xEF\xBF\xBD");
}

TEST(VisibleText, LeavesTheMeaningOfJson) {
  const boost::json::value value{{"a\x1b", "b\xC2\x9B\xE2\x80\xAE\x7f\xF3\xA0\x81\x81\\"}};
  const std::string text = boost::json::serialize(value);
  EXPECT_NE(VisibleText(text), text);
  EXPECT_EQ(ParseJson(VisibleText(text)).value(), value);
}

TEST(VisibleLine, IsOneLine) {
  EXPECT_EQ(VisibleLine("one\ntwo\tthree\x1b"), "one two three\\u001b");
}

}  // namespace
}  // namespace agenttalk
