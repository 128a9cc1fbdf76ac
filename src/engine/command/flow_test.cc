
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "engine/engine_fixture.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/content/content.h"
#include "model/events/event.h"

namespace agenttalk {
namespace {

using std::chrono::seconds;
using CommandFlow = EngineTest;

TEST_F(CommandFlow, ACommandWithoutInputsIsAskedInTheStepThatTakesItIn) {
  EXPECT_EQ(Feed(MakeCommand("cmd_1")), (Names{"plan_changed", "command_received", "command_readied",
                                               "attempt_started", "model_call_intended"}));
  EXPECT_EQ(StateOf("cmd_1"), CommandState::kRunning);
  EXPECT_EQ(reply_.status, Reply::Status::kAccepted);
}

TEST_F(CommandFlow, AnAnswerEndsTheCommandAndStartsTheNextInOneStep) {
  Feed(MakeCommand("cmd_1"));
  EXPECT_EQ(Feed(MakeCommand("cmd_2")), (Names{"command_received", "command_readied"}));
  EXPECT_EQ(Feed(MakeAnswer("cmd_1", "done")),
            (Names{"model_call_finished", "command_succeeded", "attempt_started", "model_call_intended"}));
  EXPECT_EQ(StateOf("cmd_1"), CommandState::kSucceeded);
  EXPECT_EQ(StateOf("cmd_2"), CommandState::kRunning);
}

TEST_F(CommandFlow, ACommandsTrailHoldsTheEventsThatAreAboutIt) {
  std::vector<Event> all;
  for (const char* id : {"cmd_1", "cmd_2"}) {
    Feed(MakeCommand(id));
    all.insert(all.end(), events_.begin(), events_.end());
  }
  Feed(MakeAnswer("cmd_1", "done"));
  all.insert(all.end(), events_.begin(), events_.end());
  std::string names;
  for (const EventSpan& span : Plan().trails.Of(Plan().Find(CommandId("cmd_1"))->index)) {
    for (std::uint64_t number = span.first; number <= span.last(); ++number) {
      const auto event = std::ranges::find(all, number, &Event::number);
      ASSERT_NE(event, all.end());
      names += std::string(EventName(event->body)) + " ";
    }
  }
  EXPECT_EQ(names,
            "command_received command_readied attempt_started model_call_intended model_call_finished "
            "command_succeeded ");
}

TEST_F(CommandFlow, AnotherPlansCommandStartsInTheSameStepWhenTheAgentIsFree) {
  Feed(MakeCommand("cmd_1"));
  Feed(MakeCommand("cmd_9", {}, "alice", "plan_b"));
  Feed(MakeAnswer("cmd_1", "done"));
  EXPECT_EQ(StateOf("cmd_9", "plan_b"), CommandState::kRunning);
  EXPECT_EQ(events_.back().plan_id, PlanId("plan_b"));
}

TEST_F(CommandFlow, ThePlanIsCompletedWhenNothingIsLiveAndReopensWithTheNextCommand) {
  Feed(MakeCommand("cmd_1"));
  EXPECT_EQ(Feed(MakeAnswer("cmd_1", "done")).back(), "plan_changed");
  EXPECT_TRUE(Plan().completed);
  Feed(MakeCommand("cmd_2"));
  EXPECT_FALSE(Plan().completed);
}

TEST_F(CommandFlow, WaitsForEveryNamedInputAndBindsThemByContent) {
  Feed(MakeCommand("cmd_1", {{"a.txt", 1}, {"b.txt", 1}}));
  EXPECT_EQ(StateOf("cmd_1"), CommandState::kWaitingInputs);
  Feed(MakeInput("a.txt", "one"));
  EXPECT_EQ(StateOf("cmd_1"), CommandState::kWaitingInputs);
  Feed(MakeInput("b.txt", "two"));
  ASSERT_EQ(StateOf("cmd_1"), CommandState::kRunning);
  Feed(MakeInput("a.txt", "a later version"));
  EXPECT_EQ(sink_.Get(Record("cmd_1")->execution->inputs[0].content), "one");
}

TEST_F(CommandFlow, InputsThatCameFirstCount) {
  Feed(MakeInput("a.txt"));
  EXPECT_EQ(Feed(MakeCommand("cmd_1", {{"a.txt", 1}})).back(), "model_call_intended");
}

TEST_F(CommandFlow, AGlobWaitsForItsMinimum) {
  Feed(MakeCommand("cmd_1", {{"feedback_*.json", 3}}));
  Feed(MakeInput("feedback_a.json"));
  Feed(MakeInput("feedback_a.json", "again, the same name"));
  Feed(MakeInput("other.json"));
  Feed(MakeInput("feedback_b.json"));
  EXPECT_EQ(StateOf("cmd_1"), CommandState::kWaitingInputs);
  Feed(MakeInput("feedback_c.json"));
  EXPECT_EQ(StateOf("cmd_1"), CommandState::kRunning);
  EXPECT_EQ(Record("cmd_1")->execution->inputs.size(), 3U);
}

TEST_F(CommandFlow, WithoutWaitingItRunsAndNamesWhatIsMissing) {
  CommandFile command = MakeCommand("cmd_1", {{"a.txt", 1}, {"b.txt", 1}});
  command.command.wait_for_inputs = false;
  Feed(MakeInput("a.txt"));
  Feed(std::move(command));
  ASSERT_EQ(StateOf("cmd_1"), CommandState::kRunning);
  EXPECT_EQ(Record("cmd_1")->execution->missing, Names{"b.txt"});
}

TEST_F(CommandFlow, AFileWithoutAPlanCountsForEveryOpenPlanOfTheAgent) {
  Feed(MakeCommand("cmd_1", {{"a.txt", 1}}));
  Feed(MakeCommand("cmd_1", {{"a.txt", 1}}, "alice", "plan_b"));
  Feed(MakeCommand("cmd_2", {{"a.txt", 1}}, "bob"));
  Feed(InputFile{AgentId("alice"), PlanId(), "a.txt", Payload(std::string("x")), {}});
  EXPECT_EQ(StateOf("cmd_1"), CommandState::kRunning);
  EXPECT_EQ(StateOf("cmd_1", "plan_b"), CommandState::kReady);
  EXPECT_EQ(StateOf("cmd_2"), CommandState::kWaitingInputs);
}

TEST_F(CommandFlow, AFileOfThePlanAndOneOfTheSameNameForEveryPlanAreOneInput) {
  const InputFile shared{AgentId("alice"), PlanId(), "a.csv", Payload(std::string("x")), {}};
  Feed(MakeCommand("cmd_1", {{"*.csv", 2}}));
  Feed(InputFile(shared));
  Feed(MakeInput("a.csv"));
  EXPECT_EQ(StateOf("cmd_1"), CommandState::kWaitingInputs);
  Feed(MakeInput("b.csv"));
  EXPECT_EQ(StateOf("cmd_1"), CommandState::kRunning);
  // The other way round.
  Feed(MakeCommand("cmd_2", {{"*.txt", 2}}, "bob"));
  Feed(MakeInput("a.txt", "x", "bob"));
  Feed(InputFile{AgentId("bob"), PlanId(), "a.txt", Payload(std::string("x")), {}});
  EXPECT_EQ(StateOf("cmd_2"), CommandState::kWaitingInputs);
}

TEST_F(CommandFlow, WaitingHoldsNoSlot) {
  Feed(MakeCommand("cmd_1", {{"a.txt", 1}}));
  EXPECT_EQ(Feed(MakeCommand("cmd_2")).back(), "model_call_intended");
}

TEST_F(CommandFlow, OrderIsPriorityThenArrival) {
  Feed(MakeCommand("cmd_1"));
  Feed(MakeCommand("cmd_2"));
  CommandFile urgent = MakeCommand("cmd_3");
  urgent.command.priority = 5;
  Feed(std::move(urgent));
  Feed(MakeCommand("cmd_4"));
  Feed(MakeAnswer("cmd_1", "x"));
  EXPECT_EQ(StateOf("cmd_3"), CommandState::kRunning);
  Feed(MakeAnswer("cmd_3", "x"));
  EXPECT_EQ(StateOf("cmd_2"), CommandState::kRunning);
}

TEST_F(CommandFlow, MaxParallelRaisesTheLimit) {
  configuration_.agents[AgentId("alice")].settings.max_parallel = 2;
  Feed(configuration_);
  Feed(MakeCommand("cmd_1"));
  Feed(MakeCommand("cmd_2"));
  Feed(MakeCommand("cmd_3"));
  EXPECT_EQ(StateOf("cmd_2"), CommandState::kRunning);
  EXPECT_EQ(StateOf("cmd_3"), CommandState::kReady);
}

TEST_F(CommandFlow, AWaitThatTimesOutIsNotRetriedAndTellsAPerson) {
  CommandFile command = MakeCommand("cmd_1", {{"a.txt", 1}});
  command.command.retry_times = 3;
  Feed(std::move(command));
  EXPECT_TRUE(Wait(seconds(99)).empty());
  Wait(seconds(2));
  EXPECT_EQ(StateOf("cmd_1"), CommandState::kTimedOut);
  EXPECT_EQ(Of<CommandEnded>()[0].code, ErrorCode::kWaitTimeout);
  EXPECT_EQ(Of<DeadLettered>().size(), 1U);
  EXPECT_EQ(Of<QuestionAsked>()[0].kind, QuestionKind::kAlert);
}

TEST_F(CommandFlow, AFailedAttemptIsRetriedWithBackoffThenFails) {
  CommandFile command = MakeCommand("cmd_1");
  command.command.retry_times = 1;
  Feed(std::move(command));
  const Content first = Of<ModelCallIntended>()[0].request;
  EXPECT_EQ(Feed(MakeFailure("cmd_1")), (Names{"model_call_finished", "attempt_failed"}));
  EXPECT_EQ(StateOf("cmd_1"), CommandState::kRetryWait);
  EXPECT_EQ(Wait(seconds(3)), (Names{"command_requeued", "attempt_started", "model_call_intended"}));
  EXPECT_EQ(Of<ModelCallIntended>()[0].request, first) << "a retry continues the recorded conversation";
  EXPECT_EQ(Of<ModelCallIntended>()[0].model_call, 2U);
  EXPECT_EQ(Of<AttemptStarted>()[0].deadline - now_, seconds(150)) << "1.5 times the first timeout";
  Feed(MakeFailure("cmd_1"));
  EXPECT_EQ(StateOf("cmd_1"), CommandState::kFailed);
}

TEST_F(CommandFlow, ARetryPauseHoldsNoSlot) {
  CommandFile command = MakeCommand("cmd_1");
  command.command.retry_times = 1;
  Feed(std::move(command));
  Feed(MakeCommand("cmd_2"));
  Feed(MakeFailure("cmd_1"));
  EXPECT_EQ(StateOf("cmd_2"), CommandState::kRunning);
}

TEST_F(CommandFlow, RetryAfterLengthensThePause) {
  CommandFile command = MakeCommand("cmd_1");
  command.command.retry_times = 1;
  Feed(std::move(command));
  ModelCallDone done = MakeFailure("cmd_1");
  done.failure->retry_after = seconds(30);
  Feed(std::move(done));
  EXPECT_TRUE(Wait(seconds(29)).empty());
  EXPECT_EQ(Wait(seconds(1)).front(), "command_requeued");
}

TEST_F(CommandFlow, AnAttemptThatNeverAnswersTimesOut) {
  Feed(MakeCommand("cmd_1"));
  const std::uint32_t call = OpenCallOf("cmd_1");
  Wait(seconds(100));
  EXPECT_EQ(StateOf("cmd_1"), CommandState::kTimedOut);
  ModelCallDone late = MakeAnswer("cmd_1", "too late");
  late.call = call;
  EXPECT_TRUE(Feed(std::move(late)).empty()) << "a late outcome changes nothing";
}

TEST_F(CommandFlow, AnInvalidAnswerIsRepairedTwiceThenFails) {
  Feed(MakeCommand("cmd_1"));
  EXPECT_EQ(Feed(MakeBadAnswer("cmd_1")),
            (Names{"model_call_finished", "answer_refused", "model_call_intended"}));
  EXPECT_EQ(sink_.Get(Of<ModelCallIntended>()[0].request), "plan_a/cmd_1/2 repair");
  Feed(MakeBadAnswer("cmd_1"));
  Feed(MakeBadAnswer("cmd_1"));
  EXPECT_EQ(StateOf("cmd_1"), CommandState::kFailed);
  EXPECT_EQ(Record("cmd_1")->outcome->code, ErrorCode::kModelOutputInvalid);
}

TEST_F(CommandFlow, ARetryAfterBadAnswersIsToldWhatWasWrongWithTheLast) {
  CommandFile command = MakeCommand("cmd_1");
  command.command.retry_times = 1;
  Feed(std::move(command));
  for (int i = 0; i < 3; ++i) Feed(MakeBadAnswer("cmd_1"));
  ASSERT_EQ(StateOf("cmd_1"), CommandState::kRetryWait);
  Wait(seconds(3));
  EXPECT_EQ(sink_.Get(Of<ModelCallIntended>()[0].request), "plan_a/cmd_1/4 repair");
}

TEST_F(CommandFlow, ARetryAfterAnOutageStartsFromTheOriginalRequest) {
  CommandFile command = MakeCommand("cmd_1");
  command.command.retry_times = 1;
  Feed(std::move(command));
  const Content first = Of<ModelCallIntended>()[0].request;
  Feed(MakeBadAnswer("cmd_1"));
  Feed(MakeFailure("cmd_1"));
  ASSERT_EQ(StateOf("cmd_1"), CommandState::kRetryWait);
  Wait(seconds(3));
  EXPECT_EQ(Of<ModelCallIntended>()[0].request, first);
}

TEST_F(CommandFlow, TheSameKeyAndPayloadIsNotExecutedAgain) {
  Feed(MakeCommand("cmd_1"));
  EXPECT_EQ(Feed(MakeCommand("cmd_1")), Names{"command_repeated"});
  EXPECT_EQ(reply_.status, Reply::Status::kRepeated);
}

TEST_F(CommandFlow, TheSameKeyWithAnotherPayloadIsAConflict) {
  Feed(MakeCommand("cmd_1"));
  CommandFile other = MakeCommand("cmd_1");
  other.payload = Sha256("other");
  Feed(std::move(other));
  EXPECT_EQ(Of<DeadLettered>()[0].code, ErrorCode::kIdempotencyConflict);
  EXPECT_EQ(reply_.status, Reply::Status::kRefused);
}

TEST_F(CommandFlow, AnIdIsUsedOncePerPlan) {
  Feed(MakeCommand("cmd_1"));
  CommandFile other = MakeCommand("cmd_1");
  other.command.idempotency_key = "its-own";
  Feed(std::move(other));
  EXPECT_EQ(Of<DeadLettered>()[0].code, ErrorCode::kCommandIdReused);
  EXPECT_EQ(Feed(MakeCommand("cmd_1", {}, "alice", "plan_b")).front(), "plan_changed");
}

TEST_F(CommandFlow, KeysArePerReceivingAgent) {
  CommandFile first = MakeCommand("cmd_1");
  first.command.idempotency_key = "shared";
  CommandFile second = MakeCommand("cmd_2", {}, "bob");
  second.command.idempotency_key = "shared";
  Feed(std::move(first));
  Feed(std::move(second));
  EXPECT_EQ(StateOf("cmd_2"), CommandState::kRunning);
}

TEST_F(CommandFlow, TheSameFileSeenAgainIsIgnored) {
  CommandFile command = MakeCommand("cmd_1");
  command.source = FileFingerprint{"agents/alice/inbox", "cmd_1.json", 7, 8, 9, Sha256("f")};
  Feed(command);
  EXPECT_TRUE(Feed(command).empty());
  command.source->inode = 8;
  EXPECT_EQ(Feed(command), Names{"command_repeated"}) << "another file with the same command";
}

TEST_F(CommandFlow, ARefusedFileSeenAgainIsNoSecondLetter) {
  RejectedFile refused{AgentId("alice"),        PlanId(), {}, "x.json", {},
                       ErrorCode::kJsonInvalid, "bad",    "", {},       {}};
  refused.source = FileFingerprint{"agents/alice/inbox", "x.json", 7, 8, 9, {}};
  EXPECT_EQ(Feed(refused), (Names{"dead_lettered", "question_asked"}));
  EXPECT_TRUE(Feed(refused).empty());
}

TEST_F(CommandFlow, AnUnknownAgentsCommandIsADeadLetterThatCanBeRetried) {
  Feed(MakeCommand("cmd_1", {}, "nobody"));
  EXPECT_EQ(Of<DeadLettered>()[0].code, ErrorCode::kAgentUnknown);
  const std::uint64_t letter = Plan().people.letters().begin()->first;
  Configure({"nobody"});
  DeadLetterControl retry{PlanId("plan_a"), letter, true, MakeCommand("cmd_1", {}, "nobody")};
  EXPECT_EQ(Feed(std::move(retry)).back(), "model_call_intended");
  EXPECT_TRUE(Plan().people.letters().empty());
  EXPECT_EQ(StateOf("cmd_1"), CommandState::kRunning);
}

TEST_F(CommandFlow, PauseLetsRunningCommandsEndAndStartsNoneAndStopsTheClockOfWaiting) {
  Feed(MakeCommand("cmd_1"));
  Feed(MakeCommand("cmd_2"));
  Feed(MakeCommand("cmd_3", {{"a.txt", 1}}));
  Feed(PlanControl{PlanId("plan_a"), ControlVerb::kPause, "", "c1"});
  Feed(MakeAnswer("cmd_1", "x"));
  EXPECT_EQ(StateOf("cmd_2"), CommandState::kReady);
  Wait(seconds(500));
  EXPECT_EQ(StateOf("cmd_3"), CommandState::kWaitingInputs);
  Feed(PlanControl{PlanId("plan_a"), ControlVerb::kResume, "", "c2"});
  EXPECT_EQ(StateOf("cmd_2"), CommandState::kRunning);
  Wait(seconds(99));
  EXPECT_EQ(StateOf("cmd_3"), CommandState::kWaitingInputs);
  Wait(seconds(2));
  EXPECT_EQ(StateOf("cmd_3"), CommandState::kTimedOut);
}

TEST_F(CommandFlow, ARepeatedControlRequestIsAnsweredNotDoneTwice) {
  Feed(MakeCommand("cmd_1"));
  Feed(PlanControl{PlanId("plan_a"), ControlVerb::kPause, "", "c1"});
  EXPECT_TRUE(Feed(PlanControl{PlanId("plan_a"), ControlVerb::kPause, "", "c1"}).empty());
  EXPECT_EQ(reply_.status, Reply::Status::kRepeated);
  Feed(PlanControl{PlanId("plan_a"), ControlVerb::kPause, "", "c2"});
  EXPECT_EQ(reply_.error->code, ErrorCode::kStateConflict);
}

TEST_F(CommandFlow, CancelEndsEverythingLive) {
  Feed(MakeCommand("cmd_1"));
  Feed(MakeCommand("cmd_2"));
  Feed(MakeCommand("cmd_3", {{"a.txt", 1}}));
  Feed(PlanControl{PlanId("plan_a"), ControlVerb::kCancel, "no longer wanted", ""});
  for (const char* id : {"cmd_1", "cmd_2", "cmd_3"}) EXPECT_EQ(StateOf(id), CommandState::kCancelled);
  EXPECT_TRUE(Plan().completed);
  EXPECT_TRUE(Plan().people.letters().empty());
}

TEST_F(CommandFlow, TimeNeverGoesBack) {
  Feed(MakeCommand("cmd_1"));
  const Timestamp before = events_.back().time;
  now_ -= seconds(3600);
  Feed(MakeCommand("cmd_2"));
  EXPECT_EQ(events_.back().time, before);
}

TEST_F(CommandFlow, OutcomesNameTheIntentThatCausedThem) {
  Feed(MakeCommand("cmd_1"));
  const std::uint64_t intent = events_.back().number;
  Feed(MakeAnswer("cmd_1", "x"));
  EXPECT_EQ(events_.front().caused_by, intent);
}

TEST_F(CommandFlow, AnExternalAgentsResultEndsTheCommandOnce) {
  configuration_.agents[AgentId("ext")].settings.external = true;
  Feed(configuration_);
  EXPECT_EQ(Feed(MakeCommand("cmd_1", {}, "ext")).back(), "attempt_started");
  ExternalResult result{AgentId("ext"), PlanId("plan_a"), CommandId("cmd_1"), {}, {}};
  result.answer.result = "fine";
  result.source = FileFingerprint{"agents/ext/outbox/plan_a", "result_cmd_1.json", 1, 2, 3, {}};
  Feed(result);
  EXPECT_EQ(StateOf("cmd_1"), CommandState::kSucceeded);
  EXPECT_TRUE(Feed(result).empty());
  result.source->inode = 2;
  Feed(result);
  EXPECT_EQ(Of<DeadLettered>()[0].code, ErrorCode::kStateConflict);
}

class ExternalAgent : public CommandFlow {
 protected:
  ExternalAgent() {
    configuration_.agents[AgentId("eve")].settings.external = true;
    Feed(configuration_);
  }
  static OutputFile MakeOutput(const std::string& name, const std::string& bytes) {
    return {AgentId("eve"), PlanId("plan_a"), name, Payload(bytes), {}};
  }
  static ExternalResult MakeResult(const std::string& command, const std::string& text) {
    ExternalResult result;
    result.agent_id = AgentId("eve");
    result.plan_id = PlanId("plan_a");
    result.command_id = CommandId(command);
    result.answer.result = text;
    result.source = FileFingerprint{"agents/eve/outbox/plan_a", "result_" + command + ".json", 7, 7, 7, {}};
    result.body = text;
    return result;
  }
  void Order(const std::string& id, const std::string& output) {
    CommandFile command = MakeCommand(id, {}, "eve");
    command.command.on_complete.send_to = {AgentId("bob")};
    command.command.on_complete.output_name = output;
    Feed(std::move(command));
  }
};

TEST_F(ExternalAgent, WhatItLeftInItsOutboxGoesWithItsNextResult) {
  Order("cmd_1", "report.md");
  EXPECT_EQ(Feed(MakeOutput("data.zip", "PK")), Names{"output_found"});
  Feed(MakeOutput("report.md", "old"));
  Feed(MakeOutput("report.md", "the report"));
  Feed(MakeResult("cmd_1", "see the report"));
  const auto& files = Plan().InboxOf(AgentId("bob"))->files;
  EXPECT_EQ(sink_.Get(Of<CommandSucceeded>()[0].outputs[0].content), "PK");
  EXPECT_EQ(sink_.Get(Of<CommandSucceeded>()[0].outputs[1].content), "the report")
      << "the file takes the place of the result's text";
  EXPECT_EQ(files.size(), 3U);
  Order("cmd_2", "report.md");
  Feed(MakeResult("cmd_2", "nothing new"));
  ASSERT_EQ(Of<CommandSucceeded>()[0].outputs.size(), 1U) << "what was sent is not sent again";
  EXPECT_EQ(sink_.Get(Of<CommandSucceeded>()[0].outputs[0].content), "nothing new");
}

TEST_F(ExternalAgent, AnOutputWhileNothingRunsIsADeadLetter) {
  Feed(MakeOutput("data.zip", "PK"));
  EXPECT_EQ(Of<DeadLettered>()[0].code, ErrorCode::kStateConflict);
  EXPECT_EQ(sink_.Get(Of<DeadLettered>()[0].body), "PK");
}

TEST_F(ExternalAgent, WhatItLeftForACommandThatWasGivenUpIsNotSentLater) {
  Order("cmd_1", "a.md");
  Feed(MakeOutput("half.zip", "P"));
  Wait(seconds(101));
  EXPECT_EQ(StateOf("cmd_1"), CommandState::kTimedOut);
  Order("cmd_2", "a.md");
  Feed(MakeResult("cmd_2", "x"));
  EXPECT_EQ(Of<CommandSucceeded>()[0].outputs.size(), 1U);
}

TEST_F(ExternalAgent, AResultThatNobodyWaitsForIsKeptAndCanBeTriedAgain) {
  Feed(MakeResult("cmd_1", "early"));
  ASSERT_EQ(Of<DeadLettered>()[0].code, ErrorCode::kStateConflict);
  EXPECT_EQ(sink_.Get(Of<DeadLettered>()[0].body), "early");
  const std::uint64_t letter = Plan().people.letters().begin()->first;
  Order("cmd_1", "a.md");
  ExternalResult again = MakeResult("cmd_1", "early");
  again.source.reset();
  Feed(DeadLetterControl{PlanId("plan_a"), letter, true, std::move(again)});
  EXPECT_EQ(StateOf("cmd_1"), CommandState::kSucceeded);
  EXPECT_TRUE(Plan().people.letters().empty());
}

}  // namespace
}  // namespace agenttalk
