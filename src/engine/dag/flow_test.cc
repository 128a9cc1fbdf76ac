#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "base/error_code.h"
#include "base/ids.h"
#include "engine/dag/fixture.h"
#include "engine/engine_fixture.h"
#include "engine/state/dag_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "model/command/command.h"
#include "model/events/event.h"

namespace agenttalk {
namespace {

using DagFlow = DagTest;
using Strings = std::vector<std::string>;

const char* const kChain = R"(
  - {id: a, agent: alice, prompt: A, outputs: [a.md]}
  - {id: b, agent: bob, prompt: B, inputs: [a.md], outputs: [b.md]}
)";

TEST_F(DagFlow, ATaskStartsWhenWhatItDependsOnIsDone) {
  EXPECT_EQ(Run(kChain), (Names{"plan_changed", "dag_adopted", "command_received", "command_readied",
                                "attempt_started", "model_call_intended"}));
  EXPECT_TRUE(IsRunning("a"));
  EXPECT_EQ(Phase("b"), TaskPhase::kPending);
  EXPECT_EQ(Answer("a", "text of a"),
            (Names{"model_call_finished", "command_succeeded", "input_arrived", "task_completed",
                   "command_received", "command_readied", "attempt_started", "model_call_intended"}));
  EXPECT_EQ(Phase("a"), TaskPhase::kCompleted);
  EXPECT_EQ(InputsOf("b"), (Strings{"a.md=text of a"}));
  Answer("b", "text of b");
  EXPECT_TRUE(Plan(kPlan).completed);
  EXPECT_EQ(Failure(), "");
  EXPECT_EQ(sink_.Get(Dag().delivered().at("b.md")), "text of b");
}

TEST_F(DagFlow, CommandsAreGeneratedWithTheirNumberAndTheHashOfTheDag) {
  Run(kChain);
  const auto received = Of<CommandReceived>();
  ASSERT_EQ(received.size(), 1U);
  const Command& command = received[0].command;
  EXPECT_EQ(command.command_id, CommandId("cmd_a_001"));
  EXPECT_EQ(command.command_seq, 1);
  ASSERT_TRUE(command.dag_ref);
  EXPECT_EQ(command.dag_ref->sha256, Dag().document().digest);
  EXPECT_EQ(command.dag_ref->revision, 1);
}

TEST_F(DagFlow, ATaskSeesThePlansFilesAndWhatIsUpstreamAndNothingElse) {
  Run(R"(
  - {id: a, agent: bob, prompt: A, outputs: [a.md]}
  - {id: other, agent: bob, prompt: O, outputs: [{name: other.md, to: alice}]}
  - {id: b, agent: alice, prompt: B, needs: [a, late], inputs: ["*.md"], outputs: [b.txt]}
  - {id: late, agent: alice, prompt: L, needs: [a], outputs: [{name: late.txt, to: alice}]}
)",
      {{"notes.md", std::string("a note")}});
  Answer("a", "from a");
  Answer("other", "from other");
  Answer("late", "from late");
  EXPECT_EQ(InputsOf("b"), (Strings{"a.md=from a", "notes.md=a note"}));
}

TEST_F(DagFlow, ATaskWithoutDeclaredOutputsLeavesItsResultToItsDependents) {
  Run(R"(
  - {id: a, agent: alice, prompt: A}
  - {id: b, agent: bob, prompt: B, needs: [a]}
)");
  Answer("a", "the result");
  EXPECT_EQ(InputsOf("b"), (Strings{"a.result.md=the result"}));
  Answer("b", "the end");
  EXPECT_TRUE(Dag().delivered().contains("b.result.md"));
}

