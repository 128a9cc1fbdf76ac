#include "base/text_template.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace agenttalk {
namespace {

using Names = std::vector<std::string>;

TEST(TextTemplate, ReplacesEveryOccurrence) {
  const Expansion out = ExpandTemplate("评估已完成，结果: {result}, 分数: {score}, {result}",
                                       {{"result", "好"}, {"score", "85"}});
  EXPECT_EQ(out.text, "评估已完成，结果: 好, 分数: 85, 好");
  EXPECT_TRUE(out.unknown.empty());
}

TEST(TextTemplate, NeverExpandsWhatComesInThroughAValue) {
  EXPECT_EQ(ExpandTemplate("{a}{b}", {{"a", "{b}"}, {"b", "{a}{c}"}}).text, "{b}{a}{c}");
  EXPECT_EQ(ExpandTemplate("{a}b}", {{"a", "{"}, {"b", "x"}}).text, "{b}");
}

TEST(TextTemplate, LeavesUnknownVariablesAndReportsEachOnce) {
  const Expansion out = ExpandTemplate("{x} {result} {y} {x}", {{"result", "r"}});
  EXPECT_EQ(out.text, "{x} r {y} {x}");
  EXPECT_EQ(out.unknown, (Names{"x", "y"}));
}

TEST(TextTemplate, TakesOtherBracesAsText) {
  for (const std::string text :
       {"{", "}", "{}", "{ result }", "{\"a\": 1}", "{1}", "{re sult}", "{result", "{{}"}) {
    const Expansion out = ExpandTemplate(text, {{"result", "r"}});
    EXPECT_EQ(out.text, text);
    EXPECT_TRUE(out.unknown.empty());
  }
  EXPECT_EQ(ExpandTemplate("{{result}}", {{"result", "r"}}).text, "{r}");
  EXPECT_EQ(ExpandTemplate("{re{result}", {{"result", "r"}}).text, "{rer");
}

TEST(TextTemplate, AnEmptyValueLeavesNothing) {
  EXPECT_EQ(ExpandTemplate("a{score}b", {{"score", ""}}).text, "ab");
}

TEST(TextTemplate, UnderstandsOtherBraces) {
  const Expansion out = ExpandTemplate("{{USER_GOAL}} {USER_GOAL} {{X}}", {{"USER_GOAL", "g"}}, {"{{", "}}"});
  EXPECT_EQ(out.text, "g {USER_GOAL} {{X}}");
  EXPECT_EQ(out.unknown, (Names{"X"}));
}

TEST(TextTemplate, ListsItsVariables) {
  EXPECT_EQ(TemplateVariables("{b} {a} {b} {1}"), (Names{"b", "a"}));
  EXPECT_EQ(TemplateVariables(""), Names{});
}

TEST(TextTemplate, IsLinearInVariables) {
  std::string text;
  for (int i = 0; i < 200000; ++i) text += "{v" + std::to_string(i) + "}";
  EXPECT_EQ(ExpandTemplate(text, {}).unknown.size(), 200000U);
}

TEST(TextTemplate, IsLinearInBraces) {
  const std::string braces(1000000, '{');
  EXPECT_EQ(ExpandTemplate(braces, {}).text, braces);
}

}  // namespace
}  // namespace agenttalk
