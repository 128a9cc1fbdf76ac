#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error_code.h"
#include "base/ids.h"
#include "base/issue.h"
#include "engine/dag_fixture.h"
#include "engine/dag_state.h"
#include "engine/input.h"
#include "engine/plan_draft.h"
#include "engine/plan_state.h"
#include "engine/step.h"
#include "engine/thinking_batch.h"
#include "engine/thinking_commands.h"
#include "engine/thinking_registry.h"
#include "engine/working_memory.h"
#include "model/event.h"
#include "model/thinking_command.h"

namespace agenttalk {
namespace {

// Plans that are changed by commands, by hand and by models.
class Thinking : public DagTest {
 protected:
  static ThinkingCommand Append(const std::string& id, const std::string& needs,
                                const std::string& agent = "alice") {
    return {"append_task", R"({"assignee":")" + agent + R"(","dependent_task_ids":[)" + needs +
                               R"(],"instruction":"do )" + id + R"(","task_id":")" + id + R"("})"};
  }
  static ThinkingCommand Reset(const std::string& id) {
    return {"reset_task", R"({"task_id":")" + id + R"("})"};
  }
  static ThinkingCommand Replace(const std::string& id, const std::string& needs,
                                 const std::string& agent = "alice") {
    return {"replace_task", R"({"new_assignee":")" + agent + R"(","new_dependent_task_ids":[)" + needs +
                                R"(],"new_instruction":"redo )" + id + R"(","task_id":")" + id + R"("})"};
  }
  static ThinkingCommand Finish(const std::string& result = {}) {
    return {"finish_current_task", result.empty() ? "{}" : R"({"result":")" + result + R"("})"};
  }
  static ThinkingCommand Say(const std::string& to, const std::string& text = "hello") {
    return {"publish_message", R"({"content":")" + text + R"(","send_to":")" + to + R"("})"};
  }
  static ThinkingCommand AskFor(const std::string& question) {
    return {"ask_human", R"({"question":")" + question + R"("})"};
  }

  Names ByHand(std::vector<ThinkingCommand> commands, std::optional<std::uint64_t> revision = {}) {
    return Feed(PlanChangeBatch{PlanId(kPlan), std::move(commands), revision});
  }
  void Permit(const std::string& agent, std::vector<std::string> permissions) {
    configuration_.agents[AgentId(agent)].settings.permissions = std::move(permissions);
    Feed(configuration_);
  }
  // The model of a task answers with commands, and with a result unless it is empty.
  Names Think(const std::string& task, std::vector<ThinkingCommand> commands,
              const std::string& result = {}) {
    ModelCallDone done = MakeAnswer(CommandOf(task), result, {}, kPlan);
    done.answer.commands = std::move(commands);
    done.answer.commands_only = result.empty();
    return Feed(std::move(done));
  }