TEST_F(DagFlow, AScoreBelowPassGoesBackWithTheExplanationAndTheWork) {
  Run("  - {id: a, agent: alice, prompt: A, outputs: [a.md], score: {criteria: c, pass: 70, rework: 1}}\n");
  Answer("a", "first", 40, "too short");
  EXPECT_EQ(CommandOf("a"), "cmd_a_002");
  EXPECT_EQ(InputsOf("a"), (Strings{"previous_a.md=first"}));
  EXPECT_EQ(Task("a").note->reason, "too short");
  Answer("a", "second", 90);
  EXPECT_EQ(Phase("a"), TaskPhase::kCompleted);
  EXPECT_EQ(Task("a").result->score, 90);
}

TEST_F(DagFlow, AScoreThatStaysLowFailsTheTaskAndSkipsItsDependents) {
  Run(R"(
  - {id: a, agent: alice, prompt: A, outputs: [a.md], score: {criteria: c, pass: 70, rework: 1}}
  - {id: b, agent: bob, prompt: B, inputs: [a.md], outputs: [b.md]}
  - {id: c, agent: bob, prompt: C, inputs: [b.md], outputs: [c.md]}
)");
  Answer("a", "first", 40, "too short");
  Answer("a", "second", 50, "still too short");
  EXPECT_EQ(Phase("a"), TaskPhase::kFailed);
  EXPECT_EQ(Task("a").note->code, ErrorCode::kScoreBelowPass);
  EXPECT_EQ(Phase("b"), TaskPhase::kSkipped);
  EXPECT_EQ(Task("b").note->reason, "a is FAILED");
  EXPECT_EQ(Phase("c"), TaskPhase::kSkipped);
  EXPECT_TRUE(Plan(kPlan).completed);
  EXPECT_NE(Failure(), "");
}

TEST_F(DagFlow, AFailedTaskIsExecutedAgainAsOftenAsItsPolicySays) {
  Run("  - {id: a, agent: alice, prompt: A, failure_policy: {max_reexecute_times: 1}}\n");
  Break("a");
  EXPECT_EQ(CommandOf("a"), "cmd_a_002");
  Break("a");
  EXPECT_EQ(Phase("a"), TaskPhase::kFailed);
}

const char* const kPolicies = R"(
  - {id: a, agent: alice, prompt: A, outputs: [a.md]}
  - {id: skip, agent: bob, prompt: S, needs: [a]}
  - {id: block, agent: bob, prompt: B, needs: [a], failure_policy: {on_dependency_failed: BLOCK}}
  - {id: after, agent: bob, prompt: B, needs: [block]}
  - {id: ask, agent: bob, prompt: R, needs: [a], failure_policy: {on_dependency_failed: REPLAN_REQUEST}}
  - id: main
    agent: bob
    prompt: M
    needs: [a]
    outputs: [out.md]
    failure_policy: {on_dependency_failed: FALLBACK, fallback_task_id: spare}
  - {id: spare, agent: alice, prompt: F, outputs: [out.md]}
  - {id: end, agent: bob, prompt: E, inputs: [out.md], outputs: [end.md]}
)";

TEST_F(DagFlow, EachFailurePolicyHasItsEventAndItsReason) {
  Run(kPolicies);
  EXPECT_EQ(CommandOf("spare"), "") << "a fallback does not start by itself";
  Break("a");
  EXPECT_EQ(Phase("skip"), TaskPhase::kSkipped);
  EXPECT_EQ(Phase("block"), TaskPhase::kBlocked);
  EXPECT_EQ(Phase("after"), TaskPhase::kPending);
  EXPECT_EQ(Phase("ask"), TaskPhase::kReplan);
  EXPECT_EQ(Phase("main"), TaskPhase::kSkipped);
  for (const char* task : {"skip", "block", "ask", "main"}) {
    EXPECT_EQ(Task(task).note->reason, "a is FAILED") << task;
  }
  ASSERT_TRUE(IsRunning("spare"));
  Answer("spare", "instead");
  ASSERT_TRUE(IsRunning("end"));
  EXPECT_EQ(InputsOf("end"), (Strings{"out.md=instead"}));
  Answer("end", "x");
  EXPECT_FALSE(Plan(kPlan).completed) << "a person is asked";
  Decide(Decision::kReject);
  EXPECT_EQ(Phase("ask"), TaskPhase::kSkipped);
  EXPECT_TRUE(Plan(kPlan).completed);
  EXPECT_NE(Failure(), "");
}

