#include "prompts/answer_reader.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error_code.h"
#include "base/issue.h"
#include "model/answer/agent_output.h"
#include "model/answer/thinking_command.h"
#include "model/content/content.h"
#include "model/dag/task_outcome.h"

namespace agenttalk {
namespace {

const std::vector<std::string> kOne = {"summary.md"};
const std::vector<std::string> kTwo = {"summary.md", "facts.json"};

Answer Read(std::string_view text, const AnswerContract& contract = {}) {
  auto answer = ReadAnswer(text, contract);
  if (answer) return *answer;
  ADD_FAILURE() << text << ": " << answer.error().errors.front().message;
  return {};
}

// "CODE /path" of each error, joined.
std::string Errors(std::string_view text, const AnswerContract& contract = {}) {
  const auto answer = ReadAnswer(text, contract);
  if (answer) return "none";
  std::string all;
  for (const Issue& error : answer.error().errors) {
    if (!all.empty()) all += ", ";
    all += ToString(error.code);
    if (!error.path.empty()) all += " " + error.path;
    EXPECT_FALSE(error.message.empty());
  }
  return all;
}

AnswerContract Scored() {
  AnswerContract contract;
  contract.score_required = true;
  return contract;
}

AnswerContract Outputs(const std::vector<std::string>& names) {
  AnswerContract contract;
  contract.outputs = names;
  return contract;
}

const std::map<std::string, Content> kFiles = {
    {"inputs/data.csv", {}}, {"outputs/summary.md", {}}, {"outputs/other.json", {}}};

// As Read and Errors, for a command with files in its folder.
Answer ReadBeside(std::string_view text, const std::vector<std::string>& names) {
  auto answer = ReadAnswer(text, Outputs(names), {}, {}, kFiles);
  if (answer) return *answer;
  ADD_FAILURE() << text << ": " << answer.error().errors.front().message;
  return {};
}
std::string ErrorsBeside(std::string_view text, const std::vector<std::string>& names) {
  const auto answer = ReadAnswer(text, Outputs(names), {}, {}, kFiles);
  std::string all;
  for (const Issue& error : answer ? std::vector<Issue>() : answer.error().errors) {
    all += (all.empty() ? "" : ", ") + std::string(ToString(error.code)) + " " + error.path;
  }
  return all;
}

TEST(ReadAnswer, AnOutputThatAToolLeftUnderItsNameNeedNotBeGiven) {
  EXPECT_EQ(ErrorsBeside(R"({"result": "r"})", kTwo), "FIELD_MISSING /outputs/facts.json");
  const Answer answer =
      ReadBeside(R"({"result": "r", "outputs": {"facts.json": "{}", "summary.md": null}})", kTwo);
  EXPECT_EQ(answer.outputs.size(), 1U);
}

TEST(ReadAnswer, AnOutputMayNameAFile) {
  const Answer answer =
      ReadBeside(R"({"result": "r", "outputs": {"facts.json": {"file": "outputs/other.json"},
                                          "copy.csv": {"file": "/task/inputs/data.csv"}}})",
                 kTwo);
  EXPECT_EQ(answer.files.at("facts.json"), "outputs/other.json");
  EXPECT_EQ(answer.files.at("copy.csv"), "inputs/data.csv");
  EXPECT_TRUE(answer.outputs.empty());
  EXPECT_EQ(ErrorsBeside(R"({"result": "r", "outputs": {"facts.json": {"file": "work/x.json"}}})", kTwo),
            "NOT_FOUND /outputs/facts.json, FIELD_MISSING /outputs/facts.json");
  EXPECT_EQ(Errors(R"({"result": "r", "outputs": {"x.json": {"file": "outputs/../../secret"}}})"),
            "NOT_FOUND /outputs/x.json");
}

TEST(ReadAnswer, AnObjectWithMoreThanAFileIsContent) {
  const Answer answer = Read(R"({"result": "r", "outputs": {"x.json": {"file": "a", "line": 3}}})");
  EXPECT_EQ(answer.outputs.at("x.json").text, R"({"file":"a","line":3})");
}

