#include "base/json.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/error_code.h"

namespace agenttalk {
namespace {

std::string Canonical(std::string_view text) {
  const auto value = ParseJson(text);
  return value ? CanonicalJson(*value) : "refused: " + value.error().message;
}

std::string CanonicalNumber(std::uint64_t bits) {
  return CanonicalJson(boost::json::value(std::bit_cast<double>(bits)));
}

TEST(ParsedJson, KeepsEveryKindOfValue) {
  const auto value = ParseJson(R"( {"a":[null,true,false,-1,1.5,"x"],"b":{}} )");
  ASSERT_TRUE(value);
  EXPECT_EQ(CanonicalJson(*value), R"({"a":[null,true,false,-1,1.5,"x"],"b":{}})");
}

TEST(ParsedJson, RefusesWhatRfc8259DoesNotAllow) {
  for (const std::string_view text :
       {"",       " ",       "{",           "[1,]",        "{\"a\":1,}",  "{a:1}",
        "'a'",    "01",      "1.",          ".5",          "+1",          "1e",
        "nul",    "NaN",     "Infinity",    "[1] [2]",     "// c\n1",     "/* c */1",
        "\"\t\"", "\"\\x\"", "\"\\ud800\"", "\"\\udc00\"", "\"\\u12g4\"", "\xEF\xBB\xBF{}",
        "[1}",    "\"abc"}) {
    const auto value = ParseJson(text);
    ASSERT_FALSE(value) << text;
    EXPECT_EQ(value.error().code, ErrorCode::kJsonInvalid) << text;
  }
}

TEST(ParsedJson, RefusesBadUtf8InStringsAndKeys) {
  for (const std::string_view bytes :
       {"\xFF", "\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF5\x80\x80\x80", "\xE4\xB8", "\x80"}) {
    const std::string quoted = "\"" + std::string(bytes) + "\"";
    EXPECT_FALSE(ParseJson(quoted));
    EXPECT_FALSE(ParseJson("{" + quoted + ":1}"));
  }
}

TEST(ParsedJson, RefusesDuplicateKeysAtEveryLevelHoweverTheyAreSpelled) {
  for (const std::string_view text :
       {R"({"a":1,"a":2})", R"([{"x":{"a":1,"b":2,"a":1}}])", R"({"a":1,"\u0061":2})", R"({"":1,"":2})"}) {
    const auto value = ParseJson(text);
    ASSERT_FALSE(value) << text;
    EXPECT_EQ(value.error().code, ErrorCode::kJsonInvalid);
    EXPECT_NE(value.error().message.find("occurs twice"), std::string::npos) << value.error().message;
  }
  EXPECT_TRUE(ParseJson(R"({"a":{"a":1},"b":{"a":1}})"));
}

TEST(ParsedJson, SaysLineAndColumnOfTheMistake) {
  const auto value = ParseJson("{\n  \"名\": 1,\n  \"字\": x\n}");
  ASSERT_FALSE(value);
  EXPECT_TRUE(value.error().message.starts_with("line 3, column 8:")) << value.error().message;
}

TEST(ParsedJson, StopsAtTheDepthLimit) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_TRUE(ParseJson(nested(64)));
  for (const std::size_t depth : {std::size_t{65}, std::size_t{500000}}) {
    const auto value = ParseJson(nested(depth));
    ASSERT_FALSE(value);
    EXPECT_EQ(value.error().code, ErrorCode::kJsonTooDeep);
  }
  EXPECT_TRUE(ParseJson(nested(100), {.max_depth = 100}));
}

TEST(ParsedJson, StopsAtTheSizeLimit) {
  const std::string text = "\"" + std::string(98, 'a') + "\"";
  EXPECT_TRUE(ParseJson(text, {.max_bytes = 100}));
  const auto value = ParseJson(text, {.max_bytes = 99});
  ASSERT_FALSE(value);
  EXPECT_EQ(value.error().code, ErrorCode::kTooLarge);
}

TEST(ParsedJson, KeepsIntegersThatFitAndReadsLargerOnesAsDoubles) {
  EXPECT_EQ(ParseJson("9223372036854775807")->as_int64(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(ParseJson("-9223372036854775808")->as_int64(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(ParseJson("18446744073709551615")->as_uint64(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(ParseJson("18446744073709551616")->as_double(), 18446744073709551616.0);
  EXPECT_EQ(ParseJson("-9223372036854775809")->as_double(), -9223372036854775808.0);
}

TEST(ParsedJson, ReadsDecimalsExactly) {
  EXPECT_EQ(ParseJson("0.1")->as_double(), 0.1);
  EXPECT_EQ(ParseJson("1.7976931348623157e308")->as_double(), std::numeric_limits<double>::max());
  EXPECT_EQ(ParseJson("5e-324")->as_double(), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(ParseJson("7.2057594037927933e16")->as_double(), 7.2057594037927933e16);
  EXPECT_EQ(ParseJson("1e-400")->as_double(), 0.0);
}

TEST(ParsedJson, RefusesNumbersBeyondADouble) {
  for (const std::string_view text : {"1e309", "-1e309", "1e99999999999"}) {
    const auto value = ParseJson(text);
    ASSERT_FALSE(value) << text;
    EXPECT_EQ(value.error().code, ErrorCode::kJsonInvalid);
  }
  EXPECT_FALSE(ParseJson(std::string(400, '9')));
}

TEST(ParsedJson, KeepsLongStringsAndManyEscapesWhole) {
  std::string text = "\"";
  std::string expected;
  for (int i = 0; i < 20000; ++i) {
    text += "\\u00e9x\\n";
    expected += "\xC3\xA9x\n";
  }
  const auto value = ParseJson(text + "\"");
  ASSERT_TRUE(value);
  EXPECT_EQ(std::string(value->as_string()), expected);
}

// RFC 8785, 3.2.2 to 3.2.4.
TEST(CanonicalJson, MatchesTheExampleOfTheRfc) {
  EXPECT_EQ(Canonical(R"({
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    })"),
            "{\"literals\":[null,true,false],\"numbers\":[333333333.3333333,1e+30,4.5,0.002,1e-27],"
            "\"string\":\"\xE2\x82\xAC$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}");
}

// RFC 8785, 3.2.3: the order of the property names.
TEST(CanonicalJson, SortsKeysByUtf16CodeUnits) {
  EXPECT_EQ(
      Canonical(R"({
      "\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew Letter Dalet With Dagesh", "1": "One",
      "\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control", "\u00f6": "Latin Small Letter O With Diaeresis"
    })"),
      "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\xC2\x80\":\"Control\","
      "\"\xC3\xB6\":\"Latin Small Letter O With Diaeresis\",\"\xE2\x82\xAC\":\"Euro Sign\","
      "\"\xF0\x9F\x98\x80\":\"Emoji: Grinning Face\",\"\xEF\xAC\xB3\":\"Hebrew Letter Dalet With Dagesh\"}");
  EXPECT_EQ(Canonical(R"({"ab":1,"a":2,"":3})"), R"({"":3,"a":2,"ab":1})");
}

// RFC 8785, appendix B.
TEST(CanonicalJson, FormatsNumbersAsTheRfcSamples) {
  struct Sample {
    std::uint64_t bits;
    std::string_view text;
  };
  const std::vector<Sample> samples = {
      {0x0000000000000000, "0"},
      {0x8000000000000000, "0"},
      {0x0000000000000001, "5e-324"},
      {0x8000000000000001, "-5e-324"},
      {0x7fefffffffffffff, "1.7976931348623157e+308"},
      {0xffefffffffffffff, "-1.7976931348623157e+308"},
      {0x4340000000000000, "9007199254740992"},
      {0xc340000000000000, "-9007199254740992"},
      {0x4430000000000000, "295147905179352830000"},
      {0x44b52d02c7e14af5, "9.999999999999997e+22"},
      {0x44b52d02c7e14af6, "1e+23"},
      {0x44b52d02c7e14af7, "1.0000000000000001e+23"},
      {0x444b1ae4d6e2ef4e, "999999999999999700000"},
      {0x444b1ae4d6e2ef4f, "999999999999999900000"},
      {0x444b1ae4d6e2ef50, "1e+21"},
      {0x3eb0c6f7a0b5ed8c, "9.999999999999997e-7"},
      {0x3eb0c6f7a0b5ed8d, "0.000001"},
      {0x41b3de4355555553, "333333333.3333332"},
      {0x41b3de4355555554, "333333333.33333325"},
      {0x41b3de4355555555, "333333333.3333333"},
      {0x41b3de4355555556, "333333333.3333334"},
      {0x41b3de4355555557, "333333333.33333343"},
      {0xbecbf647612f3696, "-0.0000033333333333333333"},
      {0x43143ff3c1cb0959, "1424953923781206.2"},
  };
  for (const auto& [bits, text] : samples) EXPECT_EQ(CanonicalNumber(bits), text);
}

TEST(CanonicalJson, WritesOneFormForOneNumber) {
  EXPECT_EQ(Canonical("[1, 1.0, 1e0, 10e-1, -0, -0.0]"), "[1,1,1,1,0,0]");
  EXPECT_EQ(Canonical("[9007199254740993, -9007199254740993]"), "[9007199254740992,-9007199254740992]");
  EXPECT_EQ(Canonical("[18446744073709551615, 18446744073709551616]"),
            "[18446744073709552000,18446744073709552000]");
}

TEST(CanonicalJson, IsAFixpoint) {
  for (const std::string_view text :
       {R"({"b":1e22,"a":[1e-7,18446744073709551615,"\u007f\u0000"]})", "[]", "{}", "\"\"", "-1.25e-9"}) {
    EXPECT_EQ(Canonical(Canonical(text)), Canonical(text));
  }
}

TEST(JsonNumber, IsAnIntegerWhenItNamesOne) {
  const auto integer = [](std::string_view text) { return AsInteger(ParseJson(text).value()); };
  EXPECT_EQ(integer("3"), 3);
  EXPECT_EQ(integer("3.0"), 3);
  EXPECT_EQ(integer("-1e3"), -1000);
  EXPECT_EQ(integer("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
  for (const std::string_view text : {"3.5", "1e16", "18446744073709551615", "\"3\"", "true", "null"}) {
    EXPECT_FALSE(integer(text)) << text;
  }
  EXPECT_EQ(AsInteger(boost::json::value(std::uint64_t{7})), 7);
  EXPECT_EQ(AsDouble(boost::json::value(std::uint64_t{7})), 7.0);
  EXPECT_FALSE(AsDouble(boost::json::value("7")));
}

TEST(CompactJson, WritesNumbersOut) {
  namespace json = boost::json;
  const auto text = [](double number) { return CompactJson(json::value(number)); };
  EXPECT_EQ(text(90), "90");
  EXPECT_EQ(text(3600), "3600");
  EXPECT_EQ(text(-0.5), "-0.5");
  EXPECT_EQ(text(0.0000001), "0.0000001");
  EXPECT_EQ(text(1.25e22), "12500000000000000000000");
  EXPECT_EQ(CompactJson(json::value(std::numeric_limits<std::uint64_t>::max())), "18446744073709551615");
  EXPECT_EQ(PrettyJson(json::object{{"a", 90.0}, {"b", json::array{1e-7}}}),
            "{\n  \"a\": 90,\n  \"b\": [\n    0.0000001\n  ]\n}\n");
  EXPECT_EQ(CompactJson(*ParseJson(R"({"b":[1,{"c":null}],"a":"x\n","d":true})")),
            R"({"b":[1,{"c":null}],"a":"x\n","d":true})");
}

TEST(PrettyJson, IndentsByTwoAndKeepsTheOrderOfKeys) {
  const auto value = ParseJson(R"({"b":[1,{"c":null}],"a":{},"d":[]})");
  ASSERT_TRUE(value);
  EXPECT_EQ(PrettyJson(*value),
            "{\n  \"b\": [\n    1,\n    {\n      \"c\": null\n    }\n  ],\n  \"a\": {},\n  \"d\": []\n}\n");
}

TEST(PrettyJson, WritesLongListsAsIfTheyWereThere) {
  const json::array items = {json::object{{"id", 1}, {"text", "a\u202eb"}}, json::object{}, "three"};
  json::object whole{{"before", 1}, {"list", items}, {"none", json::array()}, {"after", "\xC3\xA4"}};
  json::object without = whole;
  without["list"] = json::array();
  const LongList lists[] = {{"list", items.size(), [&](std::size_t i) { return items[i]; }},
                            {"none", 0, [](std::size_t) { return json::value(); }}};
  EXPECT_EQ(PrettyJson(without, lists), PrettyJson(whole));
}

TEST(PrettyJson, WritesVeryManyItemsOneToALine) {
  constexpr std::size_t kCount = 10'001;
  const auto item = [](std::size_t i) {
    return json::value(json::object{{"id", i}, {"text", "a\u202eb\n"}, {"list", json::array{1, 2}}});
  };
  json::object whole{{"before", 1}, {"list", json::array()}, {"after", 2}};
  const LongList lists[] = {{"list", kCount, item}};
  const std::string text = PrettyJson(whole, lists);
  for (std::size_t i = 0; i < kCount; ++i) whole["list"].as_array().push_back(item(i));
  EXPECT_EQ(CompactJson(*ParseJson(text)), CompactJson(*ParseJson(PrettyJson(whole))));
  EXPECT_EQ(std::ranges::count(text, '\n'), static_cast<std::ptrdiff_t>(kCount) + 6);
}

}  // namespace
}  // namespace agenttalk
