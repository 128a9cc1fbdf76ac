#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "engine/command/sending_rules.h"
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

class PlannerOutbox : public DagTest {
 protected:
  PlannerOutbox() {
    configuration_.agents[AgentId("alice")].settings.repair_attempts = 0;
    Permit("alice", {kSendCommand});
  }

  CommandDraft Draft(const std::string& task, std::int64_t seq, const std::string& prompt) {
    Command command;
    command.plan_id = PlanId(kPlan);
    command.task_id = TaskId(task);
    command.command_seq = seq;
    command.command_id = CommandIdOf(command.task_id, seq);
    command.prompt = prompt;
    command.dag_ref = DagRef{Dag().document().digest, 1};
    command.idempotency_key = DefaultIdempotencyKey(command);
    CommandDraft draft;
    draft.sent.file = command.command_id.str() + ".json";
    draft.sent.payload = PayloadHash(command);
    draft.sent.command = command;
    draft.body = "{\"prompt\":\"" + prompt + "\"}";
    return draft;
  }
  Names Send(const std::string& task, std::vector<CommandDraft> sent, std::optional<double> score = {}) {
    ModelCallDone done = MakeAnswer(CommandOf(task), "planned", score, kPlan);
    done.answer.sent = std::move(sent);
    return Feed(std::move(done));
  }
  // The first dead letter is tried again, with this command.
  Names RetryLetter(const std::string& agent, const CommandDraft& draft) {
    DeadLetterControl control{PlanId(kPlan), Plan(kPlan).people.letters().begin()->first, true};
    control.again = CommandFile{
        AgentId(agent), PlanId(kPlan), draft.sent.command, draft.sent.payload, draft.body, {}, {}};
    return Feed(control);
  }
  ErrorCode LetterCode() {
    const auto letters = Of<DeadLettered>();
    return letters.empty() ? ErrorCode::kInternal : letters.front().code;
  }
};

const char* const kPlanned = R"(
  - {id: plan, agent: alice, prompt: P, outputs: [plan.md]}
  - {id: work, agent: bob, prompt: W, inputs: [plan.md], outputs: [work.md]}
  - {id: last, agent: bob, prompt: L, inputs: [work.md]}
)";

// A command that asks for nothing does not make the task do without its inputs and its score.
TEST_F(PlannerOutbox, ACommandGetsTheInputsAndTheScoreOfItsTask) {
  Run(R"(
  - {id: plan, agent: alice, prompt: P, outputs: [plan.md]}
  - {id: work, agent: bob, prompt: W, inputs: [facts.md, plan.md], score: {criteria: "is it true", pass: 50}}
)");
  CommandDraft draft = Draft("work", 1, "Do it this way.");
  draft.sent.command.wait_for_inputs = false;
  Send("plan", {draft});
  EXPECT_EQ(StateOf("cmd_work_001", kPlan), CommandState::kWaitingInputs);
  EXPECT_TRUE(Record("cmd_work_001", kPlan)->score_required);
  EXPECT_EQ(Brief("cmd_work_001").score_criteria, "is it true");
  Feed(MakeInput("facts.md", "f", "bob", kPlan));
  EXPECT_TRUE(IsRunning("work"));
  EXPECT_EQ(InputsOf("work"), (Strings{"facts.md=f", "plan.md=planned"}));
}

TEST_F(PlannerOutbox, ACommandGoesToItsTasksAgentInPlaceOfTheEnginesOwn) {
  Run(kPlanned);
  Send("plan", {Draft("work", 1, "Do it this way.")});
  EXPECT_TRUE(IsRunning("work"));
  EXPECT_EQ(CommandOf("work"), "cmd_work_001");
  EXPECT_EQ(Record("cmd_work_001", kPlan)->agent, AgentId("bob"));
  EXPECT_EQ(Brief("cmd_work_001").prompt, "Do it this way.");
  EXPECT_EQ(Brief("cmd_work_001").outputs, std::vector<std::string>{"work.md"});
  EXPECT_EQ(sink_.Get(Record("cmd_work_001", kPlan)->body), "{\"prompt\":\"Do it this way.\"}");
  Answer("work", "w");
  EXPECT_EQ(Brief(CommandOf("last")).prompt, "L") << "a task without a command gets the engine's";
  Answer("last", "l");
  EXPECT_EQ(Failure(), "");
}

