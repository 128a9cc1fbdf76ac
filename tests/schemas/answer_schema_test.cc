#include "prompts/answer_schema.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/answer/agent_output.h"
#include "model/dag/task_outcome.h"
#include "model/request/model_request.h"
#include "prompts/answer_reader.h"
#include "prompts/composer.h"
#include "schemas/schema_validator.h"

// The schema that a model's answer is held to, and the reader that decides: what the schema allows in form
// the reader takes, and what the reader calls wrong in form the schema forbids.
namespace agenttalk {
namespace {

namespace json = boost::json;

const std::vector<ToolSpec> kTools = {{"read_file", "Reads.", R"({"type":"object"})"}};
const std::vector<std::string> kOutputs = {"a.md", "b.json"};
const std::vector<std::string> kUpstream = {"t1", "t2"};
const std::vector<CommandForm> kCommands = {
    {"append_task", {{"task_id"}, {"dependent_task_ids", true}}},
    {"finish_current_task", {{"result", false, false}}},
    {"pass", {}},
};

bool Fits(const std::string& schema, std::string_view answer) {
  auto validator = SchemaValidator::Load(json::parse(schema));
  EXPECT_TRUE(validator) << schema;
  return validator && validator->Validate(json::parse(answer)).has_value();
}

struct Sample {
  std::string_view answer;
  bool good = true;
};

void ExpectAgreement(const ComposeInput& input, std::span<const CommandForm> commands,
                     const std::vector<Sample>& samples) {
  AnswerContract contract = input.contract;
  contract.commands_allowed = !commands.empty();
  contract.tools_allowed = !input.text_tools.empty();
  const std::string schema = AnswerSchema(input, kTools, commands);
  for (const Sample& sample : samples) {
    EXPECT_EQ(Fits(schema, sample.answer), sample.good) << sample.answer << "\n" << schema;
    EXPECT_EQ(ReadAnswer(sample.answer, contract).has_value(), sample.good) << sample.answer;
  }
}

TEST(AnswerSchema, APlainCommandHasAResult) {
  ExpectAgreement({}, {}, {{R"({"result":"done"})"}, {R"({})", false}, {R"({"result":null})", false}});
}

TEST(AnswerSchema, AScoreIsANumberFromZeroToHundred) {
  ComposeInput input;
  input.contract.score_required = true;
  ExpectAgreement(input, {},
                  {{R"({"result":"done","score":85,"score_explanation":"good"})"},
                   {R"({"result":"done","score":0,"score_explanation":"good"})"},
                   {R"({"result":"done","score":100,"score_explanation":"good"})"},
                   {R"({"result":"done","score":101,"score_explanation":"good"})", false},
                   {R"({"result":"done","score":-1,"score_explanation":"good"})", false},
                   {R"({"result":"done","score":"high","score_explanation":"good"})", false},
                   {R"({"result":"done","score_explanation":"good"})", false}});
  // The schema asks for integers, because servers that follow it keep their bounds; the reader takes what
  // models without a schema write as well.
  const std::string schema = AnswerSchema(input, kTools, {});
  for (const std::string_view answer : {R"({"result":"done","score":85.5,"score_explanation":"good"})",
                                        R"({"result":"done","score":"85","score_explanation":"good"})"}) {
    EXPECT_FALSE(Fits(schema, answer)) << answer;
    EXPECT_TRUE(ReadAnswer(answer, input.contract).has_value()) << answer;
  }
}

TEST(AnswerSchema, OfSeveralOutputsEachIsGiven) {
  ComposeInput input;
  input.contract.outputs = kOutputs;
  ExpectAgreement(input, {},
                  {{R"({"result":"two files","outputs":{"a.md":"x","b.json":"[1]"}})"},
                   {R"({"result":"two files","outputs":{"a.md":"x"}})", false},
                   {R"({"result":"two files"})", false}});
  input.contract.outputs = {kOutputs[0]};
  ExpectAgreement(input, {}, {{R"({"result":"the file"})"}});
}

TEST(AnswerSchema, AnOutputThatOnlySomeScoresWantMayBeNull) {
  const std::vector<OutputCondition> when = {{"b.json", {{70, {}}}}};
  ComposeInput input;
  input.contract.score_required = true;
  input.contract.outputs = kOutputs;
  input.contract.when = when;
  ExpectAgreement(
      input, {},
      {{R"({"result":"r","score":60,"score_explanation":"e","outputs":{"a.md":"x","b.json":null}})"},
       {R"({"result":"r","score":80,"score_explanation":"e","outputs":{"a.md":"x","b.json":"[1]"}})"},
       {R"({"result":"r","score":80,"score_explanation":"e","outputs":{"a.md":null,"b.json":"[1]"}})",
        false}});
}

TEST(AnswerSchema, SomethingElseMayStandInsteadOfAResult) {
  ComposeInput input;
  input.contract.score_required = true;
  input.contract.outputs = kOutputs;
  input.contract.may_return = kUpstream;
  input.contract.may_reject = true;
  ExpectAgreement(
      input, {},
      {{R"({"result":null,"score":null,"score_explanation":null,"outputs":null,
           "rework":{"task_id":"t1","reason":"thin"},"rejected":null})"},
       {R"({"result":null,"score":null,"score_explanation":null,"outputs":null,"rework":null,"rejected":"busy"})"},
       {R"({"result":"r","score":1,"score_explanation":"e","outputs":{"a.md":"x","b.json":"y"},
           "rework":null,"rejected":null})"},
       {R"({"result":null,"score":null,"score_explanation":null,"outputs":null,
           "rework":{"task_id":"t9","reason":"thin"},"rejected":null})",
        false}});
}

