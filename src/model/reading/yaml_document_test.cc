#include "model/reading/yaml_document.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <string_view>

#include "base/error_code.h"
#include "base/issue.h"

namespace agenttalk {
namespace {

boost::json::value Read(std::string_view text) {
  auto document = ParseYaml(text);
  if (!document) {
    ADD_FAILURE() << document.error().message;
    return {};
  }
  return document->root();
}

Issue Refused(std::string_view text, const YamlLimits& limits = {}) {
  auto document = ParseYaml(text, limits);
  if (document) {
    ADD_FAILURE() << "accepted: " << text.substr(0, 80);
    return {};
  }
  return document.error();
}

TEST(YamlDocument, TypesPlainScalarsAndLeavesQuotedOnesStrings) {
  EXPECT_EQ(Read("{a: true, b: null, c: 12, d: -1.5e3, e: ~, f: , g: 0x1F, h: 0o17}"),
            boost::json::parse(R"({"a":true,"b":null,"c":12,"d":-1500.0,"e":null,"f":null,"g":31,"h":15})"));
  EXPECT_EQ(
      Read("{a: 'true', b: \"12\", c: !!str 12, d: yes, e: 1.2.3, f: .inf, g: 10m, h: -, i: \"\"}"),
      boost::json::parse(
          R"({"a":"true","b":"12","c":"12","d":"yes","e":"1.2.3","f":".inf","g":"10m","h":"-","i":""})"));
  EXPECT_EQ(Read("[18446744073709551615, -9223372036854775808, 99999999999999999999, 1e999]"),
            boost::json::parse(R"([18446744073709551615,-9223372036854775808,1e20,"1e999"])"));
}

TEST(YamlDocument, ReadsKeysAsStrings) {
  EXPECT_EQ(Read("1: a\ntrue: b\n"), boost::json::parse(R"({"1":"a","true":"b"})"));
}

TEST(YamlDocument, CopiesAliases) {
  EXPECT_EQ(Read("a: &x {p: [1, 2]}\nb: *x\nc: 3\n"),
            boost::json::parse(R"({"a":{"p":[1,2]},"b":{"p":[1,2]},"c":3})"));
}

TEST(YamlDocument, AnEmptyTextIsNull) {
  EXPECT_TRUE(Read("").is_null());
  EXPECT_TRUE(Read("# nothing\n").is_null());
}

TEST(YamlDocument, KnowsTheLineOfEveryValue) {
  auto document = ParseYaml(
      "plan: p\ntasks:\n  - id: a\n    inputs: &i\n      - x.md\n  - id: b\n    in/puts: *i\n    c: 1\n");
  ASSERT_TRUE(document.has_value());
  EXPECT_EQ(document->LineOf(""), 1);
  EXPECT_EQ(document->LineOf("/tasks"), 2);
  EXPECT_EQ(document->LineOf("/tasks/0"), 3);
  EXPECT_EQ(document->LineOf("/tasks/0/inputs"), 4);
  EXPECT_EQ(document->LineOf("/tasks/0/inputs/0"), 5);
  EXPECT_EQ(document->LineOf("/tasks/1/id"), 6);
  EXPECT_EQ(document->LineOf("/tasks/1/in~1puts"), 7);
  EXPECT_EQ(document->LineOf("/tasks/1/in~1puts/0"), 5) << "the text stands where the anchor is";
  EXPECT_EQ(document->LineOf("/tasks/1/c"), 8);
}

TEST(YamlDocument, FallsBackToTheLineOfWhatSurroundsAMissingValue) {
  auto document = ParseYaml("tasks:\n  - id: a\n  - id: b\n");
  ASSERT_TRUE(document.has_value());
  EXPECT_EQ(document->LineOf("/tasks/1/prompt"), 3);
  EXPECT_EQ(document->LineOf("/tasks/9"), 1);
  EXPECT_EQ(document->LineOf("/plan"), 1);
}

TEST(YamlDocument, AddsLinesToIssues) {
  auto document = ParseYaml("a: 1\nb: 2\n");
  ASSERT_TRUE(document.has_value());
  Issues issues{.errors = {{.code = ErrorCode::kTypeMismatch, .path = "/b", .message = "", .hint = ""}},
                .warnings = {}};
  document->AddLines(issues);
  EXPECT_EQ(issues.errors[0].line, 2);
}

TEST(YamlDocument, RefusesDuplicateKeysAndNamesTheLine) {
  const Issue issue = Refused("a: 1\nb: 2\na: 3\n");
  EXPECT_EQ(issue.code, ErrorCode::kYamlInvalid);
  EXPECT_EQ(issue.line, 3);
  EXPECT_NE(issue.message.find("\"a\""), std::string::npos);
}

TEST(YamlDocument, RefusesWhatHasNoPlaceInJson) {
  for (const auto* text : {"? [a, b]\n: c\n", "{[a]: b}", "a: !foo b", "a: !!int x", "<<: {a: 1}",
                           "a: 1\n---\nb: 2\n", "&a [*a]", "a: *nowhere", "{*x : 1}", "!!set {a, b}"}) {
    EXPECT_EQ(Refused(text).code, ErrorCode::kYamlInvalid) << text;
  }
}

TEST(YamlDocument, RefusesBrokenTextWithItsLine) {
  EXPECT_EQ(Refused("a: 1\nb: [1, 2\nc: 3\n").code, ErrorCode::kYamlInvalid);
  EXPECT_EQ(Refused("a: 1\n\tb: 2\n").line, 2);
}

TEST(YamlDocument, RefusesWhatIsNotUtf8) {
  for (const std::string_view text : {std::string_view("a: \xFF"), std::string_view("\xFF\xFE a"),
                                      std::string_view("a: b\0", 5), std::string_view("a: \x01")}) {
    EXPECT_EQ(Refused(text).code, ErrorCode::kYamlInvalid);
  }
}

TEST(YamlDocument, RefusesDepthBeyondTheLimitWithoutBuildingIt) {
  EXPECT_EQ(Refused(std::string(65, '[') + std::string(65, ']')).code, ErrorCode::kJsonTooDeep);
  EXPECT_EQ(Refused(std::string(100'000, '[') + std::string(100'000, ']')).code, ErrorCode::kJsonTooDeep);
  EXPECT_TRUE(ParseYaml(std::string(64, '[') + std::string(64, ']')).has_value());
  const Issue issue = Refused("a: &a [[[1]]]\nb: [[*a]]\n", {.max_bytes = 100, .max_depth = 5});
  EXPECT_EQ(issue.code, ErrorCode::kJsonTooDeep);
  EXPECT_EQ(issue.line, 2);
}

TEST(YamlDocument, RefusesAliasBombs) {
  std::string bomb = "a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string last = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + last;
    for (int k = 0; k < 8; ++k) bomb += ", " + last;
    bomb += "]\n";
  }
  EXPECT_EQ(Refused(bomb).code, ErrorCode::kTooLarge);
}

TEST(YamlDocument, RefusesTextBeyondTheSizeLimit) {
  EXPECT_EQ(Refused("abcdef", {.max_bytes = 5}).code, ErrorCode::kTooLarge);
  EXPECT_TRUE(ParseYaml("abcde", {.max_bytes = 5}).has_value());
}

TEST(YamlDocument, FindsTheLinesOfManyIssuesInOneLongListQuickly) {
  constexpr int kItems = 100'000;
  std::string text;
  Issues issues;
  for (int i = 0; i < kItems; ++i) {
    text += "- " + std::to_string(i) + "\n";
    issues.errors.push_back(
        {.code = ErrorCode::kTypeMismatch, .path = "/" + std::to_string(i), .message = "", .hint = ""});
  }
  auto document = ParseYaml(text);
  ASSERT_TRUE(document.has_value());
  document->AddLines(issues);
  EXPECT_EQ(issues.errors.back().line, kItems);
}

}  // namespace
}  // namespace agenttalk
