#include "mcp/client/elicitation.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <string>

#include "base/json.h"

namespace agenttalk::mcp {
namespace {

namespace json = boost::json;

json::object Form(const char* properties, const char* required = "[]") {
  return json::parse(std::string(R"({"message":"m","requestedSchema":{"type":"object","properties":)") +
                     properties + R"(,"required":)" + required + "}}")
      .as_object();
}

std::string Read(const json::object& params, Reply reply, const char* text) {
  const auto read = ReadElicitationAnswer(params, reply, text);
  return read ? CompactJson(*read) : read.error();
}

TEST(Elicitation, ReadsWhatPeopleWrite) {
  const json::object name = Form(R"({"name":{"type":"string"}})", R"(["name"])");
  EXPECT_EQ(Read(name, Reply::kNone, " Ann \n"), R"({"action":"accept","content":{"name":"Ann"}})");
  EXPECT_EQ(Read(name, Reply::kNone, "name: Ann"), R"({"action":"accept","content":{"name":"Ann"}})");
  EXPECT_EQ(Read(name, Reply::kAccept, R"({"name":"Ann"})"),
            R"({"action":"accept","content":{"name":"Ann"}})");
  EXPECT_EQ(Read(name, Reply::kAccept, ""), "name is required");
  EXPECT_EQ(Read(name, Reply::kDecline, "no"), R"({"action":"decline"})");
  EXPECT_EQ(Read(name, Reply::kNone, ""), R"({"action":"cancel"})");
}

TEST(Elicitation, ConvertsAndChecksEveryKindOfField) {
  const json::object form = Form(R"({
    "age":{"type":"integer","minimum":18},
    "share":{"type":"number","maximum":1},
    "sure":{"type":"boolean"},
    "color":{"type":"string","enum":["red","blue"]},
    "tags":{"type":"array","items":{"type":"string","enum":["a","b"]}}})");
  EXPECT_EQ(
      Read(form, Reply::kNone, "age: 30\nshare: 0.5\nsure: yes\ncolor: red\ntags: a, b"),
      R"({"action":"accept","content":{"age":30,"share":0.5,"sure":true,"color":"red","tags":["a","b"]}})");
  EXPECT_EQ(Read(form, Reply::kNone, "age: 3"), "age: at least 18");
  EXPECT_EQ(Read(form, Reply::kNone, "age: old"), "age: \"old\" is not a whole number");
  EXPECT_EQ(Read(form, Reply::kNone, "share: 2"), "share: at most 1");
  EXPECT_EQ(Read(form, Reply::kNone, "sure: perhaps"), "sure: answer yes or no");
  EXPECT_EQ(Read(form, Reply::kNone, "color: green"), "color: one of red, blue");
  EXPECT_EQ(Read(form, Reply::kNone, "tags: c"), "tags: one of a, b");
  EXPECT_EQ(Read(form, Reply::kNone, R"({"size":1})"), "there is no field \"size\"");
}

TEST(Elicitation, FillsInDefaults) {
  const json::object form = Form(
      R"({"name":{"type":"string","default":"John"},"age":{"type":"integer","default":30}})", R"(["name"])");
  EXPECT_EQ(Read(form, Reply::kAccept, ""), R"({"action":"accept","content":{"name":"John","age":30}})");
  EXPECT_EQ(Read(form, Reply::kNone, "age: 31"), R"({"action":"accept","content":{"age":31,"name":"John"}})");
}

TEST(Elicitation, ShowsAnAddressAndNothingThatSteersATerminal) {
  const json::object url =
      json::parse(R"({"mode":"url","message":"sign\u001b[2J in","url":"https://a.example/x"})").as_object();
  const std::string text = ElicitationText("files", "mcp__files__x", url);
  EXPECT_NE(text.find("https://a.example/x"), std::string::npos);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(Read(url, Reply::kAccept, ""), R"({"action":"accept"})");
}

}  // namespace
}  // namespace agenttalk::mcp