TEST(AnswerSchema, CommandsHaveTheirNamesAndArguments) {
  ExpectAgreement(
      {}, kCommands,
      {{R"({"result":null,"commands":[{"command_name":"append_task","args":{"task_id":"a","dependent_task_ids":[]}},
           {"command_name":"finish_current_task","args":{"result":null}},{"command_name":"pass","args":{}}]})"},
       {R"({"result":"done","commands":[]})"},
       {R"({"result":"done","commands":[{"command_name":7,"args":{}}]})", false},
       {R"({"result":"done","commands":{}})", false}});
  const std::string schema = AnswerSchema({}, kTools, kCommands);
  // What the registry refuses later.
  EXPECT_FALSE(Fits(schema, R"({"result":"done","commands":[{"command_name":"explode","args":{}}]})"));
  EXPECT_FALSE(Fits(schema, R"({"result":"done","commands":[{"command_name":"append_task","args":{}}]})"));
}

TEST(AnswerSchema, ToolsThatAreToldOfInTheTextAreCalledInTheAnswer) {
  ComposeInput input;
  input.text_tools = kTools;
  ExpectAgreement(input, {},
                  {{R"({"result":null,"tool_calls":[{"name":"read_file","arguments":{"path":"a"}}]})"},
                   {R"({"result":"done","tool_calls":[]})"},
                   {R"({"result":null,"tool_calls":[{"name":"read_file","arguments":"a"}]})", false}});
  EXPECT_EQ(AnswerSchema({}, kTools, {}).find("tool_calls"), std::string::npos)
      << "tools of the provider's own protocol are no part of the answer";
}

