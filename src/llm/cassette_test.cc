#include "llm/cassette.h"

#include <gtest/gtest.h>

#include <chrono>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/digest.h"
#include "base/ids.h"
#include "base/issue.h"
#include "base/redact.h"
#include "base/time.h"
#include "llm/model_provider.h"
#include "llm/recording_provider.h"
#include "llm/replaying_provider.h"
#include "model/request/model_request.h"

namespace agenttalk {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::string_view kFence = "0123456789abcdef0123456789abcdef";

ModelRequest Request(const std::string& text = "Summarise the notes.") {
  ModelRequest request;
  request.ids = {AgentId("analyst"),  PlanId("plan_a"),
                 TaskId("summarise"), CommandId("cmd_summarise_001"),
                 Stage::kCommand,     1};
  request.provider = "local";
  request.model = "m";
  request.parameters.max_tokens = 100;
  request.parameters.temperature = 0.5;
  request.system = "You are an analyst.";
  request.messages.push_back({Role::kUser, text, {}, {}, false});
  request.tools.push_back({"read_file", "Reads.", "{}"});
  request.reuse_key = Sha256(text);
  return request;
}

ModelAnswer Answer(const std::string& text) {
  ModelAnswer answer;
  answer.text = text;
  answer.tool_calls.push_back({"c1", "read_file", "{}"});
  answer.usage = {10, 20, 3, 4};
  answer.stop_reason = StopReason::kToolCalls;
  answer.provider_request_id = "req_1";
  answer.model = "m-2026";
  return answer;
}

// Gives the outcome it was told, and lets time pass meanwhile.
class FakeProvider final : public ModelProvider {
 public:
  std::unique_ptr<ModelCall> Ask(ModelRequest /*request*/, Done done) override {
    now += milliseconds(1500);
    done({outcome, {}});
    return nullptr;
  }

  ModelOutcome outcome;
  Timestamp now{};
};

// Records calls, and plays what was recorded.
class CassetteTest : public ::testing::Test {
 protected:
  void Record(const ModelRequest& request, ModelOutcome outcome) {
    fake_.outcome = std::move(outcome);
    RecordingProvider recorder(
        std::shared_ptr<ModelProvider>(std::shared_ptr<ModelProvider>(), &fake_),
        [this](std::string_view line) { tape_.append(line).push_back('\n'); }, [this] { return fake_.now; });
    EXPECT_EQ(Ask(recorder, request), fake_.outcome);
  }
  [[nodiscard]] ModelOutcome Replay(const ModelRequest& request) const {
    auto cassette = Cassette::Parse(tape_);
    EXPECT_TRUE(cassette);
    ReplayingProvider replayer(std::move(cassette).value());
    return Ask(replayer, request);
  }
  static ModelOutcome Ask(ModelProvider& provider, const ModelRequest& request) {
    std::optional<ModelReply> reply;
    EXPECT_EQ(provider.Ask(request, [&](ModelReply given) { reply = std::move(given); }), nullptr);
    return reply.value().outcome;
  }

