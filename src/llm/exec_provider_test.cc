#include "llm/exec_provider.h"

#include <gtest/gtest.h>

#include <expected>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/reactor.h"
#include "base/timer.h"
#include "llm/model_provider.h"
#include "llm/program_output.h"
#include "model/request/model_request.h"

namespace agenttalk {
namespace {

using namespace std::chrono_literals;

class ExecProviderTest : public testing::Test {
 protected:
  ModelOutcome Ask(ExecOptions options, const std::string& prompt = "hello") {
    const auto provider = *ExecProvider::Make(*reactor_, std::move(options));
    ModelRequest request;
    request.messages.push_back({Role::kUser, prompt, {}, {}, false});
    std::optional<ModelOutcome> outcome;
    const auto call = provider->Ask(request, [&](ModelReply reply) { outcome = std::move(reply.outcome); });
    const MonotonicTime deadline = reactor_->Now() + 20s;
    while (!outcome && reactor_->Now() < deadline) reactor_->WaitAndStep(1s);
    return outcome.value_or(std::unexpected(ModelError{}));
  }

  std::unique_ptr<Reactor> reactor_ = std::move(*Reactor::Open());
};

TEST_F(ExecProviderTest, GivesThePromptOnStdinAndTakesWhatIsPrinted) {
  const ModelOutcome outcome = Ask({.argv = {"cat"}}, "a 'quoted' $prompt");
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->text, "a 'quoted' $prompt");
}

TEST_F(ExecProviderTest, GivesThePromptAsOneArgumentWithoutAShell) {
  const ModelOutcome outcome = Ask({.argv = {"printf", "%s"}, .prompt_as_argument = true}, "$(id) ; `id`");
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->text, "$(id) ; `id`");
}

TEST_F(ExecProviderTest, ReadsTheAnswerFromJson) {
  const ModelOutcome outcome =
      Ask({.argv = {"cat"}, .answer_at = "/result"},
          R"({"result":"done","is_error":false,"usage":{"input_tokens":3,"output_tokens":4}})");
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->text, "done");
  EXPECT_EQ(outcome->usage, (Usage{3, 4, 0, 0}));
}

TEST_F(ExecProviderTest, AProgramThatIsNotThereCannotBeAsked) {
  const ModelOutcome outcome = Ask({.argv = {"agenttalk-no-such-program"}});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().kind, ModelErrorKind::kUnavailable);
}

TEST_F(ExecProviderTest, AFailedProgramSaysWhatItPrinted) {
  const ModelOutcome outcome = Ask({.argv = {"sh", "-c", "echo not today >&2; exit 3"}});
  ASSERT_FALSE(outcome);
  EXPECT_NE(outcome.error().message.find("ended with 3: not today"), std::string::npos)
      << outcome.error().message;
  EXPECT_TRUE(outcome.error().retryable);
}

TEST_F(ExecProviderTest, EndsAProgramThatTakesTooLongOrPrintsTooMuch) {
  const ModelOutcome slow = Ask({.argv = {"sh", "-c", "sleep 100 & sleep 100"}, .timeout = 50ms});
  ASSERT_FALSE(slow);
  EXPECT_EQ(slow.error().kind, ModelErrorKind::kTimeout);
  const ModelOutcome loud = Ask({.argv = {"yes"}, .max_answer_bytes = 1000});
  ASSERT_FALSE(loud);
  EXPECT_EQ(loud.error().kind, ModelErrorKind::kBadResponse);
  EXPECT_FALSE(loud.error().retryable);
}

TEST_F(ExecProviderTest, RunsInTheDirectoryOfItsCommand) {
  const std::string directory = std::filesystem::temp_directory_path().string();
  const ModelOutcome outcome = Ask({.argv = {"pwd"}, .directory = [&](const CallIds&) { return directory; }});
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->text, directory + "\n");
}

TEST_F(ExecProviderTest, ACancelledProgramIsEndedAndNotHeardOf) {
  const auto provider = *ExecProvider::Make(*reactor_, {.argv = {"sleep", "100"}});
  bool called = false;
  auto call = provider->Ask({}, [&](const ModelReply&) { called = true; });
  call.reset();
  for (int i = 0; i < 5; ++i) reactor_->WaitAndStep(20ms);
  EXPECT_FALSE(called);
}

TEST(ProgramAnswer, IsTheLastLineThatHasIt) {
  const ModelOutcome outcome = ReadProgramAnswer(
      "{\"type\":\"start\"}\n{\"item\":{\"text\":\"one\"}}\n{\"item\":{\"text\":\"two\"}}\n{\"type\":\"end\"}"
      "\n",
      "/item/text");
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->text, "two");
}

TEST(ProgramAnswer, MayBeAnythingButMustBeThere) {
  EXPECT_EQ(ReadProgramAnswer(R"({"a":{"b":1}})", "/a")->text, R"({"b":1})");
  EXPECT_FALSE(ReadProgramAnswer(R"({"a":1})", "/b"));
  EXPECT_FALSE(ReadProgramAnswer("no json", "/b"));
  EXPECT_FALSE(ReadProgramAnswer(R"({"result":"x","is_error":true})", "/result"));
}

TEST(PromptText, HasHeadingsOnlyInAConversation) {
  ModelRequest request;
  request.system = "system";
  request.messages.push_back({Role::kUser, "question", {}, {}, false});
  EXPECT_EQ(PromptText(request), "system\n\nquestion");
  request.messages.push_back({Role::kAssistant, "answer", {}, {}, false});
  EXPECT_EQ(PromptText(request), "system\n\n## Request\nquestion\n\n## Your answer so far\nanswer");
}

}  // namespace
}  // namespace agenttalk