TEST(AnswerSchema, AStrategyIsOneOfThree) {
  ComposeInput input;
  input.ids.stage = Stage::kStrategy;
  input.contract.may_reject = true;
  const std::string schema = AnswerSchema(input, kTools, {});
  AnswerContract contract;
  contract.may_reject = true;
  for (const auto& [answer, good] :
       std::vector<Sample>{{R"({"strategy":"simple","sop":"","reason":"small","rejected":null})"},
                           {R"({"strategy":"template","sop":"review","reason":"known","rejected":null})"},
                           {R"({"strategy":"simple","sop":"","reason":"","rejected":"not mine"})"},
                           {R"({"strategy":"auto","sop":"","reason":"","rejected":null})", false},
                           {R"({"sop":"","reason":"","rejected":null})", false}}) {
    EXPECT_EQ(Fits(schema, answer), good) << answer;
    EXPECT_EQ(ReadStrategy(answer, contract).has_value(), good) << answer;
  }
}

TEST(AnswerSchema, StepsSayWhatIsDoneOrWhoIsAsked) {
  ComposeInput input;
  input.ids.stage = Stage::kInternalPlan;
  const std::string schema = AnswerSchema(input, kTools, {});
  for (
      const auto& [answer, good] : std::vector<Sample>{
          {R"({"steps":[{"id":"a","type":"use_tool","name":"read_file","params":{"path":"x"},"on_error":"stop","risk":"low"},
               {"id":"b","type":"request_collaboration","to":"bob","params":{"subtask":"s"},"on_error":"skip"}]})"},
          {R"({"steps":[{"id":"a","type":"use_tool","to":"bob","params":{},"on_error":"stop"}]})", false},
          {R"({"steps":[{"id":"a","type":"dance","name":"x","params":{},"on_error":"stop"}]})", false},
          {R"({"steps":"none"})", false}}) {
    EXPECT_EQ(Fits(schema, answer), good) << answer;
    EXPECT_EQ(ReadPlannedSteps(answer, {}).has_value(), good) << answer;
  }
}

struct StageSample {
  Stage stage;
  std::string_view action;
  std::string_view params;
  bool good = true;
};

constexpr std::string_view kIntent = R"({
  "normalizedIntent":{"goal":"g","action":"create","scope":"full_task","urgency":"high"},
  "taskRelation":{"type":"different_task","confidence":0.85,"reasoning":"r"},
  "contextDependency":{"needsCurrentTaskContext":true,"needsExecutionHistory":false,"referencedEntities":["e"]}})";
constexpr std::string_view kNoUrgency = R"({
  "normalizedIntent":{"goal":"g","action":"create","scope":"full_task"},
  "taskRelation":{"type":"different_task","confidence":0.85,"reasoning":"r"},
  "contextDependency":{"needsCurrentTaskContext":true,"needsExecutionHistory":false,"referencedEntities":["e"]}})";
constexpr std::string_view kError = R"({"errorType":"context_missing","message":"m","suggestion":""})";

const std::vector<StageSample> kStageSamples = {
    {Stage::kUnderstanding, "INTENT_ANALYSIS", kIntent},
    {Stage::kUnderstanding, "INTENT_ANALYSIS", kNoUrgency, false},
    {Stage::kUnderstanding, "CLARIFICATION_REQUIRED", R"({"question":"which?"})"},
    {Stage::kUnderstanding, "ROUTE_DECISION", kIntent, false},
    {Stage::kRouter, "ROUTE_DECISION",
     R"({"route":"new_task","payload":{"reason":"r","requiresConfirmation":true}})"},
    {Stage::kRouter, "ROUTE_DECISION",
     R"({"route":"control_action","payload":{"reason":"r","requiresConfirmation":true,"controlAction":"pause"}})"},
    {Stage::kRouter, "ROUTE_DECISION",
     R"({"route":"nowhere","payload":{"reason":"r","requiresConfirmation":true}})", false},
    {Stage::kPlanner, "TASK_PLAN",
     R"({"tasks":[{"id":"a","description":"d","dependencies":[],"requiredCapabilities":["c"],"estimatedDuration":300000,
         "inputs":["notes.md"],"outputs":["a.md"]}],"executionOrder":["a"]})"},
    {Stage::kPlanner, "TASK_PLAN", R"({"tasks":[{"id":"a"}],"executionOrder":["a"]})", false},
    {Stage::kPlanner, "FAIL", R"({"reason":"no way"})"},
    {Stage::kReviewer, "REVIEW_RESULT", R"({"approved":true,"score":85,"feedback":"f","requiredFixes":[]})"},
    {Stage::kReviewer, "REVIEW_RESULT", R"({"approved":"yes","score":85,"feedback":"f","requiredFixes":[]})",
     false},
    {Stage::kReviewer, "ERROR", kError},
    {Stage::kReviewer, "ERROR", R"({"errorType":"bad_mood","message":"m","suggestion":""})", false},
    {Stage::kExecutor, "read_file", R"({"path":"a.txt"})"},
    {Stage::kExecutor, "write_file", R"({"path":"a.txt"})", false},
    {Stage::kExecutor, "COMPLETE", R"({"result":"done","outputs":{"a.md":"x"}})"},
    {Stage::kOrchestrator, "EXCEPTION_HANDLE", R"({"task":"a","decision":"retry"})"},
    {Stage::kOrchestrator, "TASK_PLAN", R"({"task":"a"})", false},
};