TEST_F(PlannerOutbox, ACommandForATaskThatIsFurtherOffWaitsForItsTurn) {
  Run(kPlanned);
  Send("plan", {Draft("last", 1, "Later.")});
  EXPECT_EQ(StateOf("cmd_last_001", kPlan), CommandState::kWaitingInputs);
  Answer("work", "w");
  EXPECT_TRUE(IsRunning("last"));
  EXPECT_EQ(Brief("cmd_last_001").prompt, "Later.");
}

TEST_F(PlannerOutbox, WhatDoesNotFitIsRefusedAndThePlanGoesOn) {
  struct Case {
    std::string name;
    ErrorCode code;
    std::function<void(CommandDraft&)> spoil;
  };
  const std::vector<Case> cases = {
      {"no such task", ErrorCode::kTaskUnknown,
       [](CommandDraft& draft) { draft.sent.command.task_id = TaskId("nobody"); }},
      {"another DAG", ErrorCode::kCommandDagMismatch,
       [](CommandDraft& draft) { draft.sent.command.dag_ref->sha256 = Digest{}; }},
      {"no DAG", ErrorCode::kCommandDagMismatch,
       [](CommandDraft& draft) { draft.sent.command.dag_ref.reset(); }},
      {"an id that is taken", ErrorCode::kCommandIdReused,
       [](CommandDraft& draft) { draft.sent.command.command_id = CommandId("cmd_plan_001"); }},
      {"bad form", ErrorCode::kCommandSeqMismatch,
       [](CommandDraft& draft) { draft.sent.code = ErrorCode::kCommandSeqMismatch; }},
      {"to itself", ErrorCode::kStateConflict,
       [](CommandDraft& draft) { draft.sent.command.task_id = TaskId("plan"); }},
  };
  Run(kPlanned);
  const PlanSubmission again = Submission(kPlanned);
  for (const Case& one : cases) {
    PlanSubmission fresh = again;
    fresh.fresh = true;
    Feed(std::move(fresh));
    CommandDraft draft = Draft("work", 100, "x");
    one.spoil(draft);
    Send("plan", {std::move(draft)});
    EXPECT_EQ(LetterCode(), one.code) << one.name;
    EXPECT_EQ(Phase("plan"), TaskPhase::kCompleted) << one.name;
    EXPECT_TRUE(IsRunning("work")) << one.name;
    EXPECT_EQ(Brief(CommandOf("work")).prompt, "W") << one.name;
    EXPECT_EQ(reply_.status, Reply::Status::kAccepted) << one.name;
  }
}

TEST_F(PlannerOutbox, WhatWouldBeRefusedComesBackToTheModelThatCanCorrectIt) {
  configuration_.agents[AgentId("alice")].settings.repair_attempts = 2;
  Feed(configuration_);
  Run(kPlanned);
  const auto names = Send("plan", {Draft("nobody", 1, "x"), Draft("work", 1, "y")});
  EXPECT_EQ(names, (Names{"model_call_finished", "answer_refused", "model_call_intended"}));
  ASSERT_EQ(Of<AnswerRefused>().front().errors.size(), 1U);
  EXPECT_TRUE(
      Of<AnswerRefused>().front().errors[0].starts_with("TASK_UNKNOWN at /outputs/cmd_nobody_001.json"))
      << Of<AnswerRefused>().front().errors[0];
  Send("plan", {Draft("work", 1, "corrected")});
  EXPECT_EQ(Brief("cmd_work_001").prompt, "corrected");
  EXPECT_TRUE(Plan(kPlan).people.letters().empty());
}

TEST_F(PlannerOutbox, ANumberThatWasGivenIsNotGivenAgain) {
  Run(kPlanned);
  const TaskIndex work = Dag().Find(TaskId("work"));
  EXPECT_EQ(Dag().NextSeq(work), 1);
  EXPECT_EQ(Feed(NumberRequest{PlanId(kPlan), TaskId("work"), 1, AgentId("alice")}), Names{"number_taken"});
  EXPECT_EQ(Dag().NextSeq(work), 2);
  EXPECT_EQ(Feed(NumberRequest{PlanId(kPlan), TaskId("work"), 1, AgentId("alice")}), Names{});
  // The engine's own command gets the next one; the one that has its number is accepted all the same.
  Send("plan", {Draft("work", 1, "mine")});
  EXPECT_EQ(Brief("cmd_work_001").prompt, "mine");
}

