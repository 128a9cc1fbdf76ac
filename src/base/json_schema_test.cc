#include "base/json_schema.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/issue.h"
#include "base/json.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

std::string Why(std::string_view schema, std::string_view value) {
  const auto loaded = JsonSchema::Load(json::parse(schema));
  return loaded ? ToText(loaded->Check(json::parse(value))) : "no schema: " + loaded.error().message;
}

// What a model is told must be enough to correct its call.
TEST(JsonSchema, SaysWhatIsWrongAndWhere) {
  constexpr std::string_view kSchema =
      R"({"type":"object","additionalProperties":false,"required":["path"],"properties":{
          "path":{"type":"string","pattern":"^inputs/"},"lines":{"type":"integer","minimum":1},
          "mode":{"enum":["words","lines"]},"tags":{"type":"array","items":{"type":"string"}}}})";
  EXPECT_EQ(Why(kSchema, R"({"path":"inputs/a"})"), "");
  EXPECT_EQ(Why(kSchema, R"({})"), "\"path\" is missing");
  EXPECT_EQ(Why(kSchema, R"({"pth":"inputs/a"})"),
            "\"path\" is missing; \"pth\" is not known (did you mean \"path\"?)");
  EXPECT_EQ(Why(kSchema, R"({"path":5,"lines":0})"),
            "/path: must be string, not 5; /lines: must be at least 1, not 0");
  EXPECT_EQ(Why(kSchema, R"({"path":"a"})"), "/path: must match the regular expression ^inputs/");
  EXPECT_EQ(Why(kSchema, R"({"path":"inputs/a","mode":"bytes"})"),
            "/mode: must be one of [\"words\",\"lines\"], not \"bytes\"");
  EXPECT_EQ(Why(kSchema, R"({"path":"inputs/a","tags":["x",{}]})"), "/tags/1: must be string, not object");
  EXPECT_EQ(Why(R"({"anyOf":[{"type":"string"},{"type":"integer"}]})", "[]"),
            "fits none of the alternatives: must be string, not array, or must be integer, not array");
}

TEST(JsonSchema, NamesOfMembersAreCheckedByAnySchema) {
  constexpr std::string_view kSchema = R"({"propertyNames":{"enum":["a","b"]}})";
  EXPECT_EQ(Why(kSchema, R"({"a":1})"), "");
  EXPECT_EQ(Why(kSchema, R"({"c":1})"), "/c: must be one of [\"a\",\"b\"], not \"c\"");
}

TEST(JsonSchema, WhatIsNoSchemaIsRefusedWithItsPlace) {
  EXPECT_EQ(
      Why(R"({"type":"strin"})", "1"),
      "no schema: /type: must be null, boolean, object, array, number, string, integer, or a list of these");
  EXPECT_EQ(Why(R"({"properties":{"a":5}})", "1"),
            "no schema: /properties/a: a schema is an object, true or false");
  EXPECT_EQ(Why(R"({"$ref":"#/$defs/none"})", "1"), "no schema: /$ref: \"#/$defs/none\" leads nowhere");
  EXPECT_EQ(Why(R"({"minLength":-1})", "1"), "no schema: /minLength: must be a whole number from 0");
  EXPECT_EQ(Why(R"({"$id":5})", "1"), "no schema: /$id: must be a string");
}

TEST(JsonSchema, WhatIsNotCheckedIsSaid) {
  for (const std::string_view schema :
       {R"({"$ref":"https://example.com/schema"})", R"({"$dynamicRef":"#a"})",
        R"({"$schema":"https://example.com/dialect"})", R"({"pattern":"\\p{Letter}"})", R"({"pattern":"("})",
        R"({"properties":{"a":{"$id":"inner"}}})"}) {
    const auto loaded = JsonSchema::Load(json::parse(schema));
    ASSERT_TRUE(loaded) << schema;
    EXPECT_EQ(loaded->gaps().size(), 1) << schema;
  }
  const auto whole = JsonSchema::Load(json::parse(R"({"$defs":{"a":{"type":"null"}},"$ref":"#/$defs/a"})"));
  ASSERT_TRUE(whole);
  EXPECT_TRUE(whole->gaps().empty());
}

TEST(JsonSchema, AMisspelledKeywordIsNoticed) {
  const auto schema = JsonSchema::Load(json::parse(R"({"propertis":{"a":true},"x-order":1})"));
  ASSERT_TRUE(schema);
  EXPECT_EQ(ToText(schema->unknown()),
            "/propertis: JSON Schema has no keyword \"propertis\" (did you mean \"properties\"?)");
}

// A stranger's schema must not take the stack or the time of the process.
TEST(JsonSchema, WorkIsBounded) {
  EXPECT_EQ(Why(R"({"$ref":"#"})", "1"), "the schema takes too much work to check this by it");
  std::string doubling = R"({"$defs":{"a0":{"type":"null"})";
  for (int i = 1; i <= 40; ++i) {
    const std::string before = "{\"$ref\":\"#/$defs/a" + std::to_string(i - 1) + "\"}";
    doubling += ",\"a" + std::to_string(i) + "\":{\"anyOf\":[" + before + "," + before + "]}";
  }
  doubling += R"(},"$ref":"#/$defs/a40"})";
  EXPECT_EQ(Why(doubling, "1"), "the schema takes too much work to check this by it");
  const std::string text(2'000, 'a');
  EXPECT_NE(Why(R"({"pattern":"^(a+)+$"})", "\"" + text + "b\""), "");
}

}  // namespace
}  // namespace agenttalk
