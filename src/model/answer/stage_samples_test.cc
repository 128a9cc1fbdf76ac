#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/answer/agent_output.h"
#include "model/answer/stage_sample_fields.h"
#include "model/reading/brief_issues.h"
#include "model/reading/checked.h"
#include "model/request/model_request.h"

// Answers of every stage, right ones and each way of being wrong: valid answers, and a table of their fields
// with what may stand in each. Every sample says which error it must give, and where; exactly that one.
namespace agenttalk {
namespace {

namespace json = boost::json;

struct Sample {
  Stage stage;
  std::string what;
  std::string text;
  std::vector<std::string> errors;  // "CODE /pointer"
};

std::vector<SampleBase> Bases() {
  std::vector<SampleBase> bases = {
      {Stage::kUnderstanding, "intent", kIntent, "INTENT_ANALYSIS", 85, IntentFields()},
      {Stage::kRouter, "route", kRoute, "ROUTE_DECISION", 80, RouteFields()},
      {Stage::kPlanner, "plan", kPlan, "TASK_PLAN", 90, PlanFields()},
      {Stage::kPlanner, "no plan", R"({"reason":"no way"})", "FAIL", 90, {}},
      {Stage::kExecutor, "tool", R"({"path":"a.txt"})", "write_file", 95, {}},
      {Stage::kExecutor,
       "result",
       R"({"result":"done"})",
       "COMPLETE",
       95,
       {{"/params/result", SampleKind::kAny}}},
      {Stage::kExecutor, "no result", R"({"reason":"no way"})", "FAIL", 95, {}},
      {Stage::kReviewer,
       "review",
       kReview,
       "REVIEW_RESULT",
       90,
       {{"/params/approved", SampleKind::kBoolean},
        {"/params/score", SampleKind::kScore},
        {"/params/feedback", SampleKind::kString},
        {"/params/requiredFixes", SampleKind::kStrings, false}}},
      {Stage::kOrchestrator, "phase", R"({"from":"a","to":"b"})", "PHASE_TRANSITION", 85, {}},
      {Stage::kOrchestrator, "resource", R"({"task":"a","agent":"b"})", "RESOURCE_ALLOCATE", 85, {}},
      {Stage::kOrchestrator, "exception", R"({"task":"a","decision":"retry"})", "EXCEPTION_HANDLE", 85, {}},
      {Stage::kOrchestrator, "person", R"({"question":"?"})", "USER_ESCALATE", 85, {}}};
  for (const StageRow& row : kStageRows) {
    const Stage stage = row.stage;
    if (!IsStageAgent(stage)) continue;
    const std::vector<SampleField> error = {{"/params/errorType",
                                             SampleKind::kChoice,
                                             true,
                                             {"parse_error", "context_missing", "tool_unavailable"}},
                                            {"/params/message", SampleKind::kText},
                                            {"/params/suggestion", SampleKind::kString, false}};
    bases.push_back({stage, "error", kError, "ERROR", 0, error});
    bases.push_back({stage, "escalation", kError, "ESCALATE", 0, error});
    bases.push_back({stage,
                     "question",
                     kQuestion,
                     "CLARIFICATION_REQUIRED",
                     30,
                     {{"/params/question", SampleKind::kText}}});
  }
  return bases;
}

json::value Whole(const SampleBase& base) {
  return json::object{{"thought", "because"},
                      {"action", base.action},
                      {"params", json::parse(base.params)},
                      {"expectedOutcome", "done"},
                      {"risk", {{"level", "low"}, {"description", "none"}, {"mitigation", "look"}}},
                      {"confidence", base.confidence},
                      {"alternativeActions", {"x"}},
                      {"requiresUserConfirmation", false},
                      {"userMessage", "hello"}};
}

// What may and may not stand in a field of a kind: a value, the error's code ("": none), and where it is
// said, below the field.
struct Try {
  std::string_view json;
  std::string_view code;
  std::string_view below = "";
};

constexpr std::string_view kType = "TYPE_MISMATCH";
constexpr std::string_view kValue = "VALUE_INVALID";

// What a list of strings must stand, and one more.
std::vector<Try> TriesOfList(Try last) {
  return {{"[]", ""},
          {R"(["a","b"])", ""},
          {"null", kType},
          {R"("a")", kType},
          {"{}", kType},
          {"[1]", kType, "/0"},
          last};
}

const std::map<SampleKind, std::vector<Try>> kTries = {
    {SampleKind::kText,
     {{R"("")", "FIELD_MISSING"},
      {R"(" \t\n")", "FIELD_MISSING"},
      {"null", kType},
      {"1", kType},
      {"true", kType},
      {"[]", kType},
      {"{}", kType},
      {R"("{{HISTORY}} >>>")", ""},
      {R"("蜜蜂")", ""}}},
    {SampleKind::kString,
     {{R"("")", ""},
      {R"("```\n{{USER_GOAL}}")", ""},
      {"null", kType},
      {"1", kType},
      {"[]", kType},
      {"{}", kType}}},
    {SampleKind::kBoolean,
     {{"true", ""}, {"false", ""}, {"null", kType}, {R"("true")", kType}, {"1", kType}, {"[]", kType}}},
    {SampleKind::kUnit,
     {{"0", ""},
      {"1", ""},
      {"0.7", ""},
      {"-0.01", kValue},
      {"1.01", kValue},
      {"85", kValue},
      {"null", kType},
      {R"("0.9")", kType},
      {"[0.9]", kType}}},
    {SampleKind::kConfidence,
     {{"-1", kValue},
      {"100.5", kValue},
      {"1e9", kValue},
      {"null", kType},
      {R"("90")", kType},
      {"true", kType},
      {"[]", kType}}},
    // Models write a score as a string now and then; one that is a number in range is taken.
    {SampleKind::kScore,
     {{"-1", kValue},
      {"100.5", kValue},
      {"1e9", kValue},
      {"null", kType},
      {R"("90")", ""},
      {R"("101")", kType},
      {R"("high")", kType},
      {R"("nan")", kType},
      {"true", kType},
      {"[]", kType}}},
    {SampleKind::kDuration,
     {{"0", ""},
      {"300000", ""},
      {"-1", kValue},
      {"1.5", kValue},
      {"1e15", kValue},
      {"null", kType},
      {R"("5m")", kType}}},
    {SampleKind::kChoice,
     {{R"("")", kValue},
      {R"("nonsense")", kValue},
      {R"("LOW ")", kValue},
      {"null", kType},
      {"1", kType},
      {"[]", kType}}},
    {SampleKind::kStrings, TriesOfList({R"(["a",null])", kType, "/1"})},
    {SampleKind::kTexts, TriesOfList({R"(["a"," "])", kValue, "/1"})},
    {SampleKind::kNames,
     {{"[]", ""},
      {R"(["b/c"])", "NAME_UNSAFE", "/0"},
      {R"([".."])", "NAME_UNSAFE", "/0"},
      {"null", kType},
      {R"("a")", kType},
      {"[{}]", kType, "/0"}}},
    {SampleKind::kName,
     {{R"("")", "TASK_ID_MISSING"},
      {R"("a b")", "NAME_UNSAFE"},
      {R"("../x")", "NAME_UNSAFE"},
      {"null", kType},
      {"1", kType}}},
    {SampleKind::kObject, {{"null", kType}, {"[]", kType}, {R"("x")", kType}, {"1", kType}, {"true", kType}}},
    {SampleKind::kObjects,
     {{"null", kType},
      {"{}", kType},
      {R"("x")", kType},
      {"[]", "FIELD_MISSING"},
      {"[1]", kType, "/0"},
      {R"([{"id":"a","description":"d"},"b"])", kType, "/1"}}},
    {SampleKind::kAny, {{"null", ""}, {"1", ""}, {R"("")", ""}, {"{}", ""}, {R"(["a"])", ""}}}};

const std::vector<Try>& TriesOf(SampleKind kind) {
  return kTries.at(kind);
}

void Erase(json::value& whole, std::string_view pointer) {
  const std::size_t slash = pointer.rfind('/');
  whole.at_pointer(pointer.substr(0, slash)).as_object().erase(pointer.substr(slash + 1));
}

void Put(json::value& whole, std::string_view pointer, json::value value) {
  const std::size_t slash = pointer.rfind('/');
  whole.at_pointer(pointer.substr(0, slash)).as_object()[pointer.substr(slash + 1)] = std::move(value);
}

// Some trials are right in form and wrong for the whole: those that other rules forbid have rows of their
// own.
bool IsMoot(const SampleBase& base, const SampleField& field, const Try& one) {
  const bool gave_up = base.action == "ERROR" || base.action == "ESCALATE";
  return gave_up && field.pointer == "/confidence" && one.code == "VALUE_INVALID";
}

void AddField(const SampleBase& base, const SampleField& field, std::vector<Sample>& samples) {
  const std::string name = std::string(base.name) + " " + std::string(field.pointer);
  const auto add = [&](const json::value& whole, const std::string& what, std::vector<std::string> errors) {
    samples.push_back({base.stage, name + " " + what, json::serialize(whole), std::move(errors)});
  };
  json::value whole = Whole(base);
  Erase(whole, field.pointer);
  const std::string missing = std::string(field.missing) + " " + std::string(field.pointer);
  add(whole, "left out", field.required ? std::vector{missing} : std::vector<std::string>());
  for (const std::string_view choice : field.choices) {
    whole = Whole(base);
    Put(whole, field.pointer, json::value(choice));
    add(whole, std::string(choice), {});
  }
  for (const Try& one : TriesOf(field.kind)) {
    if (IsMoot(base, field, one)) continue;
    whole = Whole(base);
    Put(whole, field.pointer, json::parse(one.json));
    std::vector<std::string> errors;
    if (!one.code.empty()) {
      errors = {std::string(one.code) + " " + std::string(field.pointer) + std::string(one.below)};
      // An optional text may be empty, a required one may not.
    }
    add(whole, std::string(one.json), std::move(errors));
  }
}

// What a table of single fields cannot say.
struct Special {
  Stage stage;
  std::string_view what;
  std::string_view action;
  std::string_view params;
  double confidence;
  std::vector<std::string> errors;
};

std::vector<Special> Specials() {
  std::vector<Special> specials;
  constexpr std::string_view kActions[] = {"INTENT_ANALYSIS",  "ROUTE_DECISION",   "TASK_PLAN",
                                           "REVIEW_RESULT",    "PHASE_TRANSITION", "RESOURCE_ALLOCATE",
                                           "EXCEPTION_HANDLE", "USER_ESCALATE",    "COMPLETE"};
  const std::map<std::string_view, Stage> owners = {{"INTENT_ANALYSIS", Stage::kUnderstanding},
                                                    {"ROUTE_DECISION", Stage::kRouter},
                                                    {"TASK_PLAN", Stage::kPlanner},
                                                    {"REVIEW_RESULT", Stage::kReviewer},
                                                    {"PHASE_TRANSITION", Stage::kOrchestrator},
                                                    {"RESOURCE_ALLOCATE", Stage::kOrchestrator},
                                                    {"EXCEPTION_HANDLE", Stage::kOrchestrator},
                                                    {"USER_ESCALATE", Stage::kOrchestrator},
                                                    {"COMPLETE", Stage::kExecutor}};
  for (const Stage stage : {Stage::kUnderstanding, Stage::kRouter, Stage::kPlanner, Stage::kExecutor,
                            Stage::kReviewer, Stage::kOrchestrator}) {
    // Another stage's action; to an executor it would be a tool, and there is none of that name.
    for (const std::string_view action : kActions) {
      if (owners.at(action) == stage) continue;
      specials.push_back({stage, "another stage's action", action, "{}", 50, {"VALUE_INVALID /action"}});
    }
    for (const std::string_view action : {"intent_analysis", "no such action", "rm -rf /"}) {
      specials.push_back({stage, "no action", action, "{}", 50, {"VALUE_INVALID /action"}});
    }
    for (const std::string_view action : {"ERROR", "ESCALATE"}) {
      for (const double confidence : {1.0, 50.0, 100.0}) {
        specials.push_back(
            {stage, "sure of an error", action, kError, confidence, {"VALUE_INVALID /confidence"}});
      }
    }
  }
  const auto plan = [&](std::string_view what, std::string_view params, std::vector<std::string> errors) {
    specials.push_back({Stage::kPlanner, what, "TASK_PLAN", params, 90, std::move(errors)});
  };
  plan("a cycle of one", R"({"tasks":[{"id":"a","description":"d","dependencies":["a"]}]})",
       {"DAG_CYCLE /params/tasks"});
  plan(
      "a cycle of three",
      R"({"tasks":[{"id":"a","description":"d","dependencies":["c"]},{"id":"b","description":"d","dependencies":["a"]},
           {"id":"c","description":"d","dependencies":["b"]}]})",
      {"DAG_CYCLE /params/tasks"});
  plan("an unknown dependency", R"({"tasks":[{"id":"a","description":"d","dependencies":["z"]}]})",
       {"DEPENDENCY_UNKNOWN /params/tasks"});
  plan("an id twice", R"({"tasks":[{"id":"a","description":"d"},{"id":"a","description":"d"}]})",
       {"TASK_ID_DUPLICATE /params/tasks"});
  return specials;
}

std::vector<Sample> Samples() {
  std::vector<Sample> samples;
  for (const SampleBase& base : Bases()) {
    samples.push_back({base.stage, std::string(base.name), json::serialize(Whole(base)), {}});
    for (const SampleField& field : CommonFields()) AddField(base, field, samples);
    for (const SampleField& field : base.fields) AddField(base, field, samples);
  }
  for (const Special& special : Specials()) {
    const SampleBase base{special.stage,  special.what,       special.params,
                          special.action, special.confidence, {}};
    samples.push_back({special.stage, std::string(special.what) + " " + std::string(special.action),
                       json::serialize(Whole(base)), special.errors});
  }
  for (const Stage stage : {Stage::kUnderstanding, Stage::kRouter, Stage::kPlanner, Stage::kExecutor,
                            Stage::kReviewer, Stage::kOrchestrator}) {
    samples.push_back({stage, "nothing", "", {"JSON_INVALID "}});
    samples.push_back({stage, "a sentence", "I would rather talk.", {"JSON_INVALID "}});
    samples.push_back({stage, "half an object", R"({"thought":)", {"JSON_INVALID "}});
    samples.push_back({stage, "a key twice", R"({"thought":"a","thought":"b"})", {"JSON_INVALID "}});
    samples.push_back({stage, "a list", "[]", {"TYPE_MISMATCH "}});
    samples.push_back({stage, "too deep", std::string(200, '[') + std::string(200, ']'), {"JSON_TOO_DEEP "}});
  }
  return samples;
}

TEST(StageSamples, EachGivesExactlyTheErrorThatItMust) {
  const std::vector<std::string> tools = {"write_file", "read_file"};
  for (const Sample& sample : Samples()) {
    const Checked<AgentOutput> output =
        ParseAgentOutput(sample.text, {.stage = sample.stage, .known_tools = tools, .known_tasks = {}});
    EXPECT_EQ(Brief(output.issues.errors), sample.errors)
        << ToString(sample.stage) << ": " << sample.what << "\n"
        << sample.text;
    EXPECT_EQ(output.value.has_value(), sample.errors.empty()) << sample.what;
  }
}

TEST(StageSamples, ThereAreEnoughOfEachStageAndOfBothKinds) {
  std::map<Stage, std::pair<std::size_t, std::size_t>> counts;
  for (const Sample& sample : Samples()) {
    ++(sample.errors.empty() ? counts[sample.stage].first : counts[sample.stage].second);
  }
  for (const StageRow& row : kStageRows) {
    ASSERT_EQ(counts.contains(row.stage), IsStageAgent(row.stage)) << row.name;
  }
  for (const auto& [stage, count] : counts) {
    RecordProperty(std::string(ToString(stage)), static_cast<int>(count.first + count.second));
    EXPECT_GE(count.first + count.second, 150U) << ToString(stage);
    EXPECT_GE(count.first, 30U) << ToString(stage) << ": right answers";
    EXPECT_GE(count.second, 100U) << ToString(stage) << ": wrong answers";
  }
}

}  // namespace
}  // namespace agenttalk
