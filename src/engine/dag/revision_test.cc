#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "engine/dag/fixture.h"
#include "engine/engine_fixture.h"
#include "engine/state/dag_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/command/command.h"
#include "model/events/event.h"

namespace agenttalk {
namespace {

using Strings = std::vector<std::string>;

// A composer whose keys are what rule they keep: what a model would see, and nothing else.
class DagRevision : public DagTest {
 protected:
  std::string Tasks(const std::string& a, const std::string& b, const std::string& more = {}) {
    return "  - {id: a, agent: alice, prompt: " + a + ", outputs: [a.md]}\n" +
           "  - {id: b, agent: bob, prompt: " + b + ", inputs: [a.md], outputs: [b.md]}\n" + more;
  }
  void RunToEnd(const std::string& tasks, std::vector<std::pair<std::string, Payload>> files = {}) {
    Run(tasks, std::move(files));
    asked_ = 0;
    for (bool more = true; more;) {
      more = false;
      for (TaskIndex task = 0; task < Dag().size(); ++task) {
        const std::string id = Dag().IdOf(task).str();
        if (!IsRunning(id) || Record(CommandOf(id), kPlan)->execution->open.empty()) continue;
        ++asked_;
        Answer(id, "result of " + id);
        more = true;
      }
    }
  }
  CommandFile TaskCommand(const std::string& task, std::int64_t seq, const Digest& dag,
                          const std::string& to = "bob") {
    CommandFile file = MakeCommand(CommandIdOf(TaskId(task), seq).str(), {}, to, kPlan);
    file.command.task_id = TaskId(task);
    file.command.command_seq = seq;
    file.command.dag_ref = DagRef{dag, {}};
    file.command.idempotency_key = DefaultIdempotencyKey(file.command);
    return file;
  }
  int asked_ = 0;
};

TEST_F(DagRevision, APlanThatIsDoneAndUnchangedIsOnlyReported) {
  RunToEnd(Tasks("A", "B"));
  EXPECT_TRUE(Run(Tasks("A", "B")).empty());
  EXPECT_EQ(reply_.status, Reply::Status::kRepeated);
}

TEST_F(DagRevision, ARevisionKeepsWhatItLeavesUntouched) {
  RunToEnd(Tasks("A", "B"));
  Run(Tasks("A", "B2"));
  EXPECT_EQ(Dag().revision(), 2U);
  EXPECT_EQ(Phase("a"), TaskPhase::kCompleted);
  EXPECT_TRUE(Task("a").reused);
  EXPECT_TRUE(IsRunning("b"));
  EXPECT_EQ(CommandOf("b"), "cmd_b_002");
}

TEST_F(DagRevision, AChangeUpstreamBeginsWhatDependsOnItAnew) {
  RunToEnd(Tasks("A", "B"));
  Run(Tasks("A2", "B"));
  EXPECT_TRUE(IsRunning("a"));
  EXPECT_EQ(Phase("b"), TaskPhase::kPending);
}

TEST_F(DagRevision, AFileThatChangesBeginsTheTasksThatTakeItAnew) {
  const std::string tasks =
      "  - {id: a, agent: alice, prompt: A, inputs: [n.txt], outputs: [a.md]}\n"
      "  - {id: z, agent: alice, prompt: Z, inputs: [m.txt]}\n";
  RunToEnd(tasks, {{"n.txt", std::string("1")}, {"m.txt", std::string("1")}});
  Run(tasks, {{"n.txt", std::string("2")}, {"m.txt", std::string("1")}});
  EXPECT_TRUE(IsRunning("a"));
  EXPECT_EQ(InputsOf("a"), (Strings{"n.txt=2"}));
  EXPECT_EQ(Phase("z"), TaskPhase::kCompleted);
}

TEST_F(DagRevision, CommandsOfRemovedOrChangedTasksAreCancelledAndOthersGoOn) {
  const std::string more = "  - {id: c, agent: alice, prompt: C}\n";
  configuration_.agents[AgentId("alice")].settings.max_parallel = 2;
  Configure({});
  Run(Tasks("A", "B", more));
  EXPECT_TRUE(IsRunning("a"));
  EXPECT_TRUE(IsRunning("c"));
  Run(Tasks("A", "B"));
  EXPECT_EQ(StateOf("cmd_c_001", kPlan), CommandState::kCancelled);
  EXPECT_EQ(CommandOf("a"), "cmd_a_001");
  EXPECT_TRUE(IsRunning("a"));
  Run(Tasks("A2", "B"));
  EXPECT_EQ(StateOf("cmd_a_001", kPlan), CommandState::kCancelled);
  EXPECT_EQ(CommandOf("a"), "cmd_a_002");
}

TEST_F(DagRevision, ANewTaskGetsWhatWasMadeBeforeIt) {
  RunToEnd(Tasks("A", "B"));
  configuration_.agents[AgentId("carol")];
  Configure({});
  Run(Tasks("A", "B", "  - {id: c, agent: carol, prompt: C, inputs: [a.md]}\n"));
  EXPECT_EQ(Phase("b"), TaskPhase::kCompleted);
  EXPECT_EQ(InputsOf("c"), (Strings{"a.md=result of a"}));
}

TEST_F(DagRevision, FailedTasksRunAgain) {
  Run(Tasks("A", "B"));
  Break("a");
  EXPECT_TRUE(Plan(kPlan).completed);
  Run(Tasks("A", "B"));
  EXPECT_TRUE(IsRunning("a"));
  EXPECT_EQ(Dag().revision(), 1U) << "nothing was changed";
  Answer("a", "x");
  Answer("b", "x");
  EXPECT_EQ(Failure(), "");
}

TEST_F(DagRevision, ARequestThatWasAnsweredBeforeIsNotAskedAgain) {
  composer_.by_content = true;
  RunToEnd(Tasks("A", "B"));
  EXPECT_EQ(asked_, 2);
  RunToEnd(Tasks("A2", "B"));
  EXPECT_EQ(asked_, 1) << "a is asked; it answers the same, so b has its answer";
  EXPECT_TRUE(Task("b").reused);
  EXPECT_TRUE(Plan(kPlan).completed);
}

TEST_F(DagRevision, FreshAsksEverythingAgain) {
  composer_.by_content = true;
  RunToEnd(Tasks("A", "B"));
  PlanSubmission fresh = Submission(Tasks("A", "B"));
  fresh.fresh = true;
  Feed(std::move(fresh));
  EXPECT_TRUE(IsRunning("a"));
  Answer("a", "result of a");
  EXPECT_TRUE(IsRunning("b"));
  EXPECT_EQ(Dag().revision(), 2U);
}

TEST_F(DagRevision, AnOpenPlanCannotGetADag) {
  Feed(MakeCommand("cmd_1", {}, "alice", kPlan));
  Run(Tasks("A", "B"));
  EXPECT_EQ(reply_.status, Reply::Status::kRefused);
  EXPECT_EQ(reply_.error->code, ErrorCode::kStateConflict);
}

TEST_F(DagRevision, TheSameClientIsAnsweredAndNotServedTwice) {
  PlanSubmission once = Submission(Tasks("A", "B"));
  once.client_id = "c1";
  Feed(once);
  once.fresh = true;
  EXPECT_TRUE(Feed(once).empty());
  EXPECT_EQ(reply_.status, Reply::Status::kRepeated);
}

TEST_F(DagRevision, APlannersCommandGoesToTheTasksAgentAndWaitsForItsDependencies) {
  Run(Tasks("A", "B"));
  Feed(TaskCommand("b", 1, Dag().document().digest, "alice"));
  EXPECT_EQ(reply_.status, Reply::Status::kAccepted);
  EXPECT_EQ(Record("cmd_b_001", kPlan)->agent, AgentId("bob"));
  EXPECT_EQ(StateOf("cmd_b_001", kPlan), CommandState::kWaitingInputs);
  Answer("a", "x");
  EXPECT_EQ(StateOf("cmd_b_001", kPlan), CommandState::kRunning);
  EXPECT_EQ(CommandOf("b"), "cmd_b_001") << "none is made beside it";
}

TEST_F(DagRevision, AHigherSequenceSupersedesWhatHasNotStarted) {
  Run(Tasks("A", "B"));
  const Digest dag = Dag().document().digest;
  Feed(TaskCommand("b", 1, dag));
  Feed(TaskCommand("b", 3, dag));
  EXPECT_EQ(StateOf("cmd_b_001", kPlan), CommandState::kSuperseded);
  Feed(TaskCommand("b", 2, dag));
  EXPECT_EQ(StateOf("cmd_b_002", kPlan), CommandState::kSuperseded) << "it came too late";
  Answer("a", "x");
  EXPECT_EQ(StateOf("cmd_b_003", kPlan), CommandState::kRunning);
}

TEST_F(DagRevision, WhatDoesNotFitTheDagIsRefused) {
  Run(Tasks("A", "B"));
  const Digest dag = Dag().document().digest;
  const auto refused = [&](CommandFile file) {
    Feed(std::move(file));
    return reply_.error ? reply_.error->code : ErrorCode::kInternal;
  };
  EXPECT_EQ(refused(TaskCommand("nope", 1, dag)), ErrorCode::kTaskUnknown);
  EXPECT_EQ(refused(TaskCommand("b", 1, Sha256("another"))), ErrorCode::kCommandDagMismatch);
  EXPECT_EQ(refused(MakeCommand("cmd_open", {}, "alice", kPlan)), ErrorCode::kTaskIdMissing);
  CommandFile elsewhere = TaskCommand("b", 1, dag);
  elsewhere.plan_id = elsewhere.command.plan_id = PlanId("plan_none");
  EXPECT_EQ(refused(std::move(elsewhere)), ErrorCode::kPlanUnknown);
  Answer("a", "x");
  EXPECT_EQ(refused(TaskCommand("a", 2, dag)), ErrorCode::kStateConflict) << "a is done";
}

TEST_F(DagRevision, ACommandStaysValidWhileItsTaskAndWhatIsUpstreamAreUnchanged) {
  Run(Tasks("A", "B", "  - {id: c, agent: alice, prompt: C, needs: [b]}\n"));
  const Digest first = Dag().document().digest;
  Run(Tasks("A", "B", "  - {id: c, agent: alice, prompt: C2, needs: [b]}\n"));
  ASSERT_NE(Dag().document().digest, first);
  Feed(TaskCommand("b", 1, first));
  EXPECT_EQ(reply_.status, Reply::Status::kAccepted);
  Feed(TaskCommand("c", 1, first, "alice"));
  ASSERT_TRUE(reply_.error);
  EXPECT_EQ(reply_.error->code, ErrorCode::kCommandDagMismatch);
}

// A plan file, run; what is decided when both it and the plan have changed.
PlanSubmission File(PlanSubmission submission, FileConflict conflict = FileConflict::kAsk) {
  submission.from_file = true;
  submission.conflict = conflict;
  return submission;
}

TEST_F(DagRevision, WhatChangedThePlanSinceItsFileOutlivesARunOfTheSameFile) {
  Feed(File(Submission(Tasks("A", "B"))));
  Answer("a", "x");
  Run(Tasks("A", "B2"));  // as `say` or an agent does
  const std::uint64_t revision = Dag().revision();
  Feed(File(Submission(Tasks("A", "B"))));
  EXPECT_EQ(reply_.status, Reply::Status::kRepeated);
  EXPECT_EQ(Dag().revision(), revision);
  EXPECT_EQ(Dag().Node(Dag().Find(TaskId("b"))).prompt, "B2");
  // Other files are a revision of the plan as it is.
  Feed(File(Submission(Tasks("A", "B"), {{"notes.md", std::string("a note")}})));
  EXPECT_EQ(Dag().revision(), revision + 1);
  EXPECT_EQ(Dag().Node(Dag().Find(TaskId("b"))).prompt, "B2");
}

TEST_F(DagRevision, WhereBothHaveChangedAPersonDecides) {
  Feed(File(Submission(Tasks("A", "B"))));
  Run(Tasks("A", "B2"));
  Feed(File(Submission(Tasks("A2", "B"))));
  ASSERT_EQ(reply_.status, Reply::Status::kRefused);
  EXPECT_NE(reply_.error->message.find("a differs, b differs"), std::string::npos) << reply_.error->message;
  EXPECT_NE(reply_.error->hint.find("--keep"), std::string::npos);
  EXPECT_EQ(Dag().Node(Dag().Find(TaskId("a"))).prompt, "A");
  Feed(File(Submission(Tasks("A2", "B")), FileConflict::kKeep));
  EXPECT_EQ(Dag().Node(Dag().Find(TaskId("b"))).prompt, "B2");
  Feed(File(Submission(Tasks("A2", "B"))));
  EXPECT_EQ(reply_.status, Reply::Status::kRepeated) << "it was decided";
  Feed(File(Submission(Tasks("A2", "B")), FileConflict::kReplace));
  EXPECT_EQ(Dag().Node(Dag().Find(TaskId("a"))).prompt, "A2");
  EXPECT_EQ(Dag().Node(Dag().Find(TaskId("b"))).prompt, "B");
}

}  // namespace
}  // namespace agenttalk
