#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error_code.h"
#include "base/ids.h"
#include "engine/state/dag_state.h"
#include "engine/state/people_state.h"
#include "engine/state/plan_state.h"
#include "engine/state/working_memory.h"
#include "engine/thinking/fixture.h"
#include "engine/turn/input.h"
#include "model/answer/thinking_command.h"
#include "model/events/event.h"

namespace agenttalk {
namespace {

using ThinkingFlow = ThinkingTest;

TEST_F(ThinkingFlow, AModelMayChangeThePlanBesideItsResult) {
  Permit("alice", {"append_task"});
  Run("  - {id: a, agent: alice, prompt: x}\n");
  Think("a", {Append("b", R"("a")", "bob")}, "done");
  EXPECT_EQ(Phase("a"), TaskPhase::kCompleted);
  EXPECT_TRUE(IsRunning("b"));
  EXPECT_EQ(Of<DagAdopted>().front().author, "alice");
}

TEST_F(ThinkingFlow, AfterCommandsAloneTheModelIsAskedAgainWithWhatCameOfThem) {
  Permit("alice", {"append_task"});
  Run("  - {id: a, agent: alice, prompt: x}\n");
  Think("a", {Append("b", R"("a")", "bob")});
  ASSERT_TRUE(IsRunning("a"));
  EXPECT_EQ(Memory("alice", "a").size(), 1U);
  EXPECT_NE(OpenCallOf(CommandOf("a"), kPlan), 0U);
  Answer("a", "done");
  EXPECT_EQ(Book("alice", "a"), nullptr);
  EXPECT_TRUE(IsRunning("b"));
}

TEST_F(ThinkingFlow, AModelThatOnlyEverIssuesCommandsIsStopped) {
  Run("  - {id: a, agent: alice, prompt: x}\n");
  for (int i = 0; i < 40 && IsRunning("a"); ++i) Think("a", {{"pass", "{}"}});
  EXPECT_EQ(Phase("a"), TaskPhase::kFailed);
}

TEST_F(ThinkingFlow, PlanChangesAreDeniedUnlessTheProfileGrantsThem) {
  Run("  - {id: a, agent: alice, prompt: x}\n");
  const Names names = Think("a", {Append("b", "")}, "done");
  EXPECT_TRUE(Has(names, "thinking_refused"));
  EXPECT_TRUE(Has(names, "answer_refused"));
  EXPECT_EQ(Of<ThinkingRefused>().front().code, ErrorCode::kPermissionDenied);
  EXPECT_TRUE(IsRunning("a"));
  EXPECT_EQ(Dag().size(), 1U);
}

TEST_F(ThinkingFlow, AnothersTaskIsResetOnlyWithAPermissionForAny) {
  Permit("alice", {"reset_task"});
  Run("  - {id: a, agent: alice, prompt: x}\n  - {id: b, agent: bob, prompt: y}\n");
  Answer("b", "done");
  Think("a", {Reset("b")}, "done");
  EXPECT_EQ(Of<ThinkingRefused>().front().code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(Phase("b"), TaskPhase::kCompleted);
  Permit("alice", {"reset_task:any"});
  Think("a", {Reset("b")}, "done");
  EXPECT_TRUE(IsRunning("b"));
  EXPECT_EQ(Phase("a"), TaskPhase::kCompleted);
}

TEST_F(ThinkingFlow, ABatchThatResetsItsOwnTaskEndsItsCommand) {
  Permit("alice", {"reset_task"});
  Run("  - {id: a, agent: alice, prompt: x}\n");
  const std::string first = CommandOf("a");
  Think("a", {Reset("a")}, "done");
  EXPECT_EQ(StateOf(first, kPlan), CommandState::kCancelled);
  EXPECT_TRUE(IsRunning("a"));
  EXPECT_NE(CommandOf("a"), first);
}

TEST_F(ThinkingFlow, AModelCannotResetForEver) {
  Permit("alice", {"reset_task"});
  Run("  - {id: a, agent: alice, prompt: x}\n");
  int resets = 0;
  for (; resets < 300 && IsRunning("a"); ++resets) {
    const Names names = Think("a", {Reset("a")}, "done");
    if (Has(names, "thinking_refused")) break;
  }
  EXPECT_LT(resets, 150);
}

TEST_F(ThinkingFlow, ALosersCommandsAreNotAppliedAndItDecidesAnew) {
  Permit("alice", {"append_task"});
  Permit("bob", {"append_task"});
  Run("  - {id: a, agent: alice, prompt: x}\n  - {id: b, agent: bob, prompt: y}\n");
  Think("a", {Append("c", "")}, "done");
  const Names names = Think("b", {Append("d", "")}, "done");
  EXPECT_EQ(Of<ThinkingRefused>().front().code, ErrorCode::kVersionConflict);
  EXPECT_FALSE(Has(names, "answer_refused"));
  ASSERT_TRUE(IsRunning("b"));
  EXPECT_NE(Memory("bob", "b").back().find("revision 2"), std::string::npos);
  Think("b", {Append("d", "")}, "done");
  EXPECT_EQ(Phase("b"), TaskPhase::kCompleted);
  EXPECT_EQ(Dag().size(), 4U);
}

TEST_F(ThinkingFlow, HostileBatchesAreRefusedAndAuditedAndTheRunGoesOn) {
  Permit("alice", {"append_task", "reset_task"});
  configuration_.agents[AgentId("alice")].settings.visibility = std::vector<AgentId>{AgentId("carol")};
  Configure({"carol"});
  Run("  - {id: a, agent: alice, prompt: x}\n  - {id: b, agent: bob, prompt: y}\n");
  struct Case {
    ThinkingCommand command;
    ErrorCode code;
  };
  const std::vector<Case> cases = {
      {Reset("b"), ErrorCode::kPermissionDenied},
      {Say("bob"), ErrorCode::kNotVisible},
      {Say("nobody"), ErrorCode::kRoutingNoTarget},
      {Say("../../etc/passwd"), ErrorCode::kNameUnsafe},
      {{"rm_rf", "{}"}, ErrorCode::kCommandUnknown},
      {{"reset_task", R"({"task_id":7})"}, ErrorCode::kTypeMismatch},
      {{"reset_task", R"({"task_id":["a"]})"}, ErrorCode::kTypeMismatch},
      {{"reset_task", "{}"}, ErrorCode::kFieldMissing},
      {{"reset_task", R"({"task_id":"a","force":true})"}, ErrorCode::kUnknownField},
      {{"append_task", R"({"task_id":"../x","dependent_task_ids":[],"instruction":"i","assignee":"bob"})"},
       ErrorCode::kNameUnsafe},
      {{"append_task", R"({"task_id":"x","dependent_task_ids":"a","instruction":"i","assignee":"bob"})"},
       ErrorCode::kTypeMismatch},
      {{"append_task", R"({"task_id":"x","dependent_task_ids":[],"instruction":" ","assignee":"bob"})"},
       ErrorCode::kValueInvalid},
      {{"ask_human", R"({"question":")" + std::string(20000, 'q') + R"("})"}, ErrorCode::kTooLarge},
      {{"finish_current_task", R"({"result":"mine"})"}, ErrorCode::kUnknownField},
  };
  for (const Case& hostile : cases) {
    configuration_.agents[AgentId("alice")].settings.repair_attempts = 100;
    Feed(configuration_);
    ASSERT_TRUE(IsRunning("a")) << hostile.command.name;
    const std::string before = Fingerprint();
    const Names names = Think("a", {hostile.command}, "done");
    ASSERT_EQ(Of<ThinkingRefused>().size(), 1U) << hostile.command.args;
    EXPECT_EQ(Of<ThinkingRefused>().front().code, hostile.code) << hostile.command.args;
    EXPECT_EQ(Of<ThinkingRefused>().front().agent_id.str(), "alice");
    EXPECT_EQ(Fingerprint(), before);
  }
  Answer("a", "done");
  Answer("b", "done");
  EXPECT_TRUE(Plan(kPlan).completed);
  EXPECT_EQ(Failure(), "");
}

TEST_F(ThinkingFlow, CommandsThatStayWrongFailTheTaskAsAnyBadAnswerDoes) {
  Run("  - {id: a, agent: alice, prompt: x}\n  - {id: b, agent: bob, prompt: y}\n");
  for (int i = 0; i < 3; ++i) Think("a", {Reset("b")}, "done");
  EXPECT_EQ(Phase("a"), TaskPhase::kFailed);
  EXPECT_TRUE(IsRunning("b"));
}

TEST_F(ThinkingFlow, CommandsOfAWrongFormAreAuditedToo) {
  Run("  - {id: a, agent: alice, prompt: x}\n");
  ModelCallDone done = MakeAnswer(CommandOf("a"), "", {}, kPlan);
  done.answer.errors = {"TOO_LARGE at /commands: 10000 commands at once"};
  done.answer.command_errors = done.answer.errors;
  EXPECT_TRUE(Has(Feed(std::move(done)), "thinking_refused"));
}

TEST_F(ThinkingFlow, AskingAPersonBlocksTheTaskAndNotTheAgent) {
  Run("  - {id: a, agent: alice, prompt: x}\n  - {id: b, agent: alice, prompt: y}\n");
  Think("a", {AskFor("Which colour?")});
  EXPECT_EQ(StateOf(CommandOf("a"), kPlan), CommandState::kWaitingHuman);
  EXPECT_TRUE(IsRunning("b"));
  EXPECT_EQ(Memory("alice", "a").front(), "Which colour?");
  Answer("b", "done");
  Feed(QuestionAnswer{PlanId(kPlan), OpenQuestion(), Decision::kNone, "Blue\x1b[31m", {}, {}});
  ASSERT_TRUE(IsRunning("a"));
  EXPECT_EQ(Memory("alice", "a").back(), "Blue[31m");
  Answer("a", "blue");
  EXPECT_EQ(Book("alice", "a"), nullptr);
  EXPECT_TRUE(Plan(kPlan).completed);
}

TEST_F(ThinkingFlow, AQuestionThatNobodyAnswersGoesBackWithoutAnAnswer) {
  Run("  - {id: a, agent: alice, prompt: x}\n");
  Think("a", {AskFor("Which colour?")});
  Wait(std::chrono::hours(25));
  EXPECT_TRUE(IsRunning("a"));
  EXPECT_NE(Memory("alice", "a").back().find("Nobody answered"), std::string::npos);
}

TEST_F(ThinkingFlow, ACancelledTasksQuestionIsClosed) {
  Run("  - {id: a, agent: alice, prompt: x}\n");
  Think("a", {AskFor("Which colour?")});
  ByHand({Reset("a")});
  EXPECT_EQ(OpenQuestion(), 0U);
  EXPECT_EQ(Book("alice", "a"), nullptr);
  EXPECT_TRUE(IsRunning("a"));
}

TEST_F(ThinkingFlow, AskingAndFinishingExcludeEachOther) {
  Run("  - {id: a, agent: alice, prompt: x}\n");
  Think("a", {AskFor("Which colour?"), Finish()}, "done");
  EXPECT_EQ(Of<ThinkingRefused>().front().code, ErrorCode::kStateConflict);
  Think("a", {AskFor("one?"), AskFor("two?")});
  EXPECT_EQ(Of<ThinkingRefused>().front().code, ErrorCode::kStateConflict);
}

TEST_F(ThinkingFlow, MessagesReachTheReceiversMemoryAndPeopleGetReplies) {
  Run("  - {id: a, agent: alice, prompt: x}\n  - {id: b, agent: bob, prompt: y}\n");
  Think("a", {Say("bob", "hurry"), {"reply_to_human", R"({"content":"soon sk-ant-api03-abcdefghijklmnop"})"}},
        "done");
  const auto sent = Of<MessageSent>();
  ASSERT_EQ(sent.size(), 2U);
  EXPECT_EQ(sent[1].to.str(), "human");
  EXPECT_EQ(sink_.Get(sent[1].message).find("abcdefgh"), std::string::npos);
  EXPECT_EQ(Memory("bob", ""), (std::vector<std::string>{"hurry"}));
  Answer("b", "done");
  EXPECT_TRUE(Plan(kPlan).memory.empty());
}

TEST_F(ThinkingFlow, FinishingWithoutTheOutputThatIsDueIsRefused) {
  Run("  - {id: a, agent: alice, prompt: x, outputs: [a.md]}\n  - {id: b, agent: bob, prompt: y}\n");
  Think("a", {Finish()});
  EXPECT_EQ(Of<ThinkingRefused>().front().code, ErrorCode::kFieldMissing);
  Think("b", {Finish()});
  EXPECT_EQ(Phase("b"), TaskPhase::kCompleted);
}

TEST_F(ThinkingFlow, EverythingIsForgottenWhenThePlanEnds) {
  Run("  - {id: a, agent: alice, prompt: x}\n  - {id: b, agent: bob, prompt: y}\n");
  Think("a", {Say("bob")}, "done");
  Think("b", {AskFor("why?")});
  Feed(PlanControl{PlanId(kPlan), ControlVerb::kCancel, {}, {}});
  EXPECT_TRUE(Plan(kPlan).memory.empty());
}

}  // namespace
}  // namespace agenttalk