TEST_F(DagFlow, ApprovingARequestToReplanExecutesWhatFailedAgain) {
  Run(kPolicies);
  Break("a");
  Decide(Decision::kApprove);
  EXPECT_TRUE(IsRunning("a"));
  EXPECT_EQ(Phase("ask"), TaskPhase::kPending);
  EXPECT_EQ(Phase("block"), TaskPhase::kPending);
}

TEST_F(DagFlow, AFallbackThatIsNotNeededIsSkippedWithoutHarm) {
  Run(kPolicies);
  Answer("a", "x");
  Answer("skip", "x");
  Answer("block", "x");
  Answer("ask", "x");
  Answer("main", "made it");
  EXPECT_EQ(Phase("spare"), TaskPhase::kSkipped);
  Answer("after", "x");
  EXPECT_EQ(InputsOf("end"), (Strings{"out.md=made it"}));
  Answer("end", "x");
  EXPECT_TRUE(Plan(kPlan).completed);
  EXPECT_EQ(Failure(), "");
}

TEST_F(DagFlow, AFailedTaskIsReplacedByItsFallback) {
  Run(kPolicies);
  Answer("a", "x");
  Answer("skip", "x");
  Answer("block", "x");
  Answer("ask", "x");
  Break("main");
  EXPECT_EQ(Phase("main"), TaskPhase::kFailed);
  Answer("spare", "instead");
  Answer("after", "x");
  Answer("end", "x");
  EXPECT_EQ(Failure(), "") << "its place was taken";
}

TEST_F(DagFlow, AGateHoldsTheOutputsUntilAPersonApproves) {
  Run(R"(
  - {id: a, agent: alice, prompt: A, outputs: [a.md], gate: human}
  - {id: b, agent: bob, prompt: B, inputs: [a.md]}
)");
  Answer("a", "draft");
  EXPECT_EQ(Phase("a"), TaskPhase::kApproval);
  EXPECT_TRUE(Of<InputArrived>().empty());
  ASSERT_EQ(Of<QuestionAsked>().size(), 1U);
  EXPECT_EQ(Of<QuestionAsked>()[0].kind, QuestionKind::kApprove);
  Decide(Decision::kApprove);
  EXPECT_EQ(Phase("a"), TaskPhase::kCompleted);
  EXPECT_TRUE(IsRunning("b"));
}

TEST_F(DagFlow, WhatAPersonRejectsGoesBackWithTheirTextOrFails) {
  Run("  - {id: a, agent: alice, prompt: A, gate: human, score: {criteria: c, rework: 1}}\n");
  Answer("a", "draft", 80);
  Decide(Decision::kReject, "no date");
  EXPECT_EQ(CommandOf("a"), "cmd_a_002");
  Answer("a", "draft 2", 80);
  Decide(Decision::kReject, "still no date");
  EXPECT_EQ(Phase("a"), TaskPhase::kFailed);
  EXPECT_EQ(Task("a").note->code, ErrorCode::kGateClosed);
}

TEST_F(DagFlow, WithoutABoundOfItsOwnAGateMayBeRejectedThreeTimes) {
  Run("  - {id: a, agent: alice, prompt: A, outputs: [a.md], gate: human}\n");
  for (int round = 1; round <= 3; ++round) {
    Answer("a", "draft " + std::to_string(round));
    ASSERT_EQ(Of<QuestionAsked>().size(), 1U) << round;
    EXPECT_NE(Of<QuestionAsked>()[0].choices[1].leads_to.find("rejection " + std::to_string(round) +
                                                              " of at most 3"),
              std::string::npos);
    Decide(Decision::kReject, "round " + std::to_string(round));
    ASSERT_EQ(Phase("a"), TaskPhase::kActive) << round;
    EXPECT_EQ(Task("a").past->rounds.back().said.back().text, "round " + std::to_string(round));
    EXPECT_EQ(Task("a").past->rounds.back().said.back().speaker, Speaker::kPerson);
    EXPECT_EQ(sink_.Get(Task("a").past->rounds.back().gave[0].content), "draft " + std::to_string(round));
  }
  Answer("a", "draft 4");
  EXPECT_NE(Of<QuestionAsked>()[0].choices[1].leads_to.find("the task fails"), std::string::npos);
  Decide(Decision::kReject, "enough");
  EXPECT_EQ(Phase("a"), TaskPhase::kFailed);
}

