#include "model/reading/object_reader.h"

#include <gtest/gtest.h>

#include <array>
#include <boost/json/value.hpp>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/issue.h"
#include "base/json.h"
#include "base/time.h"
#include "model/reading/brief_issues.h"

namespace agenttalk {
namespace {

Issues Read(std::string_view text, const ReadObjectFunction& read) {
  Issues issues;
  const auto value = ParseJson(text);
  EXPECT_TRUE(value) << text;
  if (value) ReadObject(*value, issues, read);
  return issues;
}

using Lines = std::vector<std::string>;

TEST(ObjectReader, StoresWhatIsThereAndLeavesDefaultsOtherwise) {
  std::string name = "default";
  std::string absent = "default";
  bool flag = false;
  int number = 0;
  double real = 0;
  std::vector<std::string> list;
  PlanId plan;
  const Issues issues =
      Read(R"({"name":"x","flag":true,"number":3.0,"real":2,"list":["a","b"],"plan":"p.1"})",
           [&](ObjectReader& reader) {
             EXPECT_TRUE(reader.String("name", name));
             EXPECT_FALSE(reader.String("absent", absent));
             EXPECT_TRUE(reader.Boolean("flag", flag));
             EXPECT_TRUE(reader.Integer("number", {}, number));
             EXPECT_TRUE(reader.Number("real", {}, real));
             EXPECT_TRUE(reader.Strings("list", list));
             EXPECT_TRUE(reader.Name("plan", plan));
           });
  EXPECT_TRUE(issues.ok());
  EXPECT_TRUE(issues.warnings.empty());
  EXPECT_EQ(name, "x");
  EXPECT_EQ(absent, "default");
  EXPECT_TRUE(flag);
  EXPECT_EQ(number, 3);
  EXPECT_EQ(real, 2.0);
  EXPECT_EQ(list, (Lines{"a", "b"}));
  EXPECT_EQ(plan, PlanId("p.1"));
}

TEST(ObjectReader, ReportsEveryWrongTypeAtOnce) {
  std::string text;
  bool flag = false;
  int number = 7;
  std::vector<std::string> list;
  const Issues issues =
      Read(R"({"text":1,"flag":"true","number":"3","list":"a","items":["a",2],"object":[],"null":null})",
           [&](ObjectReader& reader) {
             reader.String("text", text);
             reader.Boolean("flag", flag);
             reader.Integer("number", {}, number);
             reader.Strings("list", list);
             reader.Strings("items", list);
             reader.Object("object", [](ObjectReader&) {});
             reader.String("null", text);
           });
  EXPECT_EQ(
      Brief(issues.errors),
      (Lines{"TYPE_MISMATCH /text", "TYPE_MISMATCH /flag", "TYPE_MISMATCH /number", "TYPE_MISMATCH /list",
             "TYPE_MISMATCH /items/1", "TYPE_MISMATCH /object", "TYPE_MISMATCH /null"}));
  EXPECT_EQ(issues.errors[1].hint, "write the value without quotes");
  EXPECT_EQ(number, 7);
  EXPECT_TRUE(list.empty());
}

TEST(ObjectReader, UsesTheCodeAndHintOfTheField) {
  std::string text;
  int number = 0;
  const Issues issues = Read(
      R"({"blank":" \t","low":0,"half":1.5,"huge":1e300,"large":18446744073709551615})",
      [&](ObjectReader& reader) {
        reader.Text(Field("gone").Required(ErrorCode::kPlanIdMissing).Hint("say it"), text);
        reader.Text(Field("blank").Required(ErrorCode::kPromptEmpty), text);
        const auto timeout = [](const char* key) { return Field(key).Invalid(ErrorCode::kTimeoutInvalid); };
        reader.Integer(timeout("low"), {.min = 1}, number);
        reader.Integer(timeout("half"), {.min = 1}, number);
        reader.Integer(timeout("huge"), {.min = 1}, number);
        reader.Integer(timeout("large"), {.min = 1}, number);
      });
  EXPECT_EQ(Brief(issues.errors),
            (Lines{"PLAN_ID_MISSING /gone", "PROMPT_EMPTY /blank", "TIMEOUT_INVALID /low",
                   "TIMEOUT_INVALID /half", "TIMEOUT_INVALID /huge", "TIMEOUT_INVALID /large"}));
  EXPECT_EQ(issues.errors[0].hint, "say it");
}

TEST(ObjectReader, NeverStoresAnIntegerThatTheTargetCannotHold) {
  std::uint8_t small = 1;
  std::int64_t large = 1;
  const Issues issues =
      Read(R"({"a":256,"b":-1,"c":255,"d":9223372036854775807})", [&](ObjectReader& reader) {
        EXPECT_FALSE(reader.Integer("a", {}, small));
        EXPECT_FALSE(reader.Integer("b", {}, small));
        EXPECT_TRUE(reader.Integer("c", {}, small));
        EXPECT_TRUE(reader.Integer("d", {}, large));
      });
  EXPECT_EQ(issues.errors.size(), 2U);
  EXPECT_EQ(small, 255);
}

TEST(ObjectReader, ChecksNamesDigestsAndPeriods) {
  std::string name;
  std::vector<AgentId> agents;
  Digest digest;
  Duration period{};
  const Issues issues =
      Read(R"({"name":"../x","agents":["ok","a/b"],"digest":"12","period":"soon","minutes":"10m",
                                 "seconds":1.5,"negative":-1,"many":1e300})",
           [&](ObjectReader& reader) {
             reader.Name("name", name);
             reader.Names("agents", agents);
             reader.Sha256("digest", digest);
             reader.Period("period", period);
             EXPECT_TRUE(reader.Period("minutes", period));
             EXPECT_EQ(period, std::chrono::minutes(10));
             EXPECT_TRUE(reader.Period("seconds", period));
             EXPECT_EQ(period, std::chrono::milliseconds(1500));
             reader.Period("negative", period);
             reader.Period("many", period);
             EXPECT_TRUE(reader.Failed("agents"));
             EXPECT_FALSE(reader.Failed("minutes"));
           });
  EXPECT_EQ(Brief(issues.errors),
            (Lines{"NAME_UNSAFE /name", "NAME_UNSAFE /agents/1", "VALUE_INVALID /digest",
                   "VALUE_INVALID /period", "VALUE_INVALID /negative", "VALUE_INVALID /many"}));
  EXPECT_TRUE(agents.empty());
}

