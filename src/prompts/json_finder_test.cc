#include "prompts/json_finder.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/issue.h"

namespace agenttalk {
namespace {

std::string Found(std::string_view text) {
  const auto found = FindJsonObject(text);
  return found ? std::string(*found) : "error: " + found.error().message;
}

constexpr std::string_view kSeveral = "error: the answer holds more than one JSON object";
constexpr std::string_view kNone = "error: the answer holds no JSON object";
constexpr std::string_view kCutOff =
    "error: the JSON object in the answer does not end; it may have been cut off";

TEST(FindJsonObject, TakesABareObject) {
  EXPECT_EQ(Found(R"({"a": 1})"), R"({"a": 1})");
  EXPECT_EQ(Found(" \r\n\t{} \n"), "{}");
  EXPECT_EQ(Found("\xEF\xBB\xBF{\"a\":1}"), "{\"a\":1}");
}

TEST(FindJsonObject, TakesTheOneCodeFence) {
  EXPECT_EQ(Found("```json\n{\"a\": 1}\n```"), R"({"a": 1})");
  EXPECT_EQ(Found("Here:\r\n```\r\n{\"a\": 1}\r\n```\r\nDone {\"b\": 2}."), R"({"a": 1})");
  EXPECT_EQ(Found("````\n{\"a\": 1}\n````"), R"({"a": 1})");
  EXPECT_EQ(Found("  ```json\n  {\"a\": 1}\n  ```"), R"({"a": 1})");
  EXPECT_EQ(Found("```py\nx = {}\n```\n```json\n{\"a\": 1}\n```"), R"({"a": 1})");
}

TEST(FindJsonObject, TakesAFenceOnOneLineOrWithoutEnd) {
  EXPECT_EQ(Found("```json {\"a\": 1} ```"), R"({"a": 1})");
  EXPECT_EQ(Found("```json\n{\"a\": 1}"), R"({"a": 1})");
}

TEST(FindJsonObject, TakesTheOneObjectInAText) {
  EXPECT_EQ(Found(R"(Sure! {"a": {"b": "}"}} Anything else?)"), R"({"a": {"b": "}"}})");
  EXPECT_EQ(Found(R"(Of {1, 2} and {name}: { "a": 1 })"), R"({ "a": 1 })");
}

TEST(FindJsonObject, KnowsStringsAndEscapes) {
  EXPECT_EQ(Found(R"(x {"a": "{ \" } \\"} y)"), R"({"a": "{ \" } \\"})");
  EXPECT_EQ(Found(R"({"a": "```json\n{\"b\": 1}\n```"})"), R"({"a": "```json\n{\"b\": 1}\n```"})");
}

TEST(FindJsonObject, SkipsWhatAModelThoughtBefore) {
  EXPECT_EQ(Found("<think>maybe {\"a\": 0}?</think>\n{\"a\": 1}"), R"({"a": 1})");
  EXPECT_EQ(Found("<think>no end {\"a\": 0}"), R"({"a": 0})");
}

TEST(FindJsonObject, RefusesSeveralObjects) {
  EXPECT_EQ(Found(R"({"a": 1} {"b": 2})"), kSeveral);
  EXPECT_EQ(Found("```\n{\"a\": 1}\n```\n```\n{\"b\": 1}\n```"), kSeveral);
}

TEST(FindJsonObject, RefusesTextWithoutAnObject) {
  EXPECT_EQ(Found(""), kNone);
  EXPECT_EQ(Found("[1, 2] {x}"), kNone);
}

TEST(FindJsonObject, DoesNotTakeAnObjectOutOfATruncatedOne) {
  EXPECT_EQ(Found(R"({"outputs": {"result": "x"})"), kCutOff);
  EXPECT_EQ(Found(R"({"result": "half)"), kCutOff);
  EXPECT_EQ(Found(R"({"result": "half\)"), kCutOff);
}

}  // namespace
}  // namespace agenttalk