TEST_F(DagFlow, AQuestionShowsWhatIsToBeJudgedAndWhatHasChanged) {
  Run("  - {id: a, agent: alice, prompt: A, outputs: [a.md], gate: human}\n");
  Answer("a", "# Bees\nThey fly.\n");
  const QuestionAsked first = Of<QuestionAsked>()[0];
  const std::string folder =
      "human/inbox/q_" + std::to_string(Plan(kPlan).people.questions().begin()->first) + "/";
  EXPECT_NE(first.text.find(folder + "a.md\n    # Bees\n    They fly.\n"), std::string::npos) << first.text;
  ASSERT_EQ(first.files.size(), 1U);
  EXPECT_EQ(sink_.Get(first.files[0].content), "# Bees\nThey fly.\n");
  EXPECT_EQ(first.deadline, Timestamp{}) << "approvals wait";
  Decide(Decision::kReject, "They dance.");
  EXPECT_EQ(Of<QuestionClosed>()[0].files, (Strings{"a.md"}));
  Answer("a", "# Bees\nThey dance.\n");
  const QuestionAsked second = Of<QuestionAsked>()[0];
  EXPECT_NE(second.text.find("\n    -They fly.\n    +They dance.\n"), std::string::npos) << second.text;
  ASSERT_EQ(second.files.size(), 2U);
  EXPECT_EQ(second.files[1].name, "a.md.diff");
  Wait(std::chrono::hours(24 * 30));
  EXPECT_EQ(Phase("a"), TaskPhase::kApproval) << "a long weekend ends nothing";
}

TEST_F(DagFlow, WhatFailedIsToldToTheNextAttempt) {
  Run("  - {id: a, agent: alice, prompt: A, failure_policy: {max_reexecute_times: 1}}\n");
  Break("a");
  ASSERT_NE(Task("a").past, nullptr);
  EXPECT_EQ(Task("a").past->rounds[0].said[0].speaker, Speaker::kEngine);
  EXPECT_NE(Task("a").past->rounds[0].said[0].text, "");
}

TEST_F(DagFlow, AnAlertClosesWhenItsTaskIsDone) {
  Run("  - {id: a, agent: alice, prompt: A, failure_policy: {max_reexecute_times: 1}}\n");
  Break("a");
  ASSERT_EQ(Plan(kPlan).people.questions().size(), 1U);
  EXPECT_EQ(Plan(kPlan).people.questions().begin()->second.asked.kind, QuestionKind::kAlert);
  Answer("a", "done");
  EXPECT_TRUE(Plan(kPlan).people.questions().empty());
}

TEST_F(DagFlow, NobodysSilenceIsAnApproval) {
  configuration_.hub.approval_deadline = std::chrono::hours(24);
  Feed(configuration_);
  Run("  - {id: a, agent: alice, prompt: A, gate: human}\n");
  Answer("a", "draft");
  Wait(std::chrono::hours(25));
  EXPECT_EQ(Phase("a"), TaskPhase::kFailed);
}

const char* const kGated = R"(
  - id: a
    agent: alice
    prompt: A
    outputs: [a.md]
    gates: {evidence_required: [review.md], thresholds: {review.md: 80}}
  - {id: review, agent: bob, prompt: R, outputs: [review.md], score: {criteria: c}}
)";