std::string StageAnswer(const StageSample& sample) {
  return R"({"thought":"because","action":")" + std::string(sample.action) + R"(","params":)" +
         std::string(sample.params) +
         R"(,"expectedOutcome":"done","risk":{"level":"low","description":"none","mitigation":""},"confidence":)" +
         (sample.action == "ERROR" ? "0" : "80") +
         R"(,"alternativeActions":[],"requiresUserConfirmation":false,"userMessage":""})";
}

TEST(AnswerSchema, EveryStageHasItsActionsAndTheirParams) {
  for (const StageSample& sample : kStageSamples) {
    ComposeInput input;
    input.ids.stage = sample.stage;
    AnswerContract contract;
    contract.form = sample.stage;
    contract.known_tools = {"read_file"};
    const std::string answer = StageAnswer(sample);
    EXPECT_EQ(Fits(AnswerSchema(input, kTools, {}), answer), sample.good) << answer;
    EXPECT_EQ(ReadStageAnswer(answer, contract).has_value(), sample.good) << answer;
  }
}

// Words that OpenAI's strict mode and grammar-based servers all know; Anthropic's format leaves out the
// bounds, which its service refuses.
void ExpectCommonWords(const json::value& value, bool is_schema) {
  constexpr std::array<std::string_view, 9> kWords{"type",  "properties", "required",
                                                   "items", "enum",       "additionalProperties",
                                                   "anyOf", "minimum",    "maximum"};
  if (const json::array* list = value.if_array()) {
    for (const json::value& item : *list) ExpectCommonWords(item, is_schema);
  }
  const json::object* object = value.if_object();
  if (object == nullptr) return;
  for (const auto& member : *object) {
    if (is_schema) {
      EXPECT_NE(std::ranges::find(kWords, std::string_view(member.key())), kWords.end()) << member.key();
    }
    const bool names = is_schema && member.key() == "properties";
    ExpectCommonWords(member.value(), !names);
  }
}

TEST(AnswerSchema, IsSmallAndUsesWhatServersHaveInCommon) {
  for (const Stage stage :
       {Stage::kCommand, Stage::kUnderstanding, Stage::kRouter, Stage::kPlanner, Stage::kExecutor,
        Stage::kReviewer, Stage::kOrchestrator, Stage::kStrategy, Stage::kInternalPlan}) {
    ComposeInput input;
    input.ids.stage = stage;
    input.contract.score_required = true;
    input.contract.outputs = kOutputs;
    input.contract.may_return = kUpstream;
    input.contract.may_reject = true;
    const std::string schema = AnswerSchema(input, kTools, kCommands);
    EXPECT_LT(schema.size(), 2400U) << ToString(stage);
    ExpectCommonWords(json::parse(schema), true);
  }
}

}  // namespace
}  // namespace agenttalk