  std::vector<std::string> Order() {
    std::vector<std::string> ids;
    for (const TaskIndex task : TopologicalOrder(Dag())) ids.push_back(Dag().IdOf(task).str());
    return ids;
  }
  std::vector<std::string> Finished() {
    std::vector<std::string> ids;
    for (const TaskIndex task : TopologicalOrder(Dag())) {
      if (IsFinished(Dag(), task)) ids.push_back(Dag().IdOf(task).str());
    }
    return ids;
  }
  std::string Current() {
    PlanDraft draft(Plan(kPlan));
    const PlanDraft::Task* current = draft.Current();
    return current == nullptr ? "" : current->node.task_id.str();
  }
  std::vector<ErrorCode> Codes() const {
    std::vector<ErrorCode> codes;
    for (const Issue& issue : reply_.issues) codes.push_back(issue.code);
    return codes;
  }
  // A refused batch leaves the plan exactly as it was.
  void ExpectRefused(std::vector<ThinkingCommand> commands, const std::vector<ErrorCode>& codes,
                     const std::string& path) {
    const std::string before = Fingerprint();
    ByHand(std::move(commands));
    EXPECT_EQ(reply_.status, Reply::Status::kRefused);
    EXPECT_EQ(Codes(), codes);
    if (!reply_.issues.empty()) {
      EXPECT_EQ(reply_.issues.front().path, path);
      EXPECT_FALSE(reply_.issues.front().hint.empty());
    }
    EXPECT_EQ(Fingerprint(), before);
    EXPECT_EQ(Of<ThinkingRefused>().size(), 1U);
    EXPECT_EQ(events_.size(), 1U);
  }
  std::string Fingerprint() {
    PlanState* plan = engine_.state().FindPlan(PlanId(kPlan));
    if (plan == nullptr || !plan->dag) return "none";
    std::string text = std::to_string(plan->dag->revision) + plan->dag->dag.digest.Hex();
    for (const TaskRecord& task : plan->dag->tasks) text += std::to_string(static_cast<int>(task.phase));
    return text;
  }
  static bool Has(const Names& names, const std::string& name) {
    return std::ranges::find(names, name) != names.end();
  }
  const Notebook* Book(const std::string& agent, const std::string& task) {
    return Plan(kPlan).memory.Find(AgentId(agent), TaskId(task));
  }
  std::vector<std::string> Memory(const std::string& agent, const std::string& task) {
    std::vector<std::string> texts;
    const Notebook* book = Book(agent, task);
    if (book == nullptr) return texts;
    for (const MemoryEntry& entry : book->entries) texts.push_back(sink_.Get(entry.text));
    return texts;
  }
  std::uint64_t OpenQuestion() {
    for (const auto& [number, question] : Plan(kPlan).questions) {
      if (question.asked.purpose == QuestionPurpose::kAskHuman) return number;
    }
    return 0;
  }
};

// ---- the plan by hand ----

TEST_F(Thinking, AppendedTasksStandInTopologicalOrder) {
  ByHand({Append("1", R"("2","3")"), Append("2", ""), Append("3", R"("2")")});
  EXPECT_EQ(reply_.status, Reply::Status::kAccepted);
  EXPECT_EQ(Order(), (std::vector<std::string>{"2", "3", "1"}));
  EXPECT_EQ(Dag().revision, 1U);
  EXPECT_EQ(Current(), "2");
}

TEST_F(Thinking, APlanMadeByHandStartsPausedAndRunsWhenItIsResumed) {
  ByHand({Append("1", "")});
  EXPECT_TRUE(Plan(kPlan).paused);
  EXPECT_FALSE(IsRunning("1"));
  EXPECT_FALSE(Plan(kPlan).completed);
  Feed(PlanControl{PlanId(kPlan), ControlVerb::kResume, {}, {}});
  EXPECT_TRUE(IsRunning("1"));
  Answer("1", "done");
  EXPECT_TRUE(Plan(kPlan).completed);
}

TEST_F(Thinking, FinishingMovesTheCurrentTaskAlong) {
  ByHand({Append("1", R"("2","3")"), Append("2", ""), Append("3", R"("2")")});
  ByHand({Finish("two")});
  EXPECT_EQ(Current(), "3");
  EXPECT_EQ(sink_.Get(Task("2").result->result), "two");
  ByHand({Finish(), Finish()});
  EXPECT_EQ(Current(), "");
  EXPECT_EQ(Finished(), (std::vector<std::string>{"2", "3", "1"}));
  EXPECT_TRUE(Plan(kPlan).completed);
}

TEST_F(Thinking, FinishingAFinishedPlanDoesNothing) {
  ByHand({Append("1", ""), Finish()});
  const std::uint64_t revision = Dag().revision;
  EXPECT_EQ(ByHand({Finish()}), (Names{"thinking_applied"}));
  EXPECT_EQ(Dag().revision, revision);
}

TEST_F(Thinking, AResetOfTheFirstResetsAllThatHangOnIt) {
  ByHand({Append("1", R"("2","3")"), Append("2", ""), Append("3", R"("2")"), Append("4", ""), Finish(),
          Finish(), Finish(), Finish()});
  EXPECT_EQ(Finished().size(), 4U);
  ByHand({Reset("2")});
  EXPECT_EQ(Finished(), (std::vector<std::string>{"4"}));
  EXPECT_EQ(Task("2").result, nullptr);
  EXPECT_EQ(Dag().revision, 2U);
  EXPECT_FALSE(Plan(kPlan).completed);
}

TEST_F(Thinking, ReplacingATaskResetsItsDependentsAndKeepsTheRest) {
  ByHand(
      {Append("2", ""), Append("3", R"("2")"), Append("1", R"("2","3")"), Finish("two"), Finish(), Finish()});
  ByHand({Replace("3", R"("2")", "bob")});
  EXPECT_EQ(Finished(), (std::vector<std::string>{"2"}));
  EXPECT_EQ(sink_.Get(Task("2").result->result), "two");
  EXPECT_EQ(Dag().Node(Dag().Find(TaskId("3"))).prompt, "redo 3");
  EXPECT_EQ(Dag().AgentOf(Dag().Find(TaskId("3"))).str(), "bob");
  EXPECT_EQ(Order(), (std::vector<std::string>{"2", "3", "1"}));
}

TEST_F(Thinking, ChangesThatCannotBeLeaveThePlanAsItIsAndSayWhatToDo) {
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

TEST_F(Thinking, ABatchIsAppliedWholeOrNotAtAll) {
  ByHand({Append("1", "")});
  ExpectRefused({Append("2", R"("1")"), Finish(), Reset("9"), {"nonsense", "{}"}},
                {ErrorCode::kTaskUnknown, ErrorCode::kCommandUnknown}, "/commands/2/args/task_id");
  EXPECT_EQ(Order(), (std::vector<std::string>{"1"}));
}

TEST_F(Thinking, ABatchIsOneRevisionWithAuthorAndReason) {
  ByHand({Append("1", ""), Append("2", R"("1")")});
  const auto adopted = Of<DagAdopted>();
  ASSERT_EQ(adopted.size(), 1U);
  EXPECT_EQ(adopted.front().author, "human");
  EXPECT_EQ(adopted.front().reason, "append_task ×2");
  ASSERT_EQ(Of<ThinkingApplied>().size(), 1U);
  EXPECT_EQ(Of<ThinkingApplied>().front().revision, 1U);
  EXPECT_EQ(Dag().history.size(), Dag().revision);
  ByHand({Reset("1")});
  EXPECT_EQ(Dag().history.size(), Dag().revision);
  EXPECT_EQ(Dag().revision, 2U);
}

// A row is written whole or not at all, so a crash leaves the plan as before or as after.
TEST_F(Thinking, ABatchIsOneRowOfTheJournal) {
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

TEST_F(Thinking, OrderInsideABatchCountsForAllButAppends) {
  ByHand({Append("1", ""), Finish("a"), Reset("1")});
  EXPECT_EQ(Finished(), (std::vector<std::string>{}));
  ByHand({Reset("1"), Finish("b")});
  EXPECT_EQ(Finished(), (std::vector<std::string>{"1"}));
  EXPECT_EQ(sink_.Get(Task("1").result->result), "b");
}

TEST_F(Thinking, WhoDecidedOnAnOldPlanIsToldSoAndMayTryAgain) {
  ByHand({Append("1", "")});
  ByHand({Append("2", "")}, 1);
  EXPECT_EQ(reply_.status, Reply::Status::kAccepted);
  ByHand({Append("3", "")}, 1);
  EXPECT_EQ(Codes(), (std::vector<ErrorCode>{ErrorCode::kVersionConflict}));
  ByHand({Append("3", "")}, 2);
  EXPECT_EQ(reply_.status, Reply::Status::kAccepted);
  EXPECT_EQ(Dag().revision, 3U);
}

TEST_F(Thinking, ARepeatedRequestIsAnsweredNotDoneTwice) {
  PlanChangeBatch batch{PlanId(kPlan), {Append("1", "")}, {}};
  batch.client_id = "c1";
  Feed(batch);
  EXPECT_EQ(Feed(batch), (Names{}));
  EXPECT_EQ(reply_.status, Reply::Status::kRepeated);
}

TEST_F(Thinking, APlanThatDoesNotExistIsMadeByAppendAlone) {
  ByHand({Reset("1")});
  EXPECT_EQ(Codes(), (std::vector<ErrorCode>{ErrorCode::kPlanUnknown}));
  ByHand({Append("1", R"("7")")});
  EXPECT_EQ(Codes(), (std::vector<ErrorCode>{ErrorCode::kDependencyUnknown}));
  EXPECT_FALSE(Plan(kPlan).opened);
  EXPECT_EQ(Of<ThinkingRefused>().front().about.str(), kPlan);
}

TEST_F(Thinking, AFailedTaskStaysFailedUntilItIsReset) {
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

TEST_F(Thinking, ATaskThatIsResetIsExecutedNotRemembered) {
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

TEST_F(Thinking, AnAppendedTaskGetsWhatItsDependenciesMake) {
  Run("  - {id: a, agent: alice, prompt: x, outputs: [a.md]}\n");
  ByHand({Append("b", R"("a")", "bob")});
  Answer("a", "text");
  ASSERT_TRUE(IsRunning("b"));
  EXPECT_EQ(InputsOf("b"), (std::vector<std::string>{"a.md=text"}));
}

// ---- models ----

TEST_F(Thinking, AModelMayChangeThePlanBesideItsResult) {
  Permit("alice", {"append_task"});
  Run("  - {id: a, agent: alice, prompt: x}\n");
  Think("a", {Append("b", R"("a")", "bob")}, "done");
  EXPECT_EQ(Phase("a"), TaskPhase::kCompleted);
  EXPECT_TRUE(IsRunning("b"));
  EXPECT_EQ(Of<DagAdopted>().front().author, "alice");
}

TEST_F(Thinking, AfterCommandsAloneTheModelIsAskedAgainWithWhatCameOfThem) {
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

TEST_F(Thinking, AModelThatOnlyEverIssuesCommandsIsStopped) {
  Run("  - {id: a, agent: alice, prompt: x}\n");
  for (int i = 0; i < 40 && IsRunning("a"); ++i) Think("a", {{"pass", "{}"}});
  EXPECT_EQ(Phase("a"), TaskPhase::kFailed);
}

TEST_F(Thinking, PlanChangesAreDeniedUnlessTheProfileGrantsThem) {
  Run("  - {id: a, agent: alice, prompt: x}\n");
  const Names names = Think("a", {Append("b", "")}, "done");
  EXPECT_TRUE(Has(names, "thinking_refused"));
  EXPECT_TRUE(Has(names, "answer_refused"));
  EXPECT_EQ(Of<ThinkingRefused>().front().code, ErrorCode::kPermissionDenied);
  EXPECT_TRUE(IsRunning("a"));
  EXPECT_EQ(Dag().size(), 1U);
}

TEST_F(Thinking, AnothersTaskIsResetOnlyWithAPermissionForAny) {
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

TEST_F(Thinking, ABatchThatResetsItsOwnTaskEndsItsCommand) {
  Permit("alice", {"reset_task"});
  Run("  - {id: a, agent: alice, prompt: x}\n");
  const std::string first = CommandOf("a");
  Think("a", {Reset("a")}, "done");
  EXPECT_EQ(StateOf(first, kPlan), CommandState::kCancelled);
  EXPECT_TRUE(IsRunning("a"));
  EXPECT_NE(CommandOf("a"), first);
}

TEST_F(Thinking, AModelCannotResetForEver) {
  Permit("alice", {"reset_task"});
  Run("  - {id: a, agent: alice, prompt: x}\n");
  int resets = 0;
  for (; resets < 300 && IsRunning("a"); ++resets) {
    const Names names = Think("a", {Reset("a")}, "done");
    if (Has(names, "thinking_refused")) break;
  }
  EXPECT_LT(resets, 150);
}

TEST_F(Thinking, ALosersCommandsAreNotAppliedAndItDecidesAnew) {
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

TEST_F(Thinking, HostileBatchesAreRefusedAndAuditedAndTheRunGoesOn) {
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

TEST_F(Thinking, CommandsThatStayWrongFailTheTaskAsAnyBadAnswerDoes) {
  Run("  - {id: a, agent: alice, prompt: x}\n  - {id: b, agent: bob, prompt: y}\n");
  for (int i = 0; i < 3; ++i) Think("a", {Reset("b")}, "done");
  EXPECT_EQ(Phase("a"), TaskPhase::kFailed);
  EXPECT_TRUE(IsRunning("b"));
}

TEST_F(Thinking, CommandsOfAWrongFormAreAuditedToo) {
  Run("  - {id: a, agent: alice, prompt: x}\n");
  ModelCallDone done = MakeAnswer(CommandOf("a"), "", {}, kPlan);
  done.answer.errors = {"TOO_LARGE at /commands: 10000 commands at once"};
  done.answer.command_errors = done.answer.errors;
  EXPECT_TRUE(Has(Feed(std::move(done)), "thinking_refused"));
}

// ---- people ----

TEST_F(Thinking, AskingAPersonBlocksTheTaskAndNotTheAgent) {
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

TEST_F(Thinking, AQuestionThatNobodyAnswersGoesBackWithoutAnAnswer) {
  Run("  - {id: a, agent: alice, prompt: x}\n");
  Think("a", {AskFor("Which colour?")});
  Wait(std::chrono::hours(25));
  EXPECT_TRUE(IsRunning("a"));
  EXPECT_NE(Memory("alice", "a").back().find("Nobody answered"), std::string::npos);
}

TEST_F(Thinking, ACancelledTasksQuestionIsClosed) {
  Run("  - {id: a, agent: alice, prompt: x}\n");
  Think("a", {AskFor("Which colour?")});
  ByHand({Reset("a")});
  EXPECT_EQ(OpenQuestion(), 0U);
  EXPECT_EQ(Book("alice", "a"), nullptr);
  EXPECT_TRUE(IsRunning("a"));
}

TEST_F(Thinking, AskingAndFinishingExcludeEachOther) {
  Run("  - {id: a, agent: alice, prompt: x}\n");
  Think("a", {AskFor("Which colour?"), Finish()}, "done");
  EXPECT_EQ(Of<ThinkingRefused>().front().code, ErrorCode::kStateConflict);
  Think("a", {AskFor("one?"), AskFor("two?")});
  EXPECT_EQ(Of<ThinkingRefused>().front().code, ErrorCode::kStateConflict);
}

TEST_F(Thinking, MessagesReachTheReceiversMemoryAndPeopleGetReplies) {
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

TEST_F(Thinking, FinishingWithoutTheOutputThatIsDueIsRefused) {
  Run("  - {id: a, agent: alice, prompt: x, outputs: [a.md]}\n  - {id: b, agent: bob, prompt: y}\n");
  Think("a", {Finish()});
  EXPECT_EQ(Of<ThinkingRefused>().front().code, ErrorCode::kFieldMissing);
  Think("b", {Finish()});
  EXPECT_EQ(Phase("b"), TaskPhase::kCompleted);
}

TEST_F(Thinking, EverythingIsForgottenWhenThePlanEnds) {
  Run("  - {id: a, agent: alice, prompt: x}\n  - {id: b, agent: bob, prompt: y}\n");
  Think("a", {Say("bob")}, "done");
  Think("b", {AskFor("why?")});
  Feed(PlanControl{PlanId(kPlan), ControlVerb::kCancel, {}, {}});
  EXPECT_TRUE(Plan(kPlan).memory.empty());
}

TEST_F(Thinking, MemoryIsBounded) {
  WorkingMemory memory;
  for (int i = 0; i < 100; ++i) {
    memory.Write(AgentId("a"), TaskId("t"), {MemoryKind::kMessage, AgentId("b"), {{}, 10, 0}});
  }
  EXPECT_EQ(memory.Find(AgentId("a"), TaskId("t"))->entries.size(), Notebook::kMostEntries);
  EXPECT_EQ(memory.Find(AgentId("a"), TaskId("t"))->dropped, 36U);
  memory.Write(AgentId("a"), TaskId("t"), {MemoryKind::kMessage, AgentId("b"), {{}, 1 << 20, 0}});
  EXPECT_EQ(memory.Find(AgentId("a"), TaskId("t"))->entries.size(), 1U);
}

// ---- the registry ----

TEST_F(Thinking, ACommandIsAddedByRegisteringIt) {
  int shouted = 0;
  ThinkingSpec spec{.name = "shout",
                    .signature = "shout(text: str)",
                    .description = "Say it loud.",
                    .arguments = {{.name = "text", .description = "what"}},
                    .permission = "shout",
                    .handler = [&](BatchDraft& draft, const ThinkingArguments& arguments) {
                      ++shouted;
                      draft.Send({AgentId("bob"), arguments.Text("text") + "!"});
                    }};
  ASSERT_TRUE(engine_.thinking().Add(spec).has_value());
  EXPECT_EQ(engine_.thinking().Add(spec).error().code, ErrorCode::kAlreadyExists);
  Run("  - {id: a, agent: alice, prompt: x}\n  - {id: b, agent: bob, prompt: y}\n");
  Think("a", {{"shout", R"({"text":"hey"})"}}, "done");
  EXPECT_EQ(Of<ThinkingRefused>().front().code, ErrorCode::kPermissionDenied);
  Permit("alice", {"shout"});
  Think("a", {{"shout", R"({"text":"hey"})"}}, "done");
  EXPECT_EQ(Memory("bob", ""), (std::vector<std::string>{"hey!"}));
}

TEST(ThinkingRegistry, ListsWhatAnAgentMayDoAsNumberedEntries) {
  const ThinkingRegistry registry = BuiltinThinkingCommands();
  EXPECT_EQ(registry.all().size(), 8U);
  const std::string prompt = PrepareCommandPrompt(registry.AllowedFor({"reset_task:any"}));
  EXPECT_TRUE(prompt.starts_with("1. reset_task(task_id: str):\nReset a task")) << prompt;
  EXPECT_EQ(prompt.find("append_task"), std::string::npos);
  EXPECT_NE(prompt.find("6. pass:\n"), std::string::npos) << prompt;
}

TEST(ThinkingRegistry, RefusesAnIncompleteDeclaration) {
  ThinkingRegistry registry;
  ThinkingSpec nameless;
  nameless.name = "x";
  EXPECT_EQ(registry.Add(nameless).error().code, ErrorCode::kValueInvalid);
}

TEST(ThinkingRegistry, EveryCommandHasASchema) {
  const ThinkingRegistry registry = BuiltinThinkingCommands();
  for (const ThinkingSpec& spec : registry.all()) {
    const std::string schema = ArgumentSchema(spec);
    EXPECT_NE(schema.find("\"additionalProperties\":false"), std::string::npos);
    for (const ArgumentSpec& argument : spec.arguments) {
      EXPECT_NE(schema.find("\"" + argument.name + "\""), std::string::npos) << spec.name;
    }
  }
}

}  // namespace
}  // namespace agenttalk
