#include "model/steps/internal_plan.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/error_code.h"
#include "base/issue.h"
#include "base/json.h"
#include "model/steps/sop.h"
#include "model/steps/step_reference.h"

namespace agenttalk {
namespace {

const char* const kGood = R"({"strategy": "freeform", "steps": [
  {"id": "look", "type": "use_tool", "name": "read_file", "params": {"path": "a.md"}, "on_error": "retry"},
  {"id": "ask", "type": "request_collaboration", "to": "bob", "params": {"subtask": "check it",
   "context": {"text": "${look.result}"}, "deadline": "5m"}, "on_error": "alone"},
  {"id": "write", "type": "execute_action", "name": "write_output",
   "params": {"name": "out.md", "content": "${ask.result}"}},
  {"id": "alone", "type": "execute_action", "name": "ask_model", "params": {"prompt": "check ${look.result}"}}]})";

TEST(InternalPlanTest, ReadsWhatItWrites) {
  const auto plan = ParseInternalPlan(kGood);
  ASSERT_TRUE(plan) << plan.issues.errors.front().message;
  ASSERT_EQ(plan->steps.size(), 4U);
  EXPECT_EQ(plan->steps[1].name, "bob");
  EXPECT_EQ(plan->steps[1].on_error, OnError::kAlternative);
  EXPECT_TRUE(plan->IsAlternative(3));
  EXPECT_FALSE(plan->IsAlternative(2));
  const auto again = ReadInternalPlan(ToJson(*plan));
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, *plan);
}

struct BadPlan {
  const char* text;
  ErrorCode code;
  const char* path;
};

class BadPlanTest : public ::testing::TestWithParam<BadPlan> {};

TEST_P(BadPlanTest, IsRefusedWithItsPlace) {
  const auto plan = ParseInternalPlan(GetParam().text);
  ASSERT_FALSE(plan) << GetParam().text;
  EXPECT_EQ(plan.issues.errors.front().code, GetParam().code) << plan.issues.errors.front().message;
  EXPECT_EQ(plan.issues.errors.front().path, GetParam().path) << plan.issues.errors.front().message;
}

INSTANTIATE_TEST_SUITE_P(
    Forms, BadPlanTest,
    ::testing::Values(
        BadPlan{"nonsense", ErrorCode::kJsonInvalid, ""}, BadPlan{"[]", ErrorCode::kTypeMismatch, ""},
        BadPlan{"{}", ErrorCode::kFieldMissing, "/steps"},
        BadPlan{R"({"steps": []})", ErrorCode::kFieldMissing, "/steps"},
        BadPlan{R"({"steps": {}})", ErrorCode::kTypeMismatch, "/steps"},
        BadPlan{R"({"strategy": "auto", "steps": [{"id": "a", "type": "use_tool", "name": "t"}]})",
                ErrorCode::kValueInvalid, "/strategy"},
        BadPlan{R"({"steps": [{"type": "use_tool", "name": "t"}]})", ErrorCode::kFieldMissing, "/steps/0/id"},
        BadPlan{R"({"steps": [{"id": "../x", "type": "use_tool", "name": "t"}]})", ErrorCode::kNameUnsafe,
                "/steps/0/id"},
        BadPlan{R"({"steps": [{"id": "skip", "type": "use_tool", "name": "t"}]})", ErrorCode::kValueInvalid,
                "/steps/0/id"},
        BadPlan{R"({"steps": [{"id": "a", "type": "dance", "name": "t"}]})", ErrorCode::kValueInvalid,
                "/steps/0/type"},
        BadPlan{R"({"steps": [{"id": "a", "type": "use_tool"}]})", ErrorCode::kFieldMissing, "/steps/0/name"},
        BadPlan{R"({"steps": [{"id": "a", "type": "use_tool", "name": "t", "params": 3}]})",
                ErrorCode::kTypeMismatch, "/steps/0/params"},
        BadPlan{
            R"({"steps": [{"id": "a", "type": "use_tool", "name": "t"}, {"id": "a", "type": "use_tool", "name": "t"}]})",
            ErrorCode::kValueInvalid, "/steps/1/id"},
        BadPlan{R"({"steps": [{"id": "a", "type": "use_tool", "name": "t", "params": {"x": "${b.result}"}},
            {"id": "b", "type": "use_tool", "name": "t"}]})",
                ErrorCode::kValueInvalid, "/steps/0/params"},
        BadPlan{
            R"({"steps": [{"id": "a", "type": "use_tool", "name": "t", "params": {"x": ["${a.result}"]}}]})",
            ErrorCode::kValueInvalid, "/steps/0/params"},
        BadPlan{R"({"steps": [{"id": "a", "type": "use_tool", "name": "t", "params": {"x": "${a"}}]})",
                ErrorCode::kValueInvalid, "/steps/0/params"},
        BadPlan{R"({"steps": [{"id": "a", "type": "use_tool", "name": "t", "on_error": "b"}]})",
                ErrorCode::kValueInvalid, "/steps/0/on_error"},
        BadPlan{
            R"({"steps": [{"id": "b", "type": "use_tool", "name": "t"}, {"id": "a", "type": "use_tool", "name": "t", "on_error": "b"}]})",
            ErrorCode::kValueInvalid, "/steps/1/on_error"},
        BadPlan{R"({"steps": [{"id": "a", "type": "request_collaboration", "to": "bob"}]})",
                ErrorCode::kFieldMissing, "/steps/0/params"},
        BadPlan{
            R"({"steps": [{"id": "a", "type": "use_tool", "name": "t"}, {"id": "b", "type": "request_collaboration",
            "to": "bob", "params": {"subtask": "do ${a.result}"}}]})",
            ErrorCode::kValueInvalid, "/steps/1/params"},
        BadPlan{R"({"steps": [{"id": "a", "type": "use_tool", "name": "t", "on_error": "b"},
            {"id": "b", "type": "use_tool", "name": "t"},
            {"id": "c", "type": "use_tool", "name": "t", "params": {"x": "${b.result}"}}]})",
                ErrorCode::kValueInvalid, "/steps/2/params"}));

