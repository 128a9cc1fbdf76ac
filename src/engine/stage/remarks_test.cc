
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

TEST_F(GoalTest, ARemarkThatChangesNothingLeavesTheTasksRunning) {
  BeginTasks();
  Remark("fine");
  UnderstandAndRoute("same_task_no_change", "continue_execution");
  EXPECT_EQ(Goal().goal->settled().back().outcome, "the plan stays as it is");
  EXPECT_NE(Running("task:facts"), "");
  FinishTasks();
  EXPECT_TRUE(Goal().completed);
}

TEST_F(GoalTest, ASmallChangeKeepsWhatItDoesNotTouch) {
  BeginTasks();
  FinishTasks();
  Remark("shorter");
  UnderstandAndRoute("same_task_minor_change", "minor_replan");
  PlanTasks(Task("page", "writing", "", "half a page"));
  Review(true);
  ASSERT_EQ(Of<ThinkingApplied>().size(), 1U);
  EXPECT_EQ(Of<ThinkingApplied>()[0].names, std::vector<std::string>{"replace_task"});
  EXPECT_EQ(Goal().dag->revision(), 2U);
  EXPECT_EQ(Phase("facts"), TaskPhase::kCompleted);
  EXPECT_EQ(Phase("page"), TaskPhase::kActive);
  Complete("page", "short");
  Review(true);
  Say("orchestrator", StageText("PHASE_TRANSITION", "{}"));
  EXPECT_EQ(Delivered("page.result.md"), "short");
  EXPECT_TRUE(Goal().completed);
}

TEST_F(GoalTest, AChangeThatWouldMakeACircleIsPlannedAgain) {
  BeginTasks();
  Remark("the other way round");
  UnderstandAndRoute("same_task_minor_change", "minor_replan");
  // page depends on facts already; the answer itself is no circle.
  ModelCallDone done = MakeAnswer(Running("planner"), "", {}, kPlan);
  auto output = ParseAgentOutput(StageText("TASK_PLAN", R"({"tasks":[)" + Task("facts", "research", "page") +
                                                            R"(],"executionOrder":[]})"),
                                 {.stage = Stage::kPlanner, .known_tools = {}, .known_tasks = {"page"}});
  ASSERT_TRUE(output.value.has_value());
  done.answer.stage = *output.value;
  Feed(std::move(done));
  Review(true);
  EXPECT_EQ(Goal().dag->revision(), 1U);
  EXPECT_NE(Running("planner"), "");
  EXPECT_NE(Goal().goal->LineOf(StageMatter::kRemark).feedback.front().find("wait for itself"),
            std::string::npos);
}

TEST_F(GoalTest, ALargeChangeAndAnotherTaskNeedAPerson) {
  BeginTasks();
  Remark("a film");
  UnderstandAndRoute("same_task_major_change", "full_replan");
  EXPECT_EQ(Asked()->matter, GoalMatter::kRoute);
  Decide(Decision::kReject);
  EXPECT_FALSE(Goal().goal->settled().back().done);
  EXPECT_NE(Running("task:facts"), "") << "the plan goes on";
  Remark("and ants");
  UnderstandAndRoute("different_task", "new_task");
  Decide(Decision::kApprove);
  const PlanId other = Goal().goal->settled().back().new_plan;
  ASSERT_FALSE(other.empty());
  EXPECT_EQ(engine_.state().FindPlan(other)->goal->phase(), GoalPhase::kPlanning);
}

TEST_F(GoalTest, APausedPlanHearsThatItShallGoOn) {
  BeginTasks();
  Remark("stop for now");
  UnderstandAndRoute("control_instruction", "control_action", 0.9, "pause");
  EXPECT_TRUE(Goal().paused);
  Remark("go on");
  UnderstandAndRoute("control_instruction", "control_action", 0.9, "resume");
  EXPECT_FALSE(Goal().paused);
  Remark("how far?");
  UnderstandAndRoute("control_instruction", "control_action", 0.9, "status");
  EXPECT_NE(Goal().goal->settled().back().outcome.find("facts"), std::string::npos);
  Remark("away with it");
  UnderstandAndRoute("control_instruction", "control_action", 0.9, "cancel");
  EXPECT_TRUE(Goal().cancelled);
}

TEST_F(GoalTest, RemarksAreWorkedOnOneAfterTheOther) {
  BeginTasks();
  Remark("one");
  Remark("two");
  EXPECT_EQ(Goal().goal->remarks().size(), 2U);
  UnderstandAndRoute("same_task_no_change", "continue_execution");
  ASSERT_EQ(Goal().goal->remarks().size(), 1U);
  EXPECT_EQ(Goal().goal->CurrentRemark().text, "two");
  UnderstandAndRoute("same_task_no_change", "continue_execution");
  EXPECT_TRUE(Goal().goal->remarks().empty());
}

TEST_F(GoalTest, AChangeIsHeededWhileThePlanIsStillMade) {
  Begin();
  UnderstandAndRoute("different_task", "new_task");
  Remark("in verse");
  Say("understanding", StageText("INTENT_ANALYSIS", IntentParams("same_task_minor_change", 0.9)));
  Say("router", StageText("ROUTE_DECISION", RouteParams("minor_replan")));
  EXPECT_EQ(Goal().goal->LineOf(StageMatter::kGoal).feedback.back(), "in verse");
  PlanTasks(Task("facts", "research"));
  Review(true);
  EXPECT_NE(Running("task:facts"), "");
}

TEST_F(GoalTest, TheTasksGoOnWhileARemarkIsPlanned) {
  BeginTasks();
  Remark("shorter");
  UnderstandAndRoute("same_task_minor_change", "minor_replan");
  Complete("facts", "f");
  Review(true);
  Complete("page", "p");
  Review(true);
  EXPECT_FALSE(Goal().completed) << "the remark is open";
  PlanTasks(Task("page", "writing", "", "half a page"));
  Review(true);
  Complete("page", "short");
  Review(true);
  Say("orchestrator", StageText("PHASE_TRANSITION", "{}"));
  EXPECT_EQ(Delivered("page.result.md"), "short");
}

}  // namespace
}  // namespace agenttalk
