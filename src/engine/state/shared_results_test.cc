#include "engine/state/shared_results.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/ids.h"
#include "base/json.h"
#include "engine/dag/fixture.h"
#include "engine/state/dag_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "model/dag/task_dag.h"
#include "model/events/event.h"

namespace agenttalk {
namespace {

const char* const kTwoTasks = R"(
  - {id: a, agent: alice, prompt: A, inputs: [n.txt], outputs: [a.md], score: {criteria: c, pass: 50}}
  - {id: b, agent: bob, prompt: B, inputs: [a.md], outputs: [b.md]}
)";

class ResultsOfTheHub : public DagTest {
 protected:
  ResultsOfTheHub() {
    composer_.by_content = true;
    Share(true);
  }

  void Share(bool hub) {
    configuration_.hub.share_results = hub;
    Configure({});
  }

  // Runs a plan to its end; returns how many model calls that took.
  int RunPlan(const std::string& plan, const std::string& note = "1", bool fresh = false,
              const std::string& tasks = kTwoTasks) {
    PlanSubmission submission = Submission(tasks, {{"n.txt", note}});
    submission.plan_id = PlanId(plan);
    submission.dag.plan_id = submission.plan_id;
    submission.dag_json = CanonicalJson(ToJson(submission.dag));
    submission.fresh = fresh;
    Feed(std::move(submission));
    return AnswerAll(plan);
  }
  int AnswerAll(const std::string& plan) {
    int calls = 0;
    for (bool again = true; again;) {
      again = false;
      std::vector<std::string> running;
      for (const CommandRecord& record : Plan(plan).commands) {
        if (record.state == CommandState::kRunning) running.push_back(record.id.str());
      }
      for (const std::string& command : running) {
        Feed(MakeAnswer(command, "result of " + command, 80, plan));
        ++calls;
        again = true;
      }
    }
    EXPECT_TRUE(Plan(plan).completed);
    return calls;
  }
  const TaskRecord& TaskOf(const std::string& plan, const std::string& task) {
    const DagState& dag = *Plan(plan).dag;
    return dag.Task(dag.Find(TaskId(task)));
  }
};

TEST_F(ResultsOfTheHub, ATaskOfAnotherPlanWithTheSameRequestGetsTheRecordedResult) {
  EXPECT_EQ(RunPlan("plan_one"), 2);
  EXPECT_FALSE(TaskOf("plan_one", "a").reused);
  EXPECT_EQ(RunPlan("plan_two"), 0);
  EXPECT_TRUE(TaskOf("plan_two", "a").reused);
  EXPECT_TRUE(TaskOf("plan_two", "b").reused);
  EXPECT_EQ(sink_.Get(Plan("plan_two").dag->delivered().at("b.md")), "result of cmd_b_001");
  EXPECT_EQ(TaskOf("plan_two", "a").result->score, 80);
}

TEST_F(ResultsOfTheHub, OnlyWhatAChangeTouchesIsAsked) {
  RunPlan("plan_one");
  EXPECT_EQ(RunPlan("plan_two", "another note"), 1) << "b gets the same text from a";
  EXPECT_FALSE(TaskOf("plan_two", "a").reused);
  EXPECT_TRUE(TaskOf("plan_two", "b").reused);
}

TEST_F(ResultsOfTheHub, TheyAreKnownAfterTheirPlanWasUnloadedAndAfterARestart) {
  RunPlan("plan_one");
  engine_.Unload(PlanId("plan_one"));
  shadow_.Unload(PlanId("plan_one"));
  EXPECT_EQ(shadow_.shared.size(), 2U) << "folded from events alone";
  EXPECT_EQ(RunPlan("plan_two"), 0);
}

TEST_F(ResultsOfTheHub, FreshAsksAndItsResultsReplaceTheOldOnes) {
  RunPlan("plan_one");
  EXPECT_EQ(RunPlan("plan_two", "1", true), 2);
  EXPECT_FALSE(TaskOf("plan_two", "a").reused);
  EXPECT_EQ(RunPlan("plan_three"), 0);
}

TEST_F(ResultsOfTheHub, ATaskThatSomebodyResetsIsAsked) {
  RunPlan("plan_one");
  RunPlan("plan_two");
  Feed(PlanChangeBatch{PlanId("plan_two"), {{"reset_task", R"({"task_id":"b"})"}}, {}});
  EXPECT_EQ(AnswerAll("plan_two"), 1);
  EXPECT_FALSE(TaskOf("plan_two", "b").reused);
}

TEST_F(ResultsOfTheHub, NothingIsSharedWhereReuseIsOfThePlan) {
  Share(false);
  RunPlan("plan_one");
  EXPECT_EQ(RunPlan("plan_two"), 2);
  Share(true);
  EXPECT_EQ(RunPlan("plan_three"), 2) << "what was not shared then is not known now";
  EXPECT_EQ(RunPlan("plan_four"), 0);
}

TEST_F(ResultsOfTheHub, AResultThatWasNotAcceptedIsNotShared) {
  const std::string tasks =
      "  - {id: a, agent: alice, prompt: A, inputs: [n.txt], score: {criteria: c, pass: 90}}\n";
  EXPECT_EQ(RunPlan("plan_one", "1", false, tasks), 1);
  EXPECT_EQ(TaskOf("plan_one", "a").phase, TaskPhase::kFailed);
  EXPECT_EQ(RunPlan("plan_two", "1", false, tasks), 1);
}

TEST_F(ResultsOfTheHub, WhatToolsOrCommandsWereUsedForIsNotShared) {
  const std::string tasks = "  - {id: a, agent: alice, prompt: A, inputs: [n.txt]}\n";
  const auto use_tool = [&](const std::string& plan) {
    PlanSubmission submission = Submission(tasks, {{"n.txt", std::string("1")}});
    submission.plan_id = submission.dag.plan_id = PlanId(plan);
    submission.dag_json = CanonicalJson(ToJson(submission.dag));
    Feed(std::move(submission));
    ModelCallDone done = MakeAnswer("cmd_a_001", "", {}, plan);
    done.answer.tools = {{"t1", "read_file", "{}", true, {}}};
    Feed(std::move(done));
    Feed(ToolCallDone{PlanId(plan), CommandId("cmd_a_001"), OpenCallOf("cmd_a_001", plan), "text", {}, {}});
    return AnswerAll(plan);
  };
  EXPECT_EQ(use_tool("plan_one"), 1);
  EXPECT_EQ(use_tool("plan_two"), 1) << "its tools have to run";
}

TEST(SharedResults, TheOldestAreForgotten) {
  SharedResults shared;
  for (const char* key : {"1", "2", "3", "2"}) {
    ResultShared e;
    e.key = Sha256(key);
    e.score_explanation = key;
    shared.Add(e, 2);
  }
  EXPECT_EQ(shared.size(), 2U);
  EXPECT_EQ(shared.Find(Sha256("1")), nullptr);
  ASSERT_NE(shared.Find(Sha256("2")), nullptr);
  EXPECT_EQ(shared.Find(Sha256("3"))->explanation, "3");
}

}  // namespace
}  // namespace agenttalk
