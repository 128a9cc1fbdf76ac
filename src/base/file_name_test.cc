#include "base/file_name.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace agenttalk {
namespace {

TEST(FileName, OfAnIncompleteFileIsIgnored) {
  for (const std::string_view name : {".x", "x.tmp", "x.json.part", "x~", "."}) {
    EXPECT_TRUE(IsIgnoredFileName(name)) << name;
    EXPECT_FALSE(IsInputName(name)) << name;
  }
  EXPECT_FALSE(IsIgnoredFileName("tmp"));
  EXPECT_FALSE(IsIgnoredFileName("x.tmp.md"));
}

TEST(FileName, OfAnInputIsOneSafeSegment) {
  EXPECT_TRUE(IsInputName("delivery_package.zip"));
  EXPECT_TRUE(IsInputName("7-Up.v1.md"));
  for (const std::string_view name :
       {"", "a/b", "../x", "a..b", "/etc/passwd", "a b", "-x", "_x", "a\n", "名.md"}) {
    EXPECT_FALSE(IsInputName(name)) << name;
  }
  EXPECT_TRUE(IsInputName(std::string(128, 'a')));
  EXPECT_FALSE(IsInputName(std::string(129, 'a')));
}

TEST(FileName, PatternsAreOneSegmentToo) {
  for (const std::string_view pattern : {"a.md", "*", "*.md", "feedback_*.json", "[a-z]?_[!0-9]*.md", "_*"}) {
    EXPECT_TRUE(IsInputPattern(pattern)) << pattern;
  }
  for (const std::string_view pattern : {"", "*/x", "../*", "*..*", ".*", "*.tmp", "*~", "* *", "*\\*"}) {
    EXPECT_FALSE(IsInputPattern(pattern)) << pattern;
  }
  EXPECT_FALSE(IsInputPattern(std::string(129, '*')));
}

TEST(FileName, OfAnOutputCanNeverBeACommandOrAMessage) {
  EXPECT_TRUE(IsOutputName("report.md"));
  EXPECT_FALSE(IsOutputName("cmd_x.json"));
  EXPECT_FALSE(IsOutputName("msg_x.json"));
  EXPECT_TRUE(IsInputName("msg_x.json"));
}

}  // namespace
}  // namespace agenttalk