TEST_F(DagFlow, AGateWaitsForEvidenceAboveItsThreshold) {
  Run(kGated);
  Answer("a", "work");
  EXPECT_EQ(Phase("a"), TaskPhase::kEvidence);
  Answer("review", "good", 85);
  EXPECT_EQ(Phase("a"), TaskPhase::kCompleted);
  EXPECT_TRUE(Plan(kPlan).completed);
}

TEST_F(DagFlow, EvidenceBelowTheThresholdOrThatNeverComesClosesTheGate) {
  Run(kGated);
  Answer("a", "work");
  Answer("review", "bad", 60);
  EXPECT_EQ(Phase("a"), TaskPhase::kFailed);
  EXPECT_EQ(Task("a").note->reason, "review.md has a score of 60, 80 is required");
}

TEST_F(DagFlow, AGateIsClosedWhenTheTaskThatMakesItsEvidenceFails) {
  Run(kGated);
  Answer("a", "work");
  Break("review");
  EXPECT_EQ(Phase("a"), TaskPhase::kFailed);
}

TEST_F(DagFlow, EvidenceMayBeAFileThatSomebodyDelivers) {
  Run("  - {id: a, agent: alice, prompt: A, gate: audit.txt}\n");
  Answer("a", "work");
  EXPECT_EQ(Phase("a"), TaskPhase::kEvidence);
  Feed(MakeInput("audit.txt", "ok", "alice", kPlan));
  EXPECT_EQ(Phase("a"), TaskPhase::kCompleted);
}

TEST_F(DagFlow, ADownstreamTaskSendsWorkBackWithAReason) {
  const std::string tasks = R"(
  - {id: a, agent: alice, prompt: A, outputs: [a.md], score: {criteria: c, rework: 1}}
  - {id: b, agent: bob, prompt: B, inputs: [a.md], outputs: [b.md]}
  - {id: c, agent: bob, prompt: C, inputs: [b.md, a.md], outputs: [c.md]}
)";
  Run(tasks);
  Answer("a", "first", 90);
  Answer("b", "b of first");
  SendBack("c", "a", "the date is wrong");
  EXPECT_EQ(CommandOf("a"), "cmd_a_002");
  EXPECT_EQ(Phase("b"), TaskPhase::kPending);
  EXPECT_EQ(Phase("c"), TaskPhase::kPending);
  Answer("a", "second", 90);
  EXPECT_EQ(InputsOf("b"), (Strings{"a.md=second"}));
  Answer("b", "b of second");
  EXPECT_EQ(InputsOf("c"), (Strings{"a.md=second", "b.md=b of second"}));
  SendBack("c", "a", "still wrong");
  EXPECT_EQ(Phase("c"), TaskPhase::kFailed) << "the bound holds for this too";
}

TEST_F(DagFlow, PickPoliciesChooseBetweenVersions) {
  const std::string tasks = R"(
  - {id: x, agent: alice, prompt: X, score: {criteria: c}, outputs: [{name: v.md, versioning: {mode: keep_latest}}]}
  - {id: y, agent: alice, prompt: Y, score: {criteria: c}, outputs: [{name: v.md, versioning: {mode: keep_latest}}]}
  - id: first
    agent: bob
    prompt: F
    inputs: [{name: v.md, selector: {type: by_output_name, value: v.md}, pick_policy: first_seen}]
  - id: best
    agent: bob
    prompt: B
    inputs: [{name: v.md, selector: {type: by_file_name, value: v.md}, pick_policy: highest_score}]
  - id: newest
    agent: bob
    prompt: N
    inputs: [v.md]
)";
  configuration_.agents[AgentId("bob")].settings.max_parallel = 3;
  Configure({});
  Run(tasks);
  Answer("x", "from x", 90);
  Answer("y", "from y", 60);
  EXPECT_EQ(InputsOf("first"), (Strings{"v.md=from x"}));
  EXPECT_EQ(InputsOf("best"), (Strings{"v.md=from x"}));
  EXPECT_EQ(InputsOf("newest"), (Strings{"v.md=from y"}));
}