TEST(ReadCompletionParams, HoldsACompletionAgainstTheDeclaredOutputs) {
  const auto read = ReadCompletionParams(
      R"({"result": "r", "outputs": {"facts.json": "{}"}, "evidence": "seen"})", Outputs(kTwo), kFiles);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->outputs.at("facts.json").text, "{}");
  EXPECT_TRUE(read->warnings.empty());
  const auto lacking = ReadCompletionParams(R"({"result": "r"})", Outputs(kTwo), {});
  ASSERT_FALSE(lacking);
  EXPECT_EQ(lacking.error().errors.front().path, "/params/outputs/summary.md");
}

TEST(ReadAnswer, TakesAPlainResult) {
  const Answer answer = Read(R"({"result": "fine\nthen"})");
  ASSERT_TRUE(answer.result);
  EXPECT_EQ(answer.result->text, "fine\nthen");
  EXPECT_FALSE(answer.result->is_json);
  EXPECT_FALSE(answer.score);
}

TEST(ReadAnswer, KeepsAResultThatIsNotAStringAsJson) {
  const Answer answer = Read(R"({"result": {"b": [1, 2.5], "a": true}})");
  EXPECT_EQ(answer.result->text, R"({"a":true,"b":[1,2.5]})");
  EXPECT_TRUE(answer.result->is_json);
}

TEST(ReadAnswer, TakesScoreAndExplanation) {
  const Answer answer = Read(R"({"result":"x","score":85,"score_explanation":"good"})", Scored());
  EXPECT_EQ(answer.score, 85.0);
  EXPECT_EQ(answer.score_explanation, "good");
  EXPECT_EQ(Read(R"({"result":"x","score":69.5})", Scored()).score, 69.5);
  EXPECT_EQ(Read(R"({"result":"x","score":0})", Scored()).score, 0.0);
  EXPECT_EQ(Read(R"({"result":"x","score":100})", Scored()).score, 100.0);
}

TEST(ReadAnswer, RefusesScoresThatAreNotFromZeroToHundred) {
  EXPECT_EQ(Errors(R"({"result":"x"})", Scored()), "FIELD_MISSING /score");
  EXPECT_EQ(Errors(R"({"result":"x","score":null})", Scored()), "FIELD_MISSING /score");
  EXPECT_EQ(Errors(R"({"result":"x","score":"good"})", Scored()), "TYPE_MISMATCH /score");
  EXPECT_EQ(Errors(R"({"result":"x","score":"850"})", Scored()), "VALUE_INVALID /score");
  EXPECT_EQ(Read(R"({"result":"x","score":"85"})", Scored()).score, 85);  // models write numbers in quotes
  EXPECT_EQ(Errors(R"({"result":"x","score":100.5})", Scored()), "VALUE_INVALID /score");
  EXPECT_EQ(Errors(R"({"result":"x","score":-1})", Scored()), "VALUE_INVALID /score");
  EXPECT_EQ(Errors(R"({"result":"x","score":NaN})", Scored()), "JSON_INVALID");
}

TEST(ReadAnswer, ABadScoreThatNobodyAskedForIsAWarning) {
  const Answer answer = Read(R"({"result":"x","score":"high"})");
  EXPECT_FALSE(answer.score);
  ASSERT_EQ(answer.warnings.size(), 1U);
  EXPECT_EQ(answer.warnings[0].code, ErrorCode::kTypeMismatch);
}

TEST(ReadAnswer, AMissingExplanationIsAWarning) {
  const Answer answer = Read(R"({"result":"x","score":50})", Scored());
  ASSERT_EQ(answer.warnings.size(), 1U);
  EXPECT_EQ(answer.warnings[0].path, "/score_explanation");
}

TEST(ReadAnswer, TakesNamedOutputs) {
  const Answer answer =
      Read(R"({"result":"x","outputs":{"summary.md":"text","facts.json":{"n":1}}})", Outputs(kTwo));
  EXPECT_EQ(answer.outputs.at("summary.md").text, "text");
  EXPECT_EQ(answer.outputs.at("facts.json").text, "{\"n\":1}");
  EXPECT_TRUE(answer.outputs.at("facts.json").is_json);
}

