#include "model/words/diagnostics.h"

#include <gtest/gtest.h>

#include "base/error_code.h"
#include "base/issue.h"
#include "base/language.h"

namespace agenttalk {
namespace {

constexpr Language kZh = Language::kChinese;

TEST(Diagnostics, AreToldInTheLanguageOfTheHub) {
  const Issue issue{ErrorCode::kFieldMissing, "/outputs/a.txt",
                    "the output a.txt is missing: each declared output must be given", "", 0};
  EXPECT_EQ(
      IssueWithHint(issue, Language::kEnglish),
      "FIELD_MISSING at /outputs/a.txt: the output a.txt is missing: each declared output must be given");
  EXPECT_EQ(IssueWithHint(issue, kZh),
            "FIELD_MISSING（/outputs/a.txt）：缺少输出 a.txt：声明过的输出都必须给出");
  const Issue hinted{ErrorCode::kTooLarge, "", "the answer has 9 bytes; 5 are allowed", "answer more briefly",
                     0};
  EXPECT_EQ(IssueWithHint(hinted, kZh), "TOO_LARGE：回答有 9 字节，最多允许 5 字节（请更简短地回答）");
}

TEST(Diagnostics, AValueThatIsAWordingIsToldToo) {
  EXPECT_EQ(Diagnostic("must be an array, not a string", kZh), "必须是数组，而不是字符串");
  EXPECT_EQ(Diagnostic("line 2, column 7: the text ends before the JSON value is complete", kZh),
            "第 2 行第 7 列：文本在 JSON 值完整之前就结束了");
  EXPECT_EQ(Diagnostic("line 1, column 3: the key \"a\" occurs twice in one object", kZh),
            "第 1 行第 3 列：键 \"a\" 在同一个对象中出现两次");
}

TEST(Diagnostics, OfTwoWordingsTheOneThatSaysMoreIsMeant) {
  EXPECT_EQ(Diagnostic("result is missing", kZh), "缺少 result");
  EXPECT_EQ(Diagnostic("score is missing: a number from 0 to 100 is required", kZh),
            "缺少 score：需要 0 到 100 的数字");
  EXPECT_EQ(Diagnostic("\"risk\" is missing", kZh), "缺少 \"risk\"");
}

TEST(Diagnostics, BracesAndUnknownTextsAreKept) {
  EXPECT_EQ(Diagnostic(R"(write {"command_name": "pass", "args": {}})", kZh),
            R"(请写 {"command_name": "pass", "args": {}})");
  EXPECT_EQ(Diagnostic("\"${a.{0}}\" is missing", kZh), "缺少 \"${a.{0}}\"");
  EXPECT_EQ(Diagnostic("Whatever a server says.", kZh), "Whatever a server says.");
  EXPECT_EQ(Diagnostic("", kZh), "");
}

}  // namespace
}  // namespace agenttalk
