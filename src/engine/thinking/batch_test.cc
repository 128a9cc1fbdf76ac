#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error_code.h"
#include "base/ids.h"
#include "engine/state/dag_state.h"
#include "engine/state/plan_state.h"
#include "engine/thinking/fixture.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/answer/thinking_command.h"
#include "model/events/event.h"

namespace agenttalk {
namespace {

using ThinkingBatches = ThinkingTest;

TEST_F(ThinkingBatches, AppendedTasksStandInTopologicalOrder) {
  ByHand({Append("1", R"("2","3")"), Append("2", ""), Append("3", R"("2")")});
  EXPECT_EQ(reply_.status, Reply::Status::kAccepted);
  EXPECT_EQ(Order(), (std::vector<std::string>{"2", "3", "1"}));
  EXPECT_EQ(Dag().revision(), 1U);
  EXPECT_EQ(Current(), "2");
}

TEST_F(ThinkingBatches, APlanMadeByHandStartsPausedAndRunsWhenItIsResumed) {
  ByHand({Append("1", "")});
  EXPECT_TRUE(Plan(kPlan).paused);
  EXPECT_FALSE(IsRunning("1"));
  EXPECT_FALSE(Plan(kPlan).completed);
  Feed(PlanControl{PlanId(kPlan), ControlVerb::kResume, {}, {}});
  EXPECT_TRUE(IsRunning("1"));
  Answer("1", "done");
  EXPECT_TRUE(Plan(kPlan).completed);
}

TEST_F(ThinkingBatches, FinishingMovesTheCurrentTaskAlong) {
  ByHand({Append("1", R"("2","3")"), Append("2", ""), Append("3", R"("2")")});
  ByHand({Finish("two")});
  EXPECT_EQ(Current(), "3");
  EXPECT_EQ(sink_.Get(Task("2").result->result), "two");
  ByHand({Finish(), Finish()});
  EXPECT_EQ(Current(), "");
  EXPECT_EQ(Finished(), (std::vector<std::string>{"2", "3", "1"}));
  EXPECT_TRUE(Plan(kPlan).completed);
}

TEST_F(ThinkingBatches, FinishingAFinishedPlanDoesNothing) {
  ByHand({Append("1", ""), Finish()});
  const std::uint64_t revision = Dag().revision();
  EXPECT_EQ(ByHand({Finish()}), (Names{"thinking_applied"}));
  EXPECT_EQ(Dag().revision(), revision);
}

TEST_F(ThinkingBatches, AResetOfTheFirstResetsAllThatHangOnIt) {
  ByHand({Append("1", R"("2","3")"), Append("2", ""), Append("3", R"("2")"), Append("4", ""), Finish(),
          Finish(), Finish(), Finish()});
  EXPECT_EQ(Finished().size(), 4U);
  ByHand({Reset("2")});
  EXPECT_EQ(Finished(), (std::vector<std::string>{"4"}));
  EXPECT_EQ(Task("2").result, nullptr);
  EXPECT_EQ(Dag().revision(), 2U);
  EXPECT_FALSE(Plan(kPlan).completed);
}

TEST_F(ThinkingBatches, ReplacingATaskResetsItsDependentsAndKeepsTheRest) {
  ByHand(
      {Append("2", ""), Append("3", R"("2")"), Append("1", R"("2","3")"), Finish("two"), Finish(), Finish()});
  ByHand({Replace("3", R"("2")", "bob")});
  EXPECT_EQ(Finished(), (std::vector<std::string>{"2"}));
  EXPECT_EQ(sink_.Get(Task("2").result->result), "two");
  EXPECT_EQ(Dag().Node(Dag().Find(TaskId("3"))).prompt, "redo 3");
  EXPECT_EQ(Dag().AgentOf(Dag().Find(TaskId("3"))).str(), "bob");
  EXPECT_EQ(Order(), (std::vector<std::string>{"2", "3", "1"}));
}

TEST_F(ThinkingBatches, ChangesThatCannotBeLeaveThePlanAsItIsAndSayWhatToDo) {
  ByHand({Append("1", ""), Append("2", R"("1")"), Finish("one")});
  ExpectRefused({Append("3", R"("9")")}, {ErrorCode::kDependencyUnknown},
                "/commands/0/args/dependent_task_ids");
  ExpectRefused({Reset("9")}, {ErrorCode::kTaskUnknown}, "/commands/0/args/task_id");
  ExpectRefused({Replace("9", "")}, {ErrorCode::kTaskUnknown}, "/commands/0/args/task_id");
  ExpectRefused({Append("2", "")}, {ErrorCode::kTaskIdDuplicate}, "/commands/0/args/task_id");
  EXPECT_NE(reply_.issues.front().hint.find("replace_task"), std::string::npos);
  ExpectRefused({Append("3", ""), Append("3", "")}, {ErrorCode::kTaskIdDuplicate},
                "/commands/1/args/task_id");
  ExpectRefused({Replace("1", R"("2")")}, {ErrorCode::kDagCycle}, "/commands/0/args/new_dependent_task_ids");
  ExpectRefused({Append("3", R"("3")")}, {ErrorCode::kDagCycle}, "/commands/0/args/dependent_task_ids");
  ExpectRefused({Append("3", "", "nobody")}, {ErrorCode::kAgentUnknown}, "/commands/0/args/assignee");
}

TEST_F(ThinkingBatches, ABatchIsAppliedWholeOrNotAtAll) {
  ByHand({Append("1", "")});
  ExpectRefused({Append("2", R"("1")"), Finish(), Reset("9"), {"nonsense", "{}"}},
                {ErrorCode::kTaskUnknown, ErrorCode::kCommandUnknown}, "/commands/2/args/task_id");
  EXPECT_EQ(Order(), (std::vector<std::string>{"1"}));
}

TEST_F(ThinkingBatches, ABatchIsOneRevisionWithAuthorAndReason) {
  ByHand({Append("1", ""), Append("2", R"("1")")});
  const auto adopted = Of<DagAdopted>();
  ASSERT_EQ(adopted.size(), 1U);
  EXPECT_EQ(adopted.front().author, "human");
  EXPECT_EQ(adopted.front().reason, "append_task ×2");
  ASSERT_EQ(Of<ThinkingApplied>().size(), 1U);
  EXPECT_EQ(Of<ThinkingApplied>().front().revision, 1U);
  EXPECT_EQ(Dag().history().size(), Dag().revision());
  ByHand({Reset("1")});
  EXPECT_EQ(Dag().history().size(), Dag().revision());
  EXPECT_EQ(Dag().revision(), 2U);
}

// A row is written whole or not at all, so a crash leaves the plan as before or as after.
TEST_F(ThinkingBatches, ABatchIsOneRowOfTheJournal) {
  const std::vector<std::vector<ThinkingCommand>> batches = {
      {Append("1", ""), Append("2", R"("1")"), Finish("one")},
      {Reset("1"), Append("3", R"("2")"), Finish("again"), Replace("2", R"("1")", "bob")},
      {Say("bob"), Append("4", ""), Finish(), Finish(), Finish(), Finish()}};
  for (const auto& batch : batches) {
    ByHand(batch);
    EXPECT_EQ(reply_.status, Reply::Status::kAccepted);
    EXPECT_GT(events_.size(), 3U);
    for (const Event& event : events_) EXPECT_EQ(event.plan_id.str(), kPlan);
  }
  EXPECT_TRUE(Plan(kPlan).completed);
}

TEST_F(ThinkingBatches, OrderInsideABatchCountsForAllButAppends) {
  ByHand({Append("1", ""), Finish("a"), Reset("1")});
  EXPECT_EQ(Finished(), (std::vector<std::string>{}));
  ByHand({Reset("1"), Finish("b")});
  EXPECT_EQ(Finished(), (std::vector<std::string>{"1"}));
  EXPECT_EQ(sink_.Get(Task("1").result->result), "b");
}

TEST_F(ThinkingBatches, WhoDecidedOnAnOldPlanIsToldSoAndMayTryAgain) {
  ByHand({Append("1", "")});
  ByHand({Append("2", "")}, 1);
  EXPECT_EQ(reply_.status, Reply::Status::kAccepted);
  ByHand({Append("3", "")}, 1);
  EXPECT_EQ(Codes(), (std::vector<ErrorCode>{ErrorCode::kVersionConflict}));
  ByHand({Append("3", "")}, 2);
  EXPECT_EQ(reply_.status, Reply::Status::kAccepted);
  EXPECT_EQ(Dag().revision(), 3U);
}

TEST_F(ThinkingBatches, ARepeatedRequestIsAnsweredNotDoneTwice) {
  PlanChangeBatch batch{PlanId(kPlan), {Append("1", "")}, {}};
  batch.client_id = "c1";
  Feed(batch);
  EXPECT_EQ(Feed(batch), (Names{}));
  EXPECT_EQ(reply_.status, Reply::Status::kRepeated);
}

TEST_F(ThinkingBatches, APlanThatDoesNotExistIsMadeByAppendAlone) {
  ByHand({Reset("1")});
  EXPECT_EQ(Codes(), (std::vector<ErrorCode>{ErrorCode::kPlanUnknown}));
  ByHand({Append("1", R"("7")")});
  EXPECT_EQ(Codes(), (std::vector<ErrorCode>{ErrorCode::kDependencyUnknown}));
  EXPECT_FALSE(Plan(kPlan).opened);
  EXPECT_EQ(Of<ThinkingRefused>().front().about.str(), kPlan);
}

TEST_F(ThinkingBatches, AFailedTaskStaysFailedUntilItIsReset) {
  Run("  - {id: a, agent: alice, prompt: x}\n  - {id: b, agent: bob, prompt: y, needs: [a]}\n");
  Break("a");
  EXPECT_TRUE(Plan(kPlan).completed);
  ByHand({Append("c", "", "bob")});
  EXPECT_EQ(Phase("a"), TaskPhase::kFailed);
  EXPECT_TRUE(IsRunning("c"));
  ByHand({Reset("a")});
  EXPECT_TRUE(IsRunning("a"));
  EXPECT_EQ(Phase("b"), TaskPhase::kPending);
}

TEST_F(ThinkingBatches, ATaskThatIsResetIsExecutedNotRemembered) {
  composer_.by_content = true;
  Run("  - {id: a, agent: alice, prompt: x}\n  - {id: b, agent: bob, prompt: y, needs: [a]}\n");
  Answer("a", "one");
  Answer("b", "two");
  ByHand({Reset("a")});
  ASSERT_TRUE(IsRunning("a"));
  // The same again: what was made of it need not be made again.
  Answer("a", "one");
  EXPECT_EQ(Phase("b"), TaskPhase::kCompleted);
  EXPECT_TRUE(Task("b").reused);
}

TEST_F(ThinkingBatches, AnAppendedTaskGetsWhatItsDependenciesMake) {
  Run("  - {id: a, agent: alice, prompt: x, outputs: [a.md]}\n");
  ByHand({Append("b", R"("a")", "bob")});
  Answer("a", "text");
  ASSERT_TRUE(IsRunning("b"));
  EXPECT_EQ(InputsOf("b"), (std::vector<std::string>{"a.md=text"}));
}

}  // namespace
}  // namespace agenttalk