TEST_F(PlannerOutbox, AnAgentWithoutThePermissionSendsNothing) {
  Permit("alice", {});
  Run(kPlanned);
  Send("plan", {Draft("work", 1, "x")});
  EXPECT_EQ(LetterCode(), ErrorCode::kPermissionDenied);
  EXPECT_EQ(Brief(CommandOf("work")).prompt, "W");
}

TEST_F(PlannerOutbox, CommandsLeaveWhenTheResultCountsAndOnlyThoseOfThatResult) {
  Run(R"(
  - {id: plan, agent: alice, prompt: P, outputs: [plan.md], score: {criteria: c, pass: 70, rework: 1}}
  - {id: work, agent: bob, prompt: W, inputs: [plan.md], score: {criteria: c}}
)");
  Send("plan", {Draft("work", 1, "first")}, 10);
  EXPECT_EQ(CommandOf("work"), "");
  Send("plan", {Draft("work", 1, "second")}, 90);
  EXPECT_EQ(Brief("cmd_work_001").prompt, "second");
  EXPECT_TRUE(Record("cmd_work_001", kPlan)->score_required) << "as the DAG wants it";
  EXPECT_EQ(Brief("cmd_work_001").score_criteria, "c");
}

TEST_F(PlannerOutbox, WhoeverHasPlannedIsAskedAgainWhenThePlanIsRunAnew) {
  composer_.by_content = true;
  std::string changed = kPlanned;
  changed.replace(changed.find("prompt: P"), 9, "prompt: Q");
  Run(kPlanned);
  Send("plan", {Draft("work", 1, "x")});
  Run(changed);
  Answer("plan", "planned");
  Run(kPlanned);
  EXPECT_TRUE(IsRunning("plan"));
}

TEST_F(PlannerOutbox, TheSameCommandAgainIsARepeatWhoeverSendsIt) {
  Run(kPlanned);
  CommandDraft draft = Draft("work", 1, "x");
  CommandFile file{
      AgentId("alice"), PlanId(kPlan), draft.sent.command, draft.sent.payload, draft.body, {}, {}};
  Feed(file);
  EXPECT_EQ(reply_.status, Reply::Status::kAccepted);
  Feed(file);
  EXPECT_EQ(reply_.status, Reply::Status::kRepeated);
}

TEST_F(PlannerOutbox, AFailedTasksCommandThatIsTriedAgainBeginsTheTaskAnew) {
  Run(kPlanned);
  Answer("plan", "p");
  Break("work");
  EXPECT_EQ(Phase("last"), TaskPhase::kSkipped);
  EXPECT_TRUE(Plan(kPlan).completed);
  ASSERT_EQ(Plan(kPlan).people.letters().size(), 1U);
  RetryLetter("bob", Draft("work", 2, "once more"));
  EXPECT_EQ(reply_.status, Reply::Status::kAccepted);
  EXPECT_TRUE(Plan(kPlan).people.letters().empty());
  EXPECT_EQ(CommandOf("work"), "cmd_work_002");
  EXPECT_TRUE(IsRunning("work"));
  Answer("work", "w");
  Answer("last", "l");
  EXPECT_TRUE(Plan(kPlan).completed);
  EXPECT_EQ(Failure(), "");
}

TEST_F(PlannerOutbox, ALetterOfATaskThatIsExecutedAgainIsNotTriedAsWell) {
  Run("  - {id: a, agent: alice, prompt: A, failure_policy: {max_reexecute_times: 1}}\n");
  Break("a");
  ASSERT_EQ(CommandOf("a"), "cmd_a_002");
  EXPECT_TRUE(RetryLetter("alice", Draft("a", 3, "once more")).empty());
  EXPECT_EQ(reply_.status, Reply::Status::kRefused);
}

}  // namespace
}  // namespace agenttalk