TEST(StepReferenceTest, FillsInTextsAndWholeValues) {
  auto value = *ParseJson(R"({"a": "got ${s.result}!", "b": "${s.result}", "c": ["$${s.result}", 3]})");
  Substitute(value, [](const StepReference&) { return std::optional(ReferredText{R"({"n":1})", true}); });
  EXPECT_EQ(CanonicalJson(value), R"({"a":"got {\"n\":1}!","b":{"n":1},"c":["${s.result}",3]})");
}

TEST(StepReferenceTest, NeverLooksIntoWhatCameIn) {
  const auto evil = [](const StepReference&) {
    return std::optional(ReferredText{"${secret.result}", false});
  };
  EXPECT_EQ(Substitute("<${a.result}>", evil), "<${secret.result}>");
  // Filled in beforehand, as a parameter is, it must survive the second pass as text.
  const std::string first = Substitute("<${a.result}>", evil, true);
  EXPECT_EQ(Substitute(first, [](const StepReference&) { return std::optional(ReferredText{"leaked"}); }),
            "<${secret.result}>");
}

TEST(StepReferenceTest, TwoTextsNeverMakeAReferenceTogether) {
  const auto halves = [](const StepReference& reference) {
    return std::optional(ReferredText{reference.owner == "a" ? "$$" : "{secret.result}", false});
  };
  const std::string joined = Substitute("${a.result}${b.result}", halves, true);
  EXPECT_TRUE(ReferencesIn(joined)->empty()) << joined;
  EXPECT_EQ(Substitute(joined, halves), "$${secret.result}");
}

const char* const kSop = R"(name: greet
description: Greets somebody.
match: {keywords: [greet, 问候], capabilities: [writing]}
parameters:
  whom: {default: the world}
  tone: {description: how}
steps:
  - id: say
    type: execute_action
    name: ask_model
    params: {prompt: "Greet ${parameters.whom}, ${parameters.tone}."}
)";

TEST(SopTest, MatchesByWordsAndCapabilities) {
  const auto sop = ParseSop(kSop);
  ASSERT_TRUE(sop) << sop.issues.errors.front().message;
  const std::vector<std::string> can{"writing"};
  EXPECT_TRUE(Matches(*sop, {"Please GREET them", "t", can}));
  EXPECT_TRUE(Matches(*sop, {"请问候他们", "t", can}));
  EXPECT_FALSE(Matches(*sop, {"Please wave", "t", can}));
  EXPECT_FALSE(Matches(*sop, {"Please greet them", "t", {}}));
}

TEST(SopTest, TakesParametersFromThePromptAndKeepsThemText) {
  const auto sop = ParseSop(kSop);
  ASSERT_TRUE(sop);
  EXPECT_FALSE(Instantiate(*sop, "Greet.")) << "tone has no default";
  const auto plan = Instantiate(*sop, "Greet.\ntone: warm ${say.result}\n");
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->steps[0].params, R"({"prompt":"Greet the world, warm $${say.result}."})");
}

TEST(SopTest, TellsEveryFaultWithItsLine) {
  const auto sop = ParseSop(
      "name: x y\nmatch: {}\nsteps:\n  - id: a\n    type: use_tool\n    params: {p: \"${q.result}\"}\n");
  ASSERT_FALSE(sop);
  EXPECT_GE(sop.issues.errors.size(), 4U);
  for (const Issue& issue : sop.issues.errors) EXPECT_GT(issue.line, 0) << issue.message;
}

TEST(SopTest, ThreeUsefulOnesComeWithTheProgram) {
  std::vector<std::string> names;
  for (const Sop& sop : ShippedSops()) names.push_back(sop.name);
  EXPECT_EQ(names, (std::vector<std::string>{"fix-with-tests", "research-and-write", "review-document"}));
  const std::vector<Sop> again = ParseSops(ToText(ShippedSops()));
  EXPECT_EQ(again, ShippedSops());
}

}  // namespace
}  // namespace agenttalk
