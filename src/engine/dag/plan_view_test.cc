#include "engine/dag/plan_view.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/ids.h"
#include "engine/dag/fixture.h"

namespace agenttalk {
namespace {

constexpr const char* kViewedTasks = R"(
  - {id: publish, agent: bob, prompt: Publish it., needs: [write, check]}
  - {id: write, agent: alice, prompt: Write it., outputs: [text.md]}
  - {id: check, agent: bob, prompt: Check it., needs: [write]}
  - {id: index, agent: alice, prompt: Index it., needs: [write]}
)";

std::vector<std::string> ViewedIds(const std::vector<TaskView>& views) {
  std::vector<std::string> ids;
  for (const TaskView& view : views) ids.push_back(view.task_id.str());
  return ids;
}

using PlanViewTest = DagTest;

TEST_F(PlanViewTest, ShowsATaskWithItsResult) {
  Run(kViewedTasks);
  EXPECT_FALSE(GetTask(Plan(kPlan), TaskId("nowhere")));
  Answer("write", "the text");
  const auto view = GetTask(Plan(kPlan), TaskId("write"));
  ASSERT_TRUE(view);
  EXPECT_EQ(view->state, "COMPLETED");
  EXPECT_EQ(view->description, "Write it.");
  EXPECT_EQ(view->outputs, (std::vector<std::string>{"text.md"}));
  EXPECT_EQ(sink_.Get(view->result), "the text");
}

TEST_F(PlanViewTest, ListsWhatIsReadyAndWhoseItIs) {
  Run(kViewedTasks);
  EXPECT_EQ(ViewedIds(GetReadyTasks(Plan(kPlan))), (std::vector<std::string>{})) << "write runs already";
  EXPECT_EQ(ViewedIds(GetTasksForRole(Plan(kPlan), AgentId("bob"))),
            (std::vector<std::string>{"publish", "check"}));
  Feed(MakeCommand("cmd_other", {}, "bob", "plan_other"));  // bob is busy now
  Answer("write", "the text");
  EXPECT_EQ(ViewedIds(GetReadyTasks(Plan(kPlan))), (std::vector<std::string>{"check"}));
}

TEST_F(PlanViewTest, CountsAndOrders) {
  Run(kViewedTasks);
  EXPECT_EQ(ViewedIds(GetPlanStructure(Plan(kPlan))),
            (std::vector<std::string>{"write", "check", "index", "publish"}));
  Answer("write", "the text");
  Break("check");
  const PlanView view = GetPlanStatus(Plan(kPlan));
  EXPECT_EQ(view.total, 4U);
  EXPECT_EQ(view.completed, 1U);
  EXPECT_EQ(view.active, 1U);
  EXPECT_EQ(view.failed, 1U);
  EXPECT_FALSE(view.is_completed);
}

TEST_F(PlanViewTest, AnOpenPlanHasNoTasks) {
  Feed(MakeCommand("cmd_1"));
  EXPECT_TRUE(GetPlanStructure(Plan()).empty());
  EXPECT_EQ(GetPlanStatus(Plan()).total, 0U);
}

}  // namespace
}  // namespace agenttalk