enum class Colour { kRed, kGreen };
constexpr std::array<std::pair<std::string_view, Colour>, 2> kColours = {
    {{"red", Colour::kRed}, {"green", Colour::kGreen}}};

TEST(ObjectReader, ChoosesAmongSpellings) {
  Colour colour = Colour::kRed;
  const Issues issues = Read(R"({"a":"green","b":"gren"})", [&](ObjectReader& reader) {
    EXPECT_TRUE(reader.Choice<Colour>("a", kColours, colour));
    EXPECT_FALSE(reader.Choice<Colour>("b", kColours, colour));
  });
  EXPECT_EQ(colour, Colour::kGreen);
  ASSERT_EQ(Brief(issues.errors), (Lines{"VALUE_INVALID /b"}));
  EXPECT_EQ(issues.errors[0].hint, "did you mean \"green\"?");
}

TEST(ObjectReader, PointsIntoNestedObjectsAndEscapesTheKeys) {
  std::string text;
  const Issues issues = Read(R"({"a/b":{"c~d":[{"x":1},7,{"x":"y"}]}})", [&](ObjectReader& reader) {
    reader.Object("a/b", [&](ObjectReader& child) {
      child.Objects("c~d", [&](ObjectReader& item) { item.String("x", text); });
    });
  });
  EXPECT_EQ(Brief(issues.errors), (Lines{"TYPE_MISMATCH /a~1b/c~0d/0/x", "TYPE_MISMATCH /a~1b/c~0d/1"}));
  EXPECT_EQ(text, "y");
}

TEST(ObjectReader, ReadsMapsFromNames) {
  Lines names;
  const Issues issues = Read(R"({"agents":{"a":{"x":1},"b":7}})", [&](ObjectReader& reader) {
    reader.Members("agents", [&](const std::string& name, ObjectReader&) { names.push_back(name); });
  });
  EXPECT_EQ(names, (Lines{"a"}));
  EXPECT_EQ(Brief(issues.errors), (Lines{"TYPE_MISMATCH /agents/b"}));
  EXPECT_EQ(Brief(issues.warnings), (Lines{"UNKNOWN_FIELD /agents/a/x"}));
}

TEST(ObjectReader, ReadsArraysOfMixedItems) {
  Lines seen;
  const Issues issues = Read(R"({"inputs":["a",{"pattern":"b"},3]})", [&](ObjectReader& reader) {
    reader.Items("inputs", [&](ItemReader& item) {
      std::string text;
      if (item.IsObject()) {
        item.Object([&](ObjectReader& child) { child.String("pattern", text); });
      } else {
        item.String(text);
      }
      seen.push_back(text);
    });
  });
  EXPECT_EQ(seen, (Lines{"a", "b", ""}));
  EXPECT_EQ(Brief(issues.errors), (Lines{"TYPE_MISMATCH /inputs/2"}));
}

TEST(ObjectReader, WarnsOfKeysNobodyAskedForAndGuessesWhatWasMeant) {
  std::string text;
  const Issues issues = Read(R"({"planId":"x","zzz":1,"object":{"y":1}})", [&](ObjectReader& reader) {
    reader.String("plan_id", text);
    reader.Object("object", [](ObjectReader&) {});
  });
  EXPECT_TRUE(issues.ok());
  EXPECT_EQ(Brief(issues.warnings),
            (Lines{"UNKNOWN_FIELD /object/y", "UNKNOWN_FIELD /planId", "UNKNOWN_FIELD /zzz"}));
  EXPECT_EQ(issues.warnings[1].hint, "did you mean \"plan_id\"?");
  EXPECT_EQ(issues.warnings[2].hint, "");
}

TEST(ObjectReader, SumsUpWhenThereAreVeryManyUnknownKeys) {
  std::string text = "{";
  for (int i = 0; i < 1000; ++i) text += (i == 0 ? "\"k" : ",\"k") + std::to_string(i) + "\":0";
  const Issues issues = Read(text + "}", [](ObjectReader&) {});
  EXPECT_EQ(issues.warnings.size(), 21U);
  EXPECT_EQ(issues.warnings.back().message, "980 more fields are not known");
}

TEST(ObjectReader, CanLeaveOtherKeysAlone) {
  EXPECT_TRUE(Read(R"({"a":1})", [](ObjectReader& reader) { reader.AllowOthers(); }).warnings.empty());
}

TEST(ObjectReader, RefusesADocumentThatIsNoObject) {
  const Issues issues = Read("[1]", [](ObjectReader&) { FAIL(); });
  EXPECT_EQ(Brief(issues.errors), (Lines{"TYPE_MISMATCH "}));
}

}  // namespace
}  // namespace agenttalk
