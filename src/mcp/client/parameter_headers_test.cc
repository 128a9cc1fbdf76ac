#include "mcp/client/parameter_headers.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <string>

namespace agenttalk::mcp {
namespace {

namespace json = boost::json;

std::string Problem(const char* schema) {
  const auto found = FindParameterHeaders(json::parse(schema).as_object());
  return found ? "" : found.error();
}

TEST(ParameterHeaders, TakesArgumentsByTheirPath) {
  const auto marked =
      FindParameterHeaders(json::parse(R"({"properties":{"region":{"type":"string","x-mcp-header":"Region"},
        "deep":{"type":"object","properties":{"n":{"type":"integer","x-mcp-header":"N"}}}}})")
                               .as_object());
  ASSERT_TRUE(marked);
  const auto headers =
      MakeParameterHeaders(*marked, json::parse(R"({"region":" x ","deep":{"n":42}})").as_object());
  ASSERT_EQ(headers.size(), 2U);
  EXPECT_EQ(headers[0].name + ": " + headers[0].value, "Mcp-Param-Region: =?base64?IHgg?=");
  EXPECT_EQ(headers[1].name + ": " + headers[1].value, "Mcp-Param-N: 42");
  EXPECT_TRUE(MakeParameterHeaders(*marked, json::parse(R"({"region":null,"deep":3})").as_object()).empty());
}

TEST(ParameterHeaders, RefusesMarksThatCannotBeFollowed) {
  EXPECT_NE(Problem(R"({"properties":{"a":{"type":"string","x-mcp-header":"a b"}}})"), "");
  EXPECT_NE(Problem(R"({"properties":{"a":{"type":"number","x-mcp-header":"A"}}})"), "");
  EXPECT_NE(Problem(R"({"properties":{"a":{"type":"array","items":{"type":"string","x-mcp-header":"A"}}}})"),
            "");
  EXPECT_NE(Problem(R"({"anyOf":[{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}]})"), "");
  EXPECT_NE(
      Problem(
          R"({"properties":{"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"a"}}})"),
      "");
  EXPECT_EQ(Problem(R"({"properties":{"x-mcp-header":{"type":"string"}}})"), "")
      << "an argument may be called so";
}

TEST(ParameterHeaders, EncodesWhatAHeaderCannotCarry) {
  EXPECT_EQ(HeaderValue("us-west1"), "us-west1");
  EXPECT_EQ(HeaderValue("Hello, 世界"), "=?base64?SGVsbG8sIOS4lueVjA==?=");
  EXPECT_EQ(HeaderValue("line1\nline2"), "=?base64?bGluZTEKbGluZTI=?=");
  EXPECT_EQ(HeaderValue("=?base64?literal?="), "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=");
  EXPECT_EQ(HeaderValue(""), "");
}

}  // namespace
}  // namespace agenttalk::mcp
