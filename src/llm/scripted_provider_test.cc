#include "llm/scripted_provider.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/issue.h"
#include "llm/model_provider.h"
#include "llm/null_provider.h"
#include "llm/script.h"
#include "model/request/model_request.h"

namespace agenttalk {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

Script Parse(std::string_view yaml) {
  auto script = ParseScript(yaml);
  if (script) return std::move(*script);
  ADD_FAILURE() << script.error().errors.front().message;
  return {};
}

// "line: path: message" of each error.
std::vector<std::string> Errors(std::string_view yaml) {
  const auto script = ParseScript(yaml);
  std::vector<std::string> all;
  if (script) return all;
  for (const Issue& error : script.error().errors) {
    all.push_back(std::to_string(error.line) + ": " + error.path + ": " + error.message);
  }
  return all;
}

ModelRequest Request() {
  ModelRequest request;
  request.ids = {AgentId("analyst"),  PlanId("plan_a"),
                 TaskId("summarise"), CommandId("cmd_summarise_001"),
                 Stage::kCommand,     1};
  request.model = "m";
  request.system = "You are an analyst.";
  request.messages.push_back({Role::kUser, "Summarise the notes.", {}, {}, false});
  return request;
}

ModelReply Ask(ModelProvider& provider, ModelRequest request = Request()) {
  std::optional<ModelReply> reply;
  const auto call = provider.Ask(std::move(request), [&](ModelReply given) { reply = std::move(given); });
  EXPECT_EQ(call, nullptr);
  EXPECT_TRUE(reply);
  return std::move(reply).value_or(ModelReply{ModelAnswer{}, {}});
}

// The text of the answer, or the kind of the error.
std::string Text(const ModelReply& reply) {
  return reply.outcome ? reply.outcome->text : "error: " + std::string(ToString(reply.outcome.error().kind));
}

TEST(ScriptedProvider, SendsObjectsAsJsonAndStringsAsTheyAre) {
  ScriptedProvider object(Parse("- answer: {result: fine, score: 85}"));
  EXPECT_EQ(Text(Ask(object)), R"({"result":"fine","score":85})");
  ScriptedProvider text(Parse("- answer: '{\"result\": broken'"));
  EXPECT_EQ(Text(Ask(text)), R"({"result": broken)");
}

TEST(ScriptedProvider, TheFirstEntryThatMatchesWins) {
  ScriptedProvider provider(
      Parse("- when: {agent: editor}\n  answer: one\n- when: {agent: ana*}\n  answer: two\n- answer: three"));
  const ModelReply reply = Ask(provider);
  EXPECT_EQ(Text(reply), "two");
  EXPECT_EQ(reply.outcome->script_entry, 1U);
  EXPECT_EQ(provider.uses(), (std::vector<std::uint64_t>{0, 1, 0}));
}

TEST(ScriptedProvider, EveryConditionMustHold) {
  const auto answers = [](const std::string& when) {
    ScriptedProvider provider(Parse("- when: {" + when + "}\n  answer: yes it does"));
    return Ask(provider).outcome.has_value();
  };
  EXPECT_TRUE(answers(""));
  EXPECT_TRUE(
      answers("agent: analyst, stage: command, task: summ*, command: 'cmd_*', attempt: 1, contains: notes"));
  EXPECT_FALSE(answers("agent: ana"));
  EXPECT_FALSE(answers("stage: planner"));
  EXPECT_FALSE(answers("task: publish"));
  EXPECT_FALSE(answers("command: cmd_publish_*"));
  EXPECT_FALSE(answers("attempt: 2"));
  EXPECT_FALSE(answers("contains: NOTES"));
  EXPECT_FALSE(answers("agent: analyst, attempt: 2"));
}

TEST(ScriptedProvider, SearchesSystemAndUserTextButNotAnswers) {
  ModelRequest request = Request();
  request.messages.push_back({Role::kAssistant, "secret", {}, {}, false});
  ScriptedProvider system(Parse("- when: {contains: You are}\n  answer: a"));
  EXPECT_EQ(Text(Ask(system, request)), "a");
  ScriptedProvider assistant(Parse("- when: {contains: secret}\n  answer: a"));
  EXPECT_EQ(Text(Ask(assistant, request)), "error: no_answer");
}

TEST(ScriptedProvider, AnEntryIsUsedAsOftenAsItSays) {
  const std::string_view yaml = "- answer: first\n  times: 2\n- answer: then";
  ScriptedProvider provider(Parse(yaml));
  EXPECT_EQ(Text(Ask(provider)), "first");
  EXPECT_EQ(Text(Ask(provider)), "first");
  EXPECT_EQ(Text(Ask(provider)), "then");
  EXPECT_EQ(Text(Ask(provider)), "then");

  ScriptedProvider restarted(Parse(yaml), {1});
  EXPECT_EQ(Text(Ask(restarted)), "first");
  EXPECT_EQ(Text(Ask(restarted)), "then");
}

TEST(ScriptedProvider, SaysWhyNothingAnswers) {
  ScriptedProvider provider(Parse("- answer: once\n  times: 1\n- when: {agent: editor}\n  answer: other"));
  Ask(provider);
  const ModelReply reply = Ask(provider);
  ASSERT_FALSE(reply.outcome);
  const ModelError& error = reply.outcome.error();
  EXPECT_EQ(error.kind, ModelErrorKind::kNoAnswer);
  EXPECT_FALSE(error.retryable);
  EXPECT_FALSE(error.script_entry);
  EXPECT_EQ(
      error.message,
      "the script has no answer for this call (agent analyst, stage command, task summarise, command "
      "cmd_summarise_001, attempt 1): 1 of its 2 entries match, but were used as often as `times` allows");
}

TEST(ScriptedProvider, ReportsADelayInsteadOfWaiting) {
  ScriptedProvider provider(Parse("- answer: a\n  delay: 50ms"));
  EXPECT_EQ(Ask(provider).after, milliseconds(50));
}

TEST(ScriptedProvider, FailsAsTheScriptSays) {
  ScriptedProvider provider(
      Parse("- error: {status: 429, retry_after: 1}\n  times: 1\n- error: {status: 500}\n  times: 1\n"
            "- error: {status: 400}\n  times: 1\n- error: {kind: timeout}\n  times: 1\n- error: {kind: "
            "disconnect}"));
  const ModelError limited = Ask(provider).outcome.error();
  EXPECT_EQ(limited.http_status, 429);
  EXPECT_EQ(limited.retry_after, seconds(1));
  EXPECT_TRUE(limited.retryable);
  EXPECT_EQ(limited.script_entry, 0U);
  EXPECT_TRUE(Ask(provider).outcome.error().retryable);
  EXPECT_FALSE(Ask(provider).outcome.error().retryable);
  EXPECT_EQ(Ask(provider).outcome.error().kind, ModelErrorKind::kTimeout);
  const ModelError broken = Ask(provider).outcome.error();
  EXPECT_EQ(broken.kind, ModelErrorKind::kDisconnect);
  EXPECT_TRUE(broken.retryable);
  EXPECT_EQ(broken.script_entry, 4U);
}

TEST(ScriptedProvider, EchoesTheWholePrompt) {
  ScriptedProvider provider(Parse("- echo: true"));
  EXPECT_EQ(Text(Ask(provider)), R"({"result":"You are an analyst.\n\nSummarise the notes."})");
}

TEST(ScriptedProvider, CountsTokensRoughly) {
  ScriptedProvider provider(Parse("- answer: '12345678'"));
  const ModelReply reply = Ask(provider);
  EXPECT_EQ(reply.outcome->usage.output_tokens, 3U);
  EXPECT_EQ(reply.outcome->usage.input_tokens, (19U + 20U) / 4 + 1);
}

TEST(Script, ReportsAllErrorsWithTheirLines) {
  EXPECT_EQ(Errors("- when: {agnet: x, stage: cook, attempt: 0}\n"
                   "  answer: [1]\n"
                   "- times: 0\n"
                   "  delay: soon\n"
                   "- answer: a\n"
                   "  echo: true\n"
                   "- error: {status: 200, kind: timeout}\n"
                   "- just text\n")
                .size(),
            11U);
  const auto unknown = Errors("- answer: a\n- when:\n    agnet: x\n  answer: b");
  ASSERT_EQ(unknown.size(), 1U);
  EXPECT_EQ(unknown[0].substr(0, 18), "3: /1/when/agnet: ");
}

TEST(Script, MustBeAListOfEntries) {
  EXPECT_EQ(Errors("answer: a"), std::vector<std::string>{"1: : a script must be a list of entries"});
  EXPECT_EQ(Errors("").size(), 1U);
  EXPECT_EQ(Errors("- answer: 'x").size(), 1U);
  EXPECT_TRUE(Errors("[]").empty());
}

TEST(Script, AnEntryHasOneOutcome) {
  EXPECT_EQ(Errors("- when: {agent: a}"),
            std::vector<std::string>{"1: /0: must have exactly one of \"answer\", \"error\" and \"echo\""});
  EXPECT_EQ(Errors("- error: {}"),
            std::vector<std::string>{"1: /0/error: must have either \"status\" or \"kind\""});
  EXPECT_EQ(Errors("- echo: false"), std::vector<std::string>{"1: /0/echo: must be true where it stands"});
}

TEST(Script, TheTemplatesOfHubsHaveValidOnes) {
  int seen = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(AGENTTALK_SOURCE_DIR "/templates")) {
    if (file.path().filename() != "answers.yaml") continue;
    std::ifstream stream(file.path());
    const std::string text(std::istreambuf_iterator<char>(stream), {});
    EXPECT_EQ(Errors(text), std::vector<std::string>{}) << file.path();
    ++seen;
  }
  EXPECT_GT(seen, 0);
}

TEST(NullProvider, AnswersAtOnce) {
  NullProvider provider;
  EXPECT_EQ(Text(Ask(provider)), R"({"result":"ok"})");
}

}  // namespace
}  // namespace agenttalk