TEST(ReadAnswer, EachOfSeveralOutputsMustBeGiven) {
  EXPECT_EQ(Errors(R"({"result":"x"})", Outputs(kTwo)),
            "FIELD_MISSING /outputs/summary.md, FIELD_MISSING /outputs/facts.json");
  EXPECT_EQ(Errors(R"({"result":"x","outputs":{"summary.md":"t"}})", Outputs(kTwo)),
            "FIELD_MISSING /outputs/facts.json");
}

TEST(ReadAnswer, AnOutputThatTheScoreDoesNotWantMayBeMissing) {
  const std::vector<OutputCondition> when = {{"facts.json", {{70, 80}, {90, std::nullopt}}}};
  AnswerContract contract = Outputs(kTwo);
  contract.score_required = true;
  contract.when = when;
  EXPECT_EQ(Errors(R"({"result":"x","score":60,"outputs":{"summary.md":"t"}})", contract), "none");
  EXPECT_EQ(Errors(R"({"score":85,"outputs":{"summary.md":"t"}})", contract), "none");
  EXPECT_EQ(Errors(R"({"score":60,"outputs":{"summary.md":"t","facts.json":"f"}})", contract), "none");
  EXPECT_EQ(Errors(R"({"result":"x","score":80,"outputs":{"summary.md":"t"}})", contract),
            "FIELD_MISSING /outputs/facts.json");
  EXPECT_EQ(Errors(R"({"result":"x","score":95,"outputs":{"summary.md":"t"}})", contract),
            "FIELD_MISSING /outputs/facts.json");
  EXPECT_EQ(Errors(R"({"result":"x","score":60,"outputs":{"facts.json":"t"}})", contract),
            "FIELD_MISSING /outputs/summary.md");
  EXPECT_EQ(Errors(R"({"result":"x","outputs":{"summary.md":"t"}})", contract), "FIELD_MISSING /score");
}

TEST(ReadAnswer, WhereTheScoreWantsNoOutputAResultIsStillNeeded) {
  const std::vector<OutputCondition> when = {{"summary.md", {{70, std::nullopt}}},
                                             {"facts.json", {{70, std::nullopt}}}};
  AnswerContract contract = Outputs(kTwo);
  contract.score_required = true;
  contract.when = when;
  EXPECT_EQ(Errors(R"({"score":10})", contract), "FIELD_MISSING /result");
  EXPECT_EQ(Errors(R"({"score":10,"result":"nothing came of it"})", contract), "none");
}

TEST(ReadAnswer, ASingleOutputMayStandForTheResult) {
  EXPECT_EQ(Errors(R"({"result":"x"})", Outputs(kOne)), "none");
  EXPECT_EQ(Errors(R"({"outputs":{"summary.md":"t"}})", Outputs(kOne)), "none");
  EXPECT_EQ(Errors(R"({"outputs":{"other.md":"t"}})", Outputs(kOne)), "FIELD_MISSING /result");
  EXPECT_EQ(Errors(R"({"outputs":{"other.md":"t"}})"), "FIELD_MISSING /result");
}

TEST(ReadAnswer, RefusesUnsafeOutputNames) {
  EXPECT_EQ(Errors(R"({"result":"x","outputs":{"../evil":"t"}})"), "NAME_UNSAFE /outputs/..~1evil");
  EXPECT_EQ(Errors(R"({"result":"x","outputs":{"cmd_1.md":"t"}})"), "NAME_UNSAFE /outputs/cmd_1.md");
  EXPECT_EQ(Errors(R"({"result":"x","outputs":{"cmd_1.json":"t"}})"),
            "PERMISSION_DENIED /outputs/cmd_1.json");
  EXPECT_EQ(Errors(R"({"result":"x","outputs":["a"]})"), "TYPE_MISMATCH /outputs");
}

