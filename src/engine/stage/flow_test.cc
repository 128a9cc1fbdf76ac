
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "engine/stage/fixture.h"
#include "engine/state/dag_state.h"
#include "engine/state/goal_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/answer/agent_output.h"
#include "model/events/event.h"
#include "model/events/stage_events.h"
#include "model/events/thinking_events.h"
#include "model/request/model_request.h"

namespace agenttalk {
namespace {

constexpr const char* kHighRisk = R"(,"risk":{"level":"high","description":"it burns"})";

bool Has(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

TEST_F(GoalTest, AGoalGoesThroughItsStagesToItsDeliverable) {
  EXPECT_EQ(Begin(), (Names{"plan_changed", "goal_set", "command_received", "stage_started",
                            "command_readied", "attempt_started", "model_call_intended"}));
  EXPECT_EQ(Goal().goal->phase(), GoalPhase::kUnderstanding);
  UnderstandAndRoute("different_task", "new_task");
  EXPECT_EQ(Goal().goal->phase(), GoalPhase::kPlanning);
  PlanTasks(Task("facts", "research") + "," + Task("page", "writing", "facts"));
  EXPECT_EQ(Goal().goal->phase(), GoalPhase::kReviewing);
  EXPECT_TRUE(Has(Review(true), "dag_adopted"));
  EXPECT_EQ(Goal().goal->phase(), GoalPhase::kExecuting);
  EXPECT_EQ(Goal().dag->AgentOf(0).str(), "alice");
  EXPECT_EQ(Goal().dag->AgentOf(1).str(), "bob");
  Complete("facts", "f");
  EXPECT_EQ(Phase("facts"), TaskPhase::kReview);
  EXPECT_EQ(Phase("page"), TaskPhase::kPending);
  Review(true);
  Complete("page", "p");
  Review(true);
  EXPECT_EQ(Goal().goal->phase(), GoalPhase::kClosing);
  const Names last = Say("orchestrator", StageText("PHASE_TRANSITION", R"({"to":"ended"})"));
  EXPECT_EQ(last.back(), "plan_changed");
  EXPECT_TRUE(Goal().completed);
  EXPECT_EQ(Goal().goal->failure(), "");
  EXPECT_EQ(Delivered("page.result.md"), "p");
}

TEST_F(GoalTest, AStagesAnswerIsAnEventWithThoughtActionRiskAndConfidence) {
  Begin();
  Say("understanding", StageText("INTENT_ANALYSIS", IntentParams("different_task", 0.9),
                                 R"(,"userMessage":"ok","confidence":77)"));
  const auto finished = Of<StageFinished>();
  ASSERT_EQ(finished.size(), 1U);
  EXPECT_EQ(finished[0].thought, "so");
  EXPECT_EQ(finished[0].action, "INTENT_ANALYSIS");
  EXPECT_EQ(finished[0].confidence, 77);
  EXPECT_EQ(finished[0].user_message, "ok");
  EXPECT_EQ(finished[0].stage, Stage::kUnderstanding);
}

TEST_F(GoalTest, TheReviewerGetsWhatTheTaskMade) {
  BeginTasks();
  Complete("facts", "three facts");
  const CommandRecord* review = Record(Running("reviewer"), kPlan);
  ASSERT_NE(review, nullptr);
  ASSERT_EQ(review->execution->inputs.size(), 1U);
  EXPECT_EQ(review->execution->inputs[0].name, "facts.result.md");
  EXPECT_EQ(sink_.Get(review->execution->inputs[0].content), "three facts");
}

TEST_F(GoalTest, AResultGoesBackTwiceThenItIsAnException) {
  BeginTasks();
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(Phase("facts"), TaskPhase::kActive);
    Complete("facts", "thin");
    Review(false, 40, "too thin");
  }
  EXPECT_EQ(Phase("facts"), TaskPhase::kFailed);
  EXPECT_EQ(Phase("page"), TaskPhase::kSkipped);
  Say("orchestrator", StageText("USER_ESCALATE", R"({"question":"go on?"})"));
  ASSERT_NE(Asked(), nullptr);
  EXPECT_EQ(Asked()->matter, GoalMatter::kException);
  EXPECT_NE(Asked()->text.find("too thin"), std::string::npos);
  Decide(Decision::kApprove, "three facts will do");
  EXPECT_EQ(Phase("facts"), TaskPhase::kActive);
  FinishTasks();
  EXPECT_TRUE(Goal().completed);
  EXPECT_EQ(Goal().goal->failure(), "");
}

TEST_F(GoalTest, TheOrchestratorMaySkipWhatFailed) {
  BeginTasks();
  Say("task:facts", StageText("FAIL", R"({"reason":"no sources"})"));
  EXPECT_EQ(Phase("facts"), TaskPhase::kFailed);
  Say("orchestrator",
      StageText("EXCEPTION_HANDLE", R"({"task":"facts","decision":"skip","reason":"not needed"})"));
  EXPECT_EQ(Phase("facts"), TaskPhase::kSkipped);
  Complete("page", "p");
  Review(true);
  Say("orchestrator", StageText("PHASE_TRANSITION", "{}"));
  EXPECT_TRUE(Goal().completed);
  EXPECT_EQ(Goal().goal->failure(), "");
}

TEST_F(GoalTest, TheOrchestratorMayGiveATaskToSomebodyElseWhoCanDoIt) {
  configuration_.agents[AgentId("bob")].settings.capabilities = {"writing", "research", "numbers"};
  Feed(configuration_);
  BeginTasks();
  ASSERT_EQ(Record(Running("task:facts"), kPlan)->agent.str(), "alice");
  Say("task:facts", StageText("FAIL", R"({"reason":"no sources"})"));
  Say("orchestrator",
      StageText("RESOURCE_ALLOCATE", R"({"task":"facts","agent":"bob","reason":"bob knows"})"));
  EXPECT_EQ(Goal().dag->revision(), 2U);
  ASSERT_NE(Running("task:facts"), "");
  EXPECT_EQ(Record(Running("task:facts"), kPlan)->agent.str(), "bob");
}

TEST_F(GoalTest, TheOrchestratorMayNotGiveATaskToSomebodyWhoLacksWhatItNeeds) {
  BeginTasks();
  Say("task:facts", StageText("FAIL", R"({"reason":"no sources"})"));
  Say("orchestrator",
      StageText("RESOURCE_ALLOCATE", R"({"task":"facts","agent":"bob","reason":"bob knows"})"));
  EXPECT_EQ(Goal().dag->revision(), 1U);
  EXPECT_EQ(Running("task:facts"), "");
  ASSERT_NE(Asked(), nullptr) << "a person decides";
  EXPECT_NE(Asked()->text.find("research"), std::string::npos) << Asked()->text;
}

TEST_F(GoalTest, TheOrchestratorMayHaveItPlannedAnewOrStop) {
  BeginTasks();
  Say("task:facts", StageText("FAIL", R"({"reason":"no sources"})"));
  Say("orchestrator", StageText("EXCEPTION_HANDLE", R"({"decision":"replan","reason":"another way"})"));
  EXPECT_EQ(Goal().goal->phase(), GoalPhase::kPlanning);
  PlanTasks(Task("page", "writing"));
  Review(true);
  Say("task:page", StageText("FAIL", R"({"reason":"no ink"})"));
  Say("orchestrator", StageText("EXCEPTION_HANDLE", R"({"decision":"stop","reason":"hopeless"})"));
  EXPECT_TRUE(Goal().completed);
  EXPECT_NE(Goal().goal->failure().find("no ink"), std::string::npos);
}

TEST_F(GoalTest, TheThirdExceptionGoesToAPersonWithoutTheOrchestrator) {
  BeginTasks();
  for (int round = 0; round < 2; ++round) {
    Say("task:facts", StageText("FAIL", R"({"reason":"no sources"})"));
    Say("orchestrator", StageText("EXCEPTION_HANDLE", R"({"decision":"retry","reason":"again"})"));
  }
  Say("task:facts", StageText("FAIL", R"({"reason":"no sources"})"));
  EXPECT_EQ(Running("orchestrator"), "");
  ASSERT_NE(Asked(), nullptr);
  EXPECT_EQ(Asked()->matter, GoalMatter::kException);
  Decide(Decision::kReject);
  EXPECT_TRUE(Goal().completed);
  EXPECT_NE(Goal().goal->failure(), "");
}

TEST_F(GoalTest, AnOrchestratorThatFailsAtTheEndSpoilsNothing) {
  BeginTasks();
  Complete("facts", "f");
  Review(true);
  Complete("page", "p");
  Review(true);
  for (int round = 0; round < 3; ++round) Garbage("orchestrator");
  EXPECT_TRUE(Goal().completed);
  EXPECT_EQ(Goal().goal->failure(), "");
}

TEST_F(GoalTest, GarbageThreeTimesIsEscalatedAndNothingIsLost) {
  Begin();
  Say("understanding", StageText("INTENT_ANALYSIS", IntentParams("different_task", 0.9)));
  for (int round = 0; round < 3; ++round) Garbage("router");
  ASSERT_NE(Asked(), nullptr);
  EXPECT_EQ(Asked()->matter, GoalMatter::kEscalation);
  EXPECT_FALSE(Goal().completed);
  Decide(Decision::kApprove);
  Say("router", StageText("ROUTE_DECISION", RouteParams("new_task")));
  EXPECT_NE(Running("planner"), "");
}

TEST_F(GoalTest, AnEscalationThatIsRejectedEndsTheGoal) {
  Begin();
  Say("understanding", StageText("ESCALATE", R"({"errorType":"parse_error","message":"not words"})"));
  ASSERT_NE(Asked(), nullptr);
  Decide(Decision::kReject);
  EXPECT_TRUE(Goal().completed);
  EXPECT_NE(Goal().goal->failure().find("not words"), std::string::npos);
}

TEST_F(GoalTest, AnAnswerIsInTheHistoryOfTheStageThatAsked) {
  Begin();
  Say("understanding", StageText("CLARIFICATION_REQUIRED", R"({"question":"which bees?"})"));
  EXPECT_EQ(Asked()->kind, QuestionKind::kClarify);
  Decide(Decision::kNone, "wild ones");
  EXPECT_NE(Goal().goal->notes().back().find("wild ones"), std::string::npos);
  EXPECT_NE(Running("understanding"), "");
}

TEST_F(GoalTest, NobodyAnsweringIsNoConsent) {
  Begin();
  UnderstandAndRoute("different_task", "new_task", 0.5);
  EXPECT_EQ(Asked()->matter, GoalMatter::kRoute);
  Wait(std::chrono::hours(25));
  EXPECT_TRUE(Goal().completed);
  EXPECT_NE(Goal().goal->failure(), "");
}

TEST_F(GoalTest, ATaskThatNobodyCanDoIsNeverGivenToAWrongAgent) {
  Begin();
  UnderstandAndRoute("different_task", "new_task");
  PlanTasks(Task("song", "singing"));
  Review(true);
  ASSERT_NE(Asked(), nullptr);
  EXPECT_EQ(Asked()->matter, GoalMatter::kCapability);
  EXPECT_EQ(Goal().dag, nullptr);
  Decide(Decision::kNone, "nobody-of-that-name");
  ASSERT_NE(Asked(), nullptr) << "asked again";
  Decide(Decision::kNone, "bob");
  EXPECT_EQ(Goal().dag->AgentOf(0).str(), "bob");
}

TEST_F(GoalTest, APlanThatIsSentBackTooOftenIsAPersonsMatter) {
  Begin();
  UnderstandAndRoute("different_task", "new_task");
  for (int round = 0; round < 3; ++round) {
    PlanTasks(Task("facts", "research"));
    Review(false, 30, "no");
  }
  ASSERT_NE(Asked(), nullptr);
  EXPECT_EQ(Asked()->matter, GoalMatter::kPlan);
  EXPECT_EQ(Asked()->risk, RiskLevel::kHigh);
  Decide(Decision::kApprove);
  EXPECT_NE(Running("task:facts"), "");
}

TEST_F(GoalTest, WhatIsOfHighRiskOnlyAPersonLetsPass) {
  Begin();
  UnderstandAndRoute("different_task", "new_task");
  PlanTasks(Task("facts", "research"), kHighRisk);
  Review(true, 100);
  EXPECT_EQ(Goal().dag, nullptr);
  EXPECT_EQ(Asked()->risk, RiskLevel::kHigh);
  Decide(Decision::kApprove);
  Complete("facts", "f", kHighRisk);
  Review(true, 100);
  EXPECT_EQ(Phase("facts"), TaskPhase::kReview);
  EXPECT_EQ(Asked()->matter, GoalMatter::kResult);
  Decide(Decision::kReject, "softer");
  EXPECT_EQ(Phase("facts"), TaskPhase::kActive);
}

TEST_F(GoalTest, AToolCallOfHighRiskIsHeldUntilAPersonDecides) {
  BeginTasks();
  const Names held = Say("task:facts", StageText("write_file", R"({"path":"x"})", kHighRisk));
  EXPECT_FALSE(Has(held, "tool_call_intended"));
  EXPECT_EQ(Asked()->matter, GoalMatter::kTool);
  const std::string command = Asked()->command_id.str();
  EXPECT_EQ(StateOf(command, kPlan), CommandState::kWaitingHuman);
  EXPECT_TRUE(Has(Decide(Decision::kApprove), "tool_call_intended"));
  EXPECT_EQ(StateOf(command, kPlan), CommandState::kRunning);
}

TEST_F(GoalTest, AToolCallThatAPersonRefusesIsAResultForTheAgent) {
  BeginTasks();
  Say("task:facts", StageText("write_file", R"({"path":"x"})", kHighRisk));
  const Names names = Decide(Decision::kReject, "not that file");
  EXPECT_TRUE(Has(names, "tool_call_finished"));
  EXPECT_EQ(names.back(), "model_call_intended");
  EXPECT_TRUE(Record(Running("task:facts"), kPlan)->execution->redo.empty());
  Complete("facts", "f");
}

TEST_F(GoalTest, AnAgentAtATaskMayAskAPerson) {
  BeginTasks();
  Say("task:facts", StageText("CLARIFICATION_REQUIRED", R"({"question":"how many?"})"));
  EXPECT_EQ(Asked()->kind, QuestionKind::kClarify);
  EXPECT_EQ(Decide(Decision::kNone, "three").back(), "model_call_intended");
  Complete("facts", "f");
  EXPECT_EQ(Phase("facts"), TaskPhase::kReview);
}

TEST_F(GoalTest, TheSameGoalAgainIsAnsweredAndAFailedOneTriedAgain) {
  BeginTasks();
  EXPECT_EQ(Begin(), Names{});
  EXPECT_EQ(reply_.status, Reply::Status::kRepeated);
  FinishTasks();
  EXPECT_EQ(Begin(), Names{}) << "finished: nobody is asked";
  GoalSubmission fresh;
  fresh.plan_id = PlanId(kPlan);
  fresh.goal = "Bees";
  fresh.fresh = true;
  Feed(std::move(fresh));
  UnderstandAndRoute("different_task", "new_task");
  PlanTasks(Task("facts", "research"));
  Review(true);
  Say("task:facts", StageText("FAIL", R"({"reason":"no"})"));
  Say("orchestrator", StageText("EXCEPTION_HANDLE", R"({"decision":"stop","reason":"no"})"));
  EXPECT_NE(Goal().goal->failure(), "");
  Begin();
  EXPECT_EQ(Phase("facts"), TaskPhase::kActive);
  EXPECT_EQ(Goal().goal->failure(), "");
}

TEST_F(GoalTest, ACancelledGoalIsOverAndItsQuestionsClosed) {
  Begin();
  UnderstandAndRoute("different_task", "new_task", 0.5);
  Feed(PlanControl{PlanId(kPlan), ControlVerb::kCancel, "no", {}});
  EXPECT_TRUE(Goal().completed);
  EXPECT_TRUE(Goal().people.questions().empty());
}

TEST_F(GoalTest, CommandsOfStrangersAreNoPartOfAGoal) {
  Begin();
  Feed(MakeCommand("cmd_x", {}, "alice", kPlan));
  EXPECT_EQ(reply_.status, Reply::Status::kRefused);
}

TEST_F(GoalTest, AnOpenPlanCannotBecomeAGoal) {
  Feed(MakeCommand("cmd_x", {}, "alice", kPlan));
  Begin();
  EXPECT_EQ(reply_.status, Reply::Status::kRefused);
  Remark("shorter");
  EXPECT_EQ(reply_.status, Reply::Status::kRefused);
}

// ---- remarks ----

}  // namespace
}  // namespace agenttalk