TEST_F(DagFlow, AnInputIsFoundByTheTypeOfTheMessageThatCarriesIt) {
  Run(R"(
  - {id: a, agent: alice, prompt: A, outputs: [{name: a.md, content_type: text/review, to: bob}]}
  - id: b
    agent: bob
    prompt: B
    needs: [a]
    inputs: [{name: review, selector: {type: by_message_type, value: text/review}}]
)");
  Answer("a", "a review");
  EXPECT_EQ(InputsOf("b"), (Strings{"a.md=a review"}));
}

TEST_F(DagFlow, AnInputThatNobodyMakesIsWaitedFor) {
  Run("  - {id: a, agent: alice, prompt: A, inputs: [from-outside.txt]}\n");
  EXPECT_EQ(StateOf("cmd_a_001", kPlan), CommandState::kWaitingInputs);
  Feed(MakeInput("from-outside.txt", "x", "alice", kPlan));
  EXPECT_TRUE(IsRunning("a"));
}

TEST_F(DagFlow, ATaskOfAPersonIsAQuestionWhoseAnswerIsTheResult) {
  Run(R"(
  - {id: a, agent: human, prompt: Name a colour, outputs: [colour.txt]}
  - {id: b, agent: bob, prompt: B, inputs: [colour.txt]}
)");
  ASSERT_EQ(Of<QuestionAsked>().size(), 1U);
  EXPECT_EQ(Of<QuestionAsked>()[0].text,
            "Task a is yours: Name a colour\n"
            "Text: your text is the task's result; attached files are its outputs.\n"
            "Reject: the task fails.");
  Decide(Decision::kNone, "green");
  EXPECT_EQ(Phase("a"), TaskPhase::kCompleted);
  EXPECT_EQ(InputsOf("b"), (Strings{"colour.txt=green"}));
}

TEST_F(DagFlow, APersonWhoDeclinesATaskFailsIt) {
  Run("  - {id: a, agent: human, prompt: Name a colour}\n");
  Decide(Decision::kReject);
  EXPECT_EQ(Phase("a"), TaskPhase::kFailed);
}

TEST_F(DagFlow, ACancelledPlanCancelsItsTasksAndRunsAgainWhenItIsHandedIn) {
  Run(kChain);
  Feed(PlanControl{PlanId(kPlan), ControlVerb::kCancel, "", ""});
  EXPECT_EQ(Phase("a"), TaskPhase::kCancelled);
  EXPECT_TRUE(Plan(kPlan).completed);
  Run(kChain);
  EXPECT_TRUE(IsRunning("a"));
}

TEST_F(DagFlow, OnlySoManyCommandsAreMadeAhead) {
  std::string tasks;
  for (int i = 0; i < 200; ++i) tasks += "  - {id: t" + std::to_string(i) + ", agent: alice, prompt: T}\n";
  Run(tasks);
  EXPECT_LE(Plan(kPlan).commands.size(), 64U);
  for (int i = 0; i < 200; ++i) Answer("t" + std::to_string(i), "done");
  EXPECT_TRUE(Plan(kPlan).completed);
  EXPECT_EQ(Dag().completed(), 200U);
}

TEST_F(DagFlow, ALongChainOfTasksIsSkippedAtOnce) {
  std::string tasks = "  - {id: t0, agent: alice, prompt: T}\n";
  for (int i = 1; i < 3000; ++i) {
    tasks += "  - {id: t" + std::to_string(i) + ", agent: alice, prompt: T, needs: [t" +
             std::to_string(i - 1) + "]}\n";
  }
  Run(tasks);
  Break("t0");
  EXPECT_EQ(Phase("t2999"), TaskPhase::kSkipped);
  EXPECT_TRUE(Plan(kPlan).completed);
}

}  // namespace
}  // namespace agenttalk