TEST(ReadAnswer, TakesCommandsAsTheyAre) {
  const Answer answer =
      Read(R"({"result":"x","commands":[{"command_name":"pass"},{"command_name":"a","args":{"b":1}}]})");
  EXPECT_EQ(answer.commands, (std::vector<ThinkingCommand>{{"pass", "{}"}, {"a", R"({"b":1})"}}));
  EXPECT_EQ(Errors(R"({"result":"x","commands":[{"args":{}}]})"), "FIELD_MISSING /commands/0/command_name");
  EXPECT_EQ(Errors(R"({"tool_calls":[{"name":"t"}],"commands":[{"command_name":"pass"}]})"),
            "STATE_CONFLICT /commands");
  EXPECT_EQ(Errors(R"({"commands":[{"command_name":"ask_human"}]})"), "none");
  EXPECT_EQ(Errors(R"({"result":"x","commands":["pass"]})"), "TYPE_MISMATCH /commands/0");
  AnswerContract contract;
  contract.commands_allowed = false;
  EXPECT_EQ(Errors(R"({"result":"x","commands":[{}]})", contract), "PERMISSION_DENIED /commands");
  EXPECT_EQ(Errors(R"({"result":"x","commands":[]})", contract), "none");
}

TEST(ReadAnswer, ToolCallsMayStandInsteadOfAResult) {
  const Answer answer =
      Read(R"({"tool_calls":[{"name":"read_file","arguments":{"path":"a"}},{"name":"list"}]})");
  ASSERT_EQ(answer.tool_calls.size(), 2U);
  EXPECT_EQ(answer.tool_calls[0].name, "read_file");
  EXPECT_EQ(answer.tool_calls[0].arguments, R"({"path":"a"})");
  EXPECT_EQ(answer.tool_calls[1].arguments, "{}");
  EXPECT_EQ(Errors(R"({"tool_calls":[{"arguments":[]}]})"),
            "FIELD_MISSING /tool_calls/0/name, TYPE_MISMATCH /tool_calls/0/arguments");
}

TEST(ReadAnswer, ReportsEveryErrorAtOnce) {
  EXPECT_EQ(Errors(R"({"score":"x","outputs":[],"commands":{}})", Scored()),
            "TYPE_MISMATCH /score, TYPE_MISMATCH /outputs, TYPE_MISMATCH /commands, FIELD_MISSING /result");
}

TEST(ReadAnswer, UnknownFieldsAreWarnings) {
  const Answer answer = Read(R"({"thought":"hm","result":"x"})");
  ASSERT_EQ(answer.warnings.size(), 1U);
  EXPECT_EQ(answer.warnings[0].path, "/thought");
}

TEST(ReadAnswer, KeepsItsLimits) {
  const auto large = ReadAnswer(R"({"result":"1234567890"})", {}, {}, {.max_bytes = 20});
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().errors.front().code, ErrorCode::kTooLarge);
  std::string deep = R"({"result":)";
  deep += std::string(70, '[') + std::string(70, ']') + "}";
  EXPECT_EQ(Errors(deep), "JSON_TOO_DEEP");
}

TEST(ReadAnswer, RefusesWhatIsNotJson) {
  EXPECT_EQ(Errors(""), "JSON_INVALID");
  EXPECT_EQ(Errors("Done."), "JSON_INVALID");
  EXPECT_EQ(Errors(R"(["result"])"), "JSON_INVALID");
  EXPECT_EQ(Errors(R"({"result":"a","result":"b"})"), "JSON_INVALID");
  EXPECT_EQ(Errors("{\"result\":\"\xff\"}"), "JSON_INVALID");
  EXPECT_EQ(Errors(R"({result: 1})"), "JSON_INVALID");
}

TEST(ReadStageAnswer, AHalfOfASurrogatePairIsReplaced) {
  const std::string text =
      R"({"thought":"a\ud83db","action":"run_tests","params":{},"expectedOutcome":"e",
          "risk":{"level":"low","description":"none"},"confidence":90})";
  const auto output = ReadStageAnswer(text, {.form = Stage::kExecutor});
  ASSERT_FALSE(ParseAgentOutput(text));  // what a person checks is checked strictly
  ASSERT_TRUE(output) << output.error().errors.front().message;
  EXPECT_EQ(output->thought,
            "a\xEF\xBF\xBD"
            "b");
}

}  // namespace
}  // namespace agenttalk
