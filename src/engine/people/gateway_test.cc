
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "base/error_code.h"
#include "base/ids.h"
#include "engine/engine_fixture.h"
#include "engine/state/plan_state.h"
#include "engine/state/spending.h"
#include "engine/turn/input.h"
#include "model/events/event.h"

namespace agenttalk {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

class Gateway : public EngineTest {
 protected:
  std::uint64_t Question() { return Plan().people.questions().begin()->first; }
  void Answer(Decision decision, const std::string& text = "") {
    Feed(QuestionAnswer{PlanId("plan_a"), Question(), decision, text, {}, {}});
  }
  ModelCallDone AskForTool(const std::string& command, bool idempotent) {
    ModelCallDone done = MakeAnswer(command, "");
    done.answer.tools = {{"", "send_mail", "{}", idempotent, ""}};
    return done;
  }
};

TEST_F(Gateway, AUsedUpBudgetIsAQuestionThatHoldsNoSlot) {
  configuration_.hub.budget_tokens = 15;
  Feed(configuration_);
  Feed(MakeCommand("cmd_1"));
  ModelCallDone done = MakeAnswer("cmd_1", "x");
  done.cost = {10, 0, 0};
  Feed(std::move(done));
  Feed(MakeCommand("cmd_2"));
  EXPECT_EQ(StateOf("cmd_2"), CommandState::kWaitingHuman);
  EXPECT_EQ(engine_.state().FindAgent(AgentId("alice"))->running, 0U);
  Answer(Decision::kApprove);
  EXPECT_EQ(StateOf("cmd_2"), CommandState::kRunning);
}

TEST_F(Gateway, ReservationsOfRunningCallsCountAgainstTheBudget) {
  configuration_.hub.budget_tokens = 15;
  Feed(configuration_);
  Feed(MakeCommand("cmd_1"));
  Feed(MakeCommand("cmd_2", {}, "bob"));
  EXPECT_EQ(StateOf("cmd_1"), CommandState::kRunning);
  EXPECT_EQ(StateOf("cmd_2"), CommandState::kWaitingHuman);
}

TEST_F(Gateway, WithoutAnApprovalTheCommandFails) {
  configuration_.hub.budget_tokens = 5;
  Feed(configuration_);
  Feed(MakeCommand("cmd_1"));
  Answer(Decision::kReject);
  EXPECT_EQ(Record("cmd_1")->outcome->code, ErrorCode::kBudgetExceeded);
}

TEST_F(Gateway, TheHubsBudgetCountsAllPlansAlsoThoseThatHaveEnded) {
  configuration_.hub.hub_budget_tokens = 25;
  Feed(configuration_);
  Feed(MakeCommand("cmd_1"));
  ModelCallDone done = MakeAnswer("cmd_1", "x");
  done.cost = {10, 2, 0};
  EXPECT_EQ(Feed(std::move(done)).back(), "plan_changed");
  ASSERT_EQ(Of<SpendingSettled>().size(), 1U);
  engine_.Unload(PlanId("plan_a"));
  shadow_.Unload(PlanId("plan_a"));
  Feed(MakeCommand("cmd_2", {}, "alice", "plan_b"));
  EXPECT_EQ(StateOf("cmd_2", "plan_b"), CommandState::kRunning);
  Feed(MakeCommand("cmd_3", {}, "bob", "plan_c"));
  ASSERT_EQ(StateOf("cmd_3", "plan_c"), CommandState::kWaitingHuman);
  const auto& [number, question] = *Plan("plan_c").people.questions().begin();
  EXPECT_EQ(question.asked.purpose, QuestionPurpose::kHubBudget);
  EXPECT_NE(question.asked.text.find("the hub has used 12 of 25 tokens"), std::string::npos)
      << question.asked.text;
  Feed(QuestionAnswer{PlanId("plan_c"), number, Decision::kApprove, "", {}, {}});
  EXPECT_EQ(StateOf("cmd_3", "plan_c"), CommandState::kRunning);
  Feed(MakeCommand("cmd_4", {}, "alice", "plan_d"));
  EXPECT_EQ(engine_.state().hub_plan.raised.input_tokens, 25U) << "a whole budget more, for everybody";
}

TEST_F(Gateway, APlanThatIsLoadedAgainCountsOnce) {
  Feed(MakeCommand("cmd_1"));
  ModelCallDone done = MakeAnswer("cmd_1", "x");
  done.cost = {10, 2, 7};
  Feed(std::move(done));
  Feed(MakeCommand("cmd_2"));
  ModelCallDone second = MakeAnswer("cmd_2", "x");
  second.cost = {1, 1, 1};
  Feed(std::move(second));
  EXPECT_EQ(engine_.state().settled, (Cost{11, 3, 8}));
  PlanState loaded;
  loaded.id = PlanId("plan_a");
  ASSERT_TRUE(DecodePlan(EncodePlan(Plan()), loaded));
  engine_.Unload(PlanId("plan_a"));
  engine_.Load(std::move(loaded));
  EXPECT_EQ(engine_.state().unsettled, Cost{});
  EXPECT_EQ(engine_.state().settled, (Cost{11, 3, 8}));
}

TEST_F(Gateway, WhatWasSpentIsToldApartByAgentAndModelAlsoWhenThePlanIsReopened) {
  const auto spend = [&](const char* command, const char* agent, const char* model, Cost cost) {
    Feed(MakeCommand(command, {}, agent));
    ModelCallDone done = MakeAnswer(command, "x");
    done.cost = cost;
    done.model = model;
    Feed(std::move(done));
  };
  spend("cmd_1", "alice", "large", {10, 2, 7});
  spend("cmd_2", "bob", "small", {1, 1, 1});
  spend("cmd_3", "alice", "large", {5, 0, 3});
  spend("cmd_4", "alice", "small", {1, 0, 0});
  const CostShares expected{{AgentId("alice"), {{"large", {15, 2, 10}}, {"small", {1, 0, 0}}}},
                            {AgentId("bob"), {{"small", {1, 1, 1}}}}};
  EXPECT_EQ(engine_.state().shares, expected);
  EXPECT_EQ(shadow_.shares, expected);
  EXPECT_EQ(Plan().shares, expected);
  EXPECT_TRUE(UnsettledShares(Plan()).empty());
}

TEST_F(Gateway, TheDefaultAtTheDeadlineIsNeverApproval) {
  configuration_.hub.budget_tokens = 5;
  Feed(configuration_);
  Feed(MakeCommand("cmd_1"));
  Wait(hours(25));
  EXPECT_EQ(StateOf("cmd_1"), CommandState::kFailed);
  EXPECT_TRUE(Of<QuestionClosed>()[0].expired);
}

TEST_F(Gateway, ALateAnswerIsToldSo) {
  Feed(QuestionAnswer{PlanId("plan_a"), 12345, Decision::kApprove, "", {}, {}});
  EXPECT_EQ(reply_.error->code, ErrorCode::kAnswerLate);
}

TEST_F(Gateway, AToolsResultGoesBackToTheModel) {
  Feed(MakeCommand("cmd_1"));
  Feed(AskForTool("cmd_1", true));
  ASSERT_EQ(Of<ToolCallIntended>().size(), 1U);
  Feed(ToolCallDone{PlanId("plan_a"), CommandId("cmd_1"), OpenCallOf("cmd_1"), "sent", {}, {}});
  EXPECT_EQ(sink_.Get(Of<ModelCallIntended>()[0].request), "plan_a/cmd_1/2 tools");
}

TEST_F(Gateway, AnInterruptedToolThatMustNotRunTwiceWaitsForAPerson) {
  Feed(MakeCommand("cmd_1"));
  Feed(AskForTool("cmd_1", false));
  Feed(ToolCallDone{PlanId("plan_a"), CommandId("cmd_1"), OpenCallOf("cmd_1"), "", ErrorCode::kOutcomeUnknown,
                    ""});
  EXPECT_EQ(StateOf("cmd_1"), CommandState::kWaitingHuman);
  EXPECT_EQ(Of<QuestionAsked>()[0].kind, QuestionKind::kOutcomeUnknown);
  Answer(Decision::kApprove, "it was sent");
  EXPECT_EQ(StateOf("cmd_1"), CommandState::kRunning);
  EXPECT_EQ(sink_.Get(Of<ModelCallIntended>()[0].request), "plan_a/cmd_1/2 tools");
  EXPECT_TRUE(Of<ToolCallIntended>().empty()) << "it must not run again";
}

TEST_F(Gateway, FilesThatAPersonAttachesAreWhatTheInterruptedToolLeft) {
  Feed(MakeCommand("cmd_1"));
  Feed(AskForTool("cmd_1", false));
  Feed(ToolCallDone{PlanId("plan_a"), CommandId("cmd_1"), OpenCallOf("cmd_1"), "", ErrorCode::kOutcomeUnknown,
                    ""});
  const std::uint64_t question = Plan("plan_a").people.questions().begin()->first;
  Feed(QuestionAnswer{
      PlanId("plan_a"), question, Decision::kApprove, "it was drawn", {{"chart.svg", "<svg/>"}}, {}});
  ASSERT_EQ(Of<ToolCallFinished>().size(), 1U);
  ASSERT_EQ(Of<ToolCallFinished>()[0].captured.size(), 1U);
  EXPECT_EQ(sink_.Get(Of<ToolCallFinished>()[0].captured[0].content), "<svg/>");
  ASSERT_EQ(Record("cmd_1")->execution->outputs.size(), 1U);
  EXPECT_EQ(Record("cmd_1")->execution->outputs[0].name, "chart.svg");
  EXPECT_TRUE(Of<InputArrived>().empty()) << "they are nobody's mail";
}

class GatewayWithTools : public Gateway {
 protected:
  // The command's answer asks for two tools: "pay", which must not run twice, and another one.
  void AskForTwo(bool idempotent) {
    Feed(MakeCommand("cmd_1"));
    ModelCallDone done = AskForTool("cmd_1", false);
    done.answer.tools.push_back({"", "other", "{}", idempotent, ""});
    Feed(std::move(done));
    pay_ = OpenCallOf("cmd_1");
  }
  Names Done(std::uint32_t call, std::optional<ErrorCode> error = {}) {
    return Feed(ToolCallDone{PlanId("plan_a"), CommandId("cmd_1"), call, "done", error, ""});
  }
  std::uint32_t pay_ = 0;
};

TEST_F(GatewayWithTools, AToolThatIsDoneWhileAPersonIsAskedAboutAnotherCounts) {
  AskForTwo(true);
  Done(pay_, ErrorCode::kOutcomeUnknown);
  Done(pay_ + 1);
  EXPECT_EQ(StateOf("cmd_1"), CommandState::kWaitingHuman);
  EXPECT_EQ(Record("cmd_1")->execution->tool_outputs.size(), 1U);
  Answer(Decision::kApprove, "it was paid");
  EXPECT_EQ(Of<ModelCallIntended>().size(), 1U);
  EXPECT_TRUE(Of<ToolCallIntended>().empty());
}

TEST_F(GatewayWithTools, AToolThatIsNotDoneWhenThePersonAnswersIsRunAgain) {
  AskForTwo(true);
  Done(pay_, ErrorCode::kOutcomeUnknown);
  Answer(Decision::kApprove, "it was paid");
  ASSERT_EQ(Of<ToolCallIntended>().size(), 1U);
  EXPECT_EQ(Of<ToolCallIntended>()[0].tool, "other");
  EXPECT_TRUE(Of<ModelCallIntended>().empty()) << "not before its tools are done";
  Done(OpenCallOf("cmd_1"));
  EXPECT_EQ(Of<ModelCallIntended>().size(), 1U);
}

TEST_F(GatewayWithTools, TwoToolsThatMustNotRunTwiceAreAskedAboutOneAfterTheOther) {
  AskForTwo(false);
  Done(pay_, ErrorCode::kOutcomeUnknown);
  Done(pay_ + 1, ErrorCode::kOutcomeUnknown);
  EXPECT_EQ(Plan("plan_a").people.questions().size(), 1U);
  Answer(Decision::kApprove, "it was paid");
  EXPECT_EQ(StateOf("cmd_1"), CommandState::kWaitingHuman);
  ASSERT_EQ(Of<QuestionAsked>().size(), 1U);
  EXPECT_EQ(Of<QuestionAsked>()[0].call, pay_ + 1);
  Answer(Decision::kApprove, "that too");
  EXPECT_EQ(StateOf("cmd_1"), CommandState::kRunning);
  EXPECT_TRUE(Of<ToolCallIntended>().empty());
  EXPECT_EQ(Of<ModelCallIntended>().size(), 1U);
}

TEST_F(Gateway, ATimedOutToolThatMustNotRunTwiceIsUnknownToo) {
  CommandFile command = MakeCommand("cmd_1");
  command.command.retry_times = 2;
  Feed(std::move(command));
  Feed(AskForTool("cmd_1", false));
  Wait(seconds(101));
  EXPECT_EQ(StateOf("cmd_1"), CommandState::kWaitingHuman);
  Answer(Decision::kReject);
  EXPECT_EQ(Record("cmd_1")->outcome->code, ErrorCode::kOutcomeUnknown);
}

TEST_F(Gateway, AToolUnderWayTellsHowFarItIs) {
  Feed(MakeCommand("cmd_1"));
  Feed(AskForTool("cmd_1", true));
  const ToolProgress told{PlanId("plan_a"), CommandId("cmd_1"), OpenCallOf("cmd_1"), "half of it"};
  EXPECT_EQ(Feed(told), Names{"status_reported"});
  EXPECT_TRUE(Of<StatusReported>()[0].summary.ends_with(": half of it"));
  EXPECT_EQ(Of<StatusReported>()[0].status, ReportedStatus::kInProgress);
  Feed(ToolCallDone{PlanId("plan_a"), CommandId("cmd_1"), OpenCallOf("cmd_1"), "found", {}, {}});
  EXPECT_EQ(Feed(told), Names{}) << "the call is over";
}

TEST_F(Gateway, ATimedOutIdempotentToolRunsAgainAndTheFinishedOneDoesNot) {
  CommandFile command = MakeCommand("cmd_1");
  command.command.retry_times = 1;
  Feed(std::move(command));
  ModelCallDone done = AskForTool("cmd_1", true);
  done.answer.tools.push_back({"", "look_up", "{\"q\":1}", true, ""});
  Feed(std::move(done));
  Feed(ToolCallDone{PlanId("plan_a"), CommandId("cmd_1"), OpenCallOf("cmd_1"), "sent", {}, {}});
  Wait(seconds(101));
  Wait(seconds(10));
  ASSERT_EQ(Of<ToolCallIntended>().size(), 1U);
  EXPECT_EQ(Of<ToolCallIntended>()[0].tool, "look_up");
  Feed(ToolCallDone{PlanId("plan_a"), CommandId("cmd_1"), OpenCallOf("cmd_1"), "found", {}, {}});
  EXPECT_EQ(sink_.Get(Of<ModelCallIntended>()[0].request), "plan_a/cmd_1/2 tools");
}

TEST_F(Gateway, TooManyToolRoundsEndTheCommand) {
  configuration_.hub.max_tool_rounds = 2;
  Feed(configuration_);
  Feed(MakeCommand("cmd_1"));
  for (int i = 0; i < 3; ++i) {
    Feed(AskForTool("cmd_1", true));
    if (StateOf("cmd_1") != CommandState::kRunning) break;
    Feed(ToolCallDone{PlanId("plan_a"), CommandId("cmd_1"), OpenCallOf("cmd_1"), "ok", {}, {}});
  }
  EXPECT_EQ(StateOf("cmd_1"), CommandState::kFailed);
}

TEST_F(Gateway, ARefusedToolIsToldToTheModelAndNotRun) {
  Feed(MakeCommand("cmd_1"));
  ModelCallDone done = AskForTool("cmd_1", false);
  done.answer.tools[0].refusal = "there is no tool send_mail";
  EXPECT_EQ(Feed(std::move(done)), (Names{"model_call_finished", "tool_call_intended", "tool_call_finished",
                                          "model_call_intended"}));
}

TEST_F(Gateway, AlertsStopAtTheLimitOfOpenQuestionsAndAreNoneOfThem) {
  configuration_.hub.max_open_questions = 2;
  Feed(configuration_);
  for (int i = 0; i < 4; ++i) {
    const std::string id = "cmd_" + std::to_string(i);
    Feed(MakeCommand(id));
    Feed(MakeFailure(id));
  }
  EXPECT_EQ(Plan().people.questions().size(), 2U);
  EXPECT_EQ(Plan().people.letters().size(), 4U);
  EXPECT_EQ(engine_.state().open_questions, 0U) << "agents may ask";
}

TEST_F(Gateway, FilesOfAnAnswerReachTheAskersInbox) {
  Feed(MakeCommand("cmd_0"));
  Feed(MakeFailure("cmd_0"));
  Feed(MakeCommand("cmd_1", {{"map.txt", 1}}));
  QuestionAnswer answer{PlanId("plan_a"), Question(), Decision::kNone, "", {}, {}};
  answer.files.emplace_back("map.txt", Payload(std::string("here")));
  Feed(std::move(answer));
  EXPECT_EQ(StateOf("cmd_1"), CommandState::kRunning);
}

}  // namespace
}  // namespace agenttalk