  FakeProvider fake_;
  std::string tape_;
};

// A task that failed and was run again asks the same with another command.
TEST_F(CassetteTest, CommandsThatAskTheSameGetTheirOwnAnswers) {
  CassetteRecord record;
  for (const char* command : {"cmd_t_001", "cmd_t_002"}) {
    ModelRequest request = Request("one");
    request.ids.command = CommandId(command);
    record.key = request.reuse_key;
    record.request = ForCassette(request);
    ModelAnswer answer;
    answer.text = command;
    record.outcome = answer;
    tape_.append(EncodeRecord(record)).push_back('\n');
  }
  for (const char* command : {"cmd_t_001", "cmd_t_002"}) {
    ModelRequest request = Request("one");
    request.ids.command = CommandId(command);
    EXPECT_EQ(Replay(request)->text, command);
  }
  EXPECT_EQ(Replay(Request("one"))->text, "cmd_t_002") << "a command that did not ask: the last recording";
}

// Whoever gives a call up at its deadline does not hear its outcome; the replay must come to the same.
TEST_F(CassetteTest, ACallThatIsGivenUpWhenItsTimeIsOverWasTooLate) {
  class Silent final : public ModelProvider {
   public:
    [[nodiscard]] std::unique_ptr<ModelCall> Ask(ModelRequest, Done) override {
      return std::make_unique<ModelCall>();
    }
  };
  Timestamp now{};
  RecordingProvider recorder(
      std::make_shared<Silent>(), [this](std::string_view line) { tape_.append(line).push_back('\n'); },
      [&now] { return now; });
  ModelRequest request = Request("one");
  request.timeout = std::chrono::seconds(10);
  recorder.Ask(request, [](const ModelReply&) {}).reset();
  EXPECT_EQ(tape_, "") << "cancelled before its time was over";
  auto call = recorder.Ask(request, [](const ModelReply&) {});
  now += std::chrono::seconds(10);
  call.reset();
  const ModelOutcome replayed = Replay(request);
  ASSERT_FALSE(replayed);
  EXPECT_EQ(replayed.error().kind, ModelErrorKind::kTimeout);
}

TEST_F(CassetteTest, PlaysBackWhatWasAnswered) {
  Record(Request("one"), Answer("first"));
  Record(Request("two"), Answer("second"));
  EXPECT_EQ(Replay(Request("two")), ModelOutcome(Answer("second")));
  EXPECT_EQ(Replay(Request("one")), ModelOutcome(Answer("first")));
}

TEST_F(CassetteTest, PlaysBackFailuresAndTheirRetries) {
  const ModelError limited{ModelErrorKind::kStatus, 429, milliseconds(1500), true, "too many", {}};
  ModelRequest request = Request();
  Record(request, std::unexpected(limited));
  request.ids.attempt = 2;
  Record(request, Answer("then"));
  EXPECT_EQ(Replay(request), ModelOutcome(Answer("then")));
  request.ids.attempt = 1;
  EXPECT_EQ(Replay(request), ModelOutcome(std::unexpected(limited)));
}

TEST_F(CassetteTest, TheSameContentIsFoundUnderAnotherAttemptNumber) {
  ModelRequest request = Request();
  request.ids.attempt = 3;
  Record(request, Answer("a"));
  request.ids.attempt = 1;
  EXPECT_TRUE(Replay(request));
  request.ids.attempt = 7;
  EXPECT_TRUE(Replay(request));
}

TEST_F(CassetteTest, ALaterRecordingCounts) {
  Record(Request(), Answer("old"));
  Record(Request(), Answer("new"));
  EXPECT_EQ(Replay(Request())->text, "new");
}

TEST_F(CassetteTest, KeepsTheTimeACallTook) {
  Record(Request(), Answer("a"));
  EXPECT_EQ(Cassette::Parse(tape_)->records().at(0).elapsed, milliseconds(1500));
}

TEST_F(CassetteTest, SaysWhatDiffersWhenItMisses) {
  Record(Request("First line.\nSummarise the notes."), Answer("a"));
  const ModelOutcome outcome = Replay(Request("First line.\nSummarise the letters."));
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().kind, ModelErrorKind::kNoAnswer);
  EXPECT_EQ(
      outcome.error().message,
      "the cassette has no answer for this request (agent analyst, stage command, task summarise, attempt "
      "1); "
      "the nearest differs in message 1 from line 2: recorded \"Summarise the notes.\", now \"Summarise the "
      "letters.\"");
}

TEST_F(CassetteTest, ComparesWithTheMostSimilarRequest) {
  ModelRequest other = Request("Quite another thing.");
  other.ids.task = TaskId("publish");
  other.system = "You are an editor.";
  Record(other, Answer("a"));
  Record(Request(), Answer("b"));
  ModelRequest asked = Request();
  asked.model = "m2";
  asked.reuse_key = Sha256("changed");
  const std::string message = Replay(asked).error().message;
  EXPECT_TRUE(message.ends_with("the nearest differs in the model from line 1: recorded \"m\", now \"m2\""))
      << message;
}

TEST_F(CassetteTest, AnEmptyCassetteSaysSo) {
  EXPECT_TRUE(Replay(Request()).error().message.starts_with("the cassette is empty"));
}

TEST_F(CassetteTest, HoldsNoSecretsAndNoFences) {
  ProcessRedactor().AddSecret("canary-value-123");
  const std::string fence(kFence);
  ModelRequest request =
      Request("Marker " + fence + ":\n<<<" + fence + "\nkey canary-value-123\n" + fence + ">>>\n");
  request.system += " canary-value-123";
  request.messages.push_back(
      {Role::kAssistant, "", {{"c1", "t", "{\"k\":\"canary-value-123\"}"}}, {}, false});
  Record(request, Answer("it is canary-value-123"));
  Record(request,
         std::unexpected(ModelError{ModelErrorKind::kStatus, 401, {}, false, "key canary-value-123", {}}));
  EXPECT_EQ(tape_.find("canary"), std::string::npos);
  EXPECT_EQ(tape_.find(kFence), std::string::npos);
  EXPECT_NE(tape_.find("Marker FENCE:\\n<<<FENCE\\nkey "), std::string::npos);
}

TEST_F(CassetteTest, TheSameRunGivesTheSameText) {
  Record(Request(), Answer("a"));
  const std::string first = std::exchange(tape_, {});
  Record(Request(), Answer("a"));
  EXPECT_EQ(tape_, first);
}

TEST_F(CassetteTest, BytesThatAreNotUtf8DoNotSpoilTheTape) {
  Record(Request("\xff"), Answer("a\xff"
                                 "b"));
  EXPECT_EQ(Replay(Request("\xff"))->text, "a?b");
}

TEST(Cassette, ReportsEveryLineThatCannotBeRead) {
  const auto cassette =
      Cassette::Parse("{}\n\nnot json\n{\"key\":\"zz\",\"request\":{},\"answer\":{\"text\":\"a\"}}\n");
  ASSERT_FALSE(cassette);
  std::string lines;
  for (const Issue& error : cassette.error().errors) lines += std::to_string(error.line) + " ";
  EXPECT_EQ(lines, "1 1 1 3 4 ");
}

}  // namespace
}  // namespace agenttalk
