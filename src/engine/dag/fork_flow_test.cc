#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "base/error_code.h"
#include "base/ids.h"
#include "engine/dag/fixture.h"
#include "engine/state/dag_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/content/content.h"
#include "model/events/event.h"

namespace agenttalk {
namespace {

constexpr const char* kTasks = R"(
- {id: a, agent: alice, prompt: "first", outputs: [a.md], gate: human}
- {id: b, agent: bob, prompt: "second", inputs: [a.md, notes.txt], outputs: [b.md]}
)";

class ForkFlow : public DagTest {
 protected:
  static PlanSubmission Fork(const std::string& origin = "plan_o") {
    PlanSubmission submission = Submission(kTasks);
    InheritedResult result;
    result.task_id = TaskId("a");
    result.command_id = CommandId("cmd_a_001");
    submission.inherits.emplace();
    submission.inherits->forked = {PlanId(origin), 7, TaskId("b"), {std::move(result)}};
    return submission;
  }
  PlanSubmission Complete(PlanSubmission submission) {
    const Content bytes = sink_.Store("taken over", 0);
    InheritedResult& a = submission.inherits->forked.results.front();
    a.result = bytes;
    a.outputs = {{"a.md", bytes}};
    submission.inherits->files.push_back({AgentId("bob"), "notes.txt", sink_.Store("dropped in", 0)});
    return submission;
  }
};

TEST_F(ForkFlow, TakesOverWhatIsUpstreamWithoutAskingAModelOrAPerson) {
  const Names names = Feed(Complete(Fork()));
  EXPECT_EQ(Phase("a"), TaskPhase::kCompleted);
  EXPECT_TRUE(Task("a").reused);
  EXPECT_TRUE(Plan(kPlan).people.questions().empty());
  EXPECT_TRUE(IsRunning("b"));
  EXPECT_EQ(Of<ModelCallIntended>().size(), 1U);
  EXPECT_EQ(InputsOf("b"), (Names{"a.md=taken over", "notes.txt=dropped in"}));
  EXPECT_EQ(Dag().FindInherited(TaskId("a")), nullptr);
  EXPECT_EQ(Dag().FindInherited(TaskId("b")), nullptr);
  ASSERT_TRUE(Dag().origin().has_value());
  EXPECT_EQ(Dag().origin()->plan, PlanId("plan_o"));
}

TEST_F(ForkFlow, EndsLikeAnyPlan) {
  Feed(Complete(Fork()));
  Answer("b", "done");
  EXPECT_TRUE(Plan(kPlan).completed);
  EXPECT_EQ(Failure(), "");
}

TEST_F(ForkFlow, RefusesAPlanThatIsThere) {
  Run(kTasks);
  Feed(Complete(Fork()));
  EXPECT_EQ(reply_.status, Reply::Status::kRefused);
  EXPECT_EQ(reply_.error->code, ErrorCode::kStateConflict);
}

TEST_F(ForkFlow, ARevisionThatChangesATaskForgetsWhatItInherited) {
  PlanSubmission fork = Complete(Fork());
  fork.inherits->forked.results.front().task_id = TaskId("b");
  fork.inherits->forked.results.front().outputs.front().name = "b.md";
  Feed(std::move(fork));
  EXPECT_TRUE(IsRunning("a"));
  EXPECT_NE(Dag().FindInherited(TaskId("b")), nullptr);
  Run(R"(
- {id: a, agent: alice, prompt: "first", outputs: [a.md], gate: human}
- {id: b, agent: bob, prompt: "another", inputs: [a.md, notes.txt], outputs: [b.md]}
)");
  EXPECT_EQ(Dag().FindInherited(TaskId("a")), nullptr);
  EXPECT_EQ(Dag().FindInherited(TaskId("b")), nullptr);
}

}  // namespace
}  // namespace agenttalk
