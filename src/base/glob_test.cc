#include "base/glob.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace agenttalk {
namespace {

struct Case {
  std::string_view pattern;
  std::string_view name;
  bool matches;
};

TEST(Glob, MatchesTheWholeNameAndItsCase) {
  const std::vector<Case> cases = {
      {"", "", true},
      {"", "a", false},
      {"a", "a", true},
      {"a", "A", false},
      {"a", "ab", false},
      {"ab", "a", false},
      {"*", "", true},
      {"*", "abc", true},
      {"a*", "a", true},
      {"*c", "abc", true},
      {"a*c", "abbbc", true},
      {"a*c", "abcb", false},
      {"*b*", "abc", true},
      {"**", "x", true},
      {"a**c", "abc", true},
      {"?", "a", true},
      {"?", "", false},
      {"??", "a", false},
      {"a?c", "abc", true},
      {"*?", "", false},
      {"*?", "a", true},
      {"feedback_*.json", "feedback_agent_a.json", true},
      {"feedback_*.json", "feedback_agent_a.jso", false},
      {"a*b*c", "a-b-b-c-c", true},
  };
  for (const auto& [pattern, name, matches] : cases) {
    EXPECT_EQ(GlobMatches(pattern, name), matches) << pattern << " " << name;
  }
}

TEST(Glob, MatchesSetsRangesAndNegations) {
  const std::vector<Case> cases = {
      {"[abc]", "b", true},   {"[abc]", "d", false},
      {"[a-c]", "b", true},   {"[a-c]", "-", false},
      {"[c-a]", "b", false},  {"[a-]", "-", true},
      {"[-a]", "-", true},    {"[!a]", "b", true},
      {"[!a]", "a", false},   {"[^a]", "b", true},
      {"[^a-c]", "b", false}, {"[]a]", "]", true},
      {"[!]a]", "]", false},  {"[!]a]", "x", true},
      {"[a!]", "!", true},    {"x[0-9][0-9].md", "x07.md", true},
      {"[*]", "*", true},     {"[*]", "a", false},
      {"[?]", "?", true},     {"[a-cx-z]", "y", true},
      {"[]-a]", "^", true},
  };
  for (const auto& [pattern, name, matches] : cases) {
    EXPECT_EQ(WildcardMatches(pattern, name), matches) << pattern << " " << name;
  }
}

TEST(Glob, TakesABracketThatIsNeverClosedAsItself) {
  EXPECT_TRUE(WildcardMatches("a[b", "a[b"));
  EXPECT_TRUE(WildcardMatches("[]", "[]"));
  EXPECT_TRUE(WildcardMatches("[!]", "[!]"));
  EXPECT_TRUE(WildcardMatches("*[", "x["));
  EXPECT_FALSE(WildcardMatches("a[b", "ab"));
}

TEST(Glob, CountsCharactersNotBytes) {
  EXPECT_TRUE(WildcardMatches("?.md", "名.md"));
  EXPECT_FALSE(WildcardMatches("??.md", "名.md"));
  EXPECT_TRUE(WildcardMatches("[一-龥]", "名"));
  EXPECT_FALSE(WildcardMatches("[!名]", "名"));
  EXPECT_TRUE(WildcardMatches("?", "\xFF"));
  EXPECT_FALSE(WildcardMatches("\xC3*", "\xC3\xBF"));
}

TEST(Glob, NeverMeansCommandsMessagesOrHiddenFilesUnlessWrittenSo) {
  for (const std::string_view pattern : {"*", "*.json", "c*", "[c]md_*", "?md_1.json", "*_1.json"}) {
    EXPECT_FALSE(GlobMatches(pattern, "cmd_1.json")) << pattern;
    EXPECT_FALSE(GlobMatches(pattern, "msg_1.json")) << pattern;
    EXPECT_FALSE(GlobMatches(pattern, ".hidden.json")) << pattern;
  }
  EXPECT_TRUE(GlobMatches("cmd_*", "cmd_1.json"));
  EXPECT_TRUE(GlobMatches("msg_*.json", "msg_1.json"));
  EXPECT_FALSE(GlobMatches("cmd_*", "msg_1.json"));
  EXPECT_TRUE(GlobMatches("*", "cmdx"));
  EXPECT_TRUE(WildcardMatches("*", "cmd_1"));
}

TEST(Glob, NeedsNoMoreThanTheProductOfTheLengths) {
  std::string pattern;
  for (int i = 0; i < 200; ++i) pattern += "*a";
  EXPECT_FALSE(WildcardMatches(pattern + "b", std::string(2000, 'a')));
  EXPECT_FALSE(WildcardMatches(std::string(1000, '*') + "b", std::string(2000, 'a')));
}

TEST(Glob, KnowsItsLiteralPrefix) {
  EXPECT_EQ(GlobPrefix("feedback_*.json"), "feedback_");
  EXPECT_EQ(GlobPrefix("a[bc]"), "a");
  EXPECT_EQ(GlobPrefix("*"), "");
  EXPECT_EQ(GlobPrefix("plain.md"), "plain.md");
  EXPECT_TRUE(IsGlob("a?"));
  EXPECT_TRUE(IsGlob("a[b]"));
  EXPECT_FALSE(IsGlob("a.b"));
}

}  // namespace
}  // namespace agenttalk
