#include "runtime/core/core.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "journal/journal.h"
#include "model/events/event.h"
#include "runtime/core/core_fixture.h"

namespace agenttalk {
namespace {

class CoreWithTeam : public CoreTest {
 protected:
  void SetUp() override {
    Start();
    Configure({"alice", "bob"});
    Commit();
    life_->observer.names.clear();
  }
};

TEST_F(CoreWithTeam, TellsNobodyBeforeTheCommit) {
  std::optional<Reply> reply;
  core().Submit(MakeCommand("cmd_1"), [&](const Reply& told) { reply = told; });
  EXPECT_EQ(StateOf("cmd_1"), CommandState::kRunning) << "the state runs ahead of the disk";
  EXPECT_FALSE(reply);
  EXPECT_TRUE(performer().started.empty());
  EXPECT_TRUE(life_->observer.names.empty());
  Commit();
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, Reply::Status::kAccepted);
  EXPECT_EQ(performer().started, Names{"cmd_1/1"});
  EXPECT_FALSE(life_->observer.names.empty());
}

TEST_F(CoreWithTeam, ReleasesOnlyWhatTheCommitReached) {
  core().Submit(MakeCommand("cmd_1"));
  const JournalRow& row = commits().waiting.at(0).rows.at(0);
  const std::uint64_t first = row.first_event + row.event_count - 1;
  core().Submit(MakeCommand("cmd_2", {}, "bob"));
  ASSERT_TRUE(journal_.Commit({&commits().waiting.at(0), 1}, epoch_).has_value());
  core().Committed(first);
  EXPECT_EQ(performer().started, Names{"cmd_1/1"});
}

TEST_F(CoreWithTeam, ARepeatIsAnsweredOnlyWhenWhatItTellsOfIsDurable) {
  core().Submit(MakeCommand("cmd_1"));
  std::optional<Reply> reply;
  core().Submit(PlanControl{PlanId("plan_b"), ControlVerb::kPause, {}, "c1"},
                [&](const Reply& told) { reply = told; });
  EXPECT_FALSE(reply);
  Commit();
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, Reply::Status::kRefused);
}

TEST_F(CoreWithTeam, AfterAFailedCommitNothingLeavesTheProcess) {
  bool told = false;
  core().Submit(MakeCommand("cmd_1"), [&](const Reply&) { told = true; });
  core().CommitFailed(Error{ErrorCode::kIo, "the disk failed", ""});
  EXPECT_FALSE(core().Accepts());
  core().Committed(1000);
  core().Submit(MakeCommand("cmd_2"), [&](const Reply&) { told = true; });
  core().Committed(2000);
  EXPECT_FALSE(told);
  EXPECT_TRUE(performer().started.empty());
  EXPECT_EQ(commits().waiting.size(), 1U) << "and nothing more goes to the journal";
}

TEST_F(CoreWithTeam, AnAnswerAndAllThatFollowsFromItIsOneAppend) {
  CommandFile first = MakeCommand("cmd_1");
  first.command.on_complete.send_to = {AgentId("bob")};
  first.command.on_complete.output_name = "one.txt";
  core().Submit(std::move(first));
  core().Submit(MakeCommand("cmd_2", {{"one.txt", 1}}, "bob"));
  Commit();
  core().Submit(MakeAnswer("cmd_1", "done"));
  ASSERT_EQ(commits().waiting.size(), 1U);
  EXPECT_EQ(commits().waiting[0].rows.size(), 1U);
  EXPECT_EQ(StateOf("cmd_2"), CommandState::kRunning);
  Commit();
  EXPECT_EQ(performer().started, (Names{"cmd_1/1", "cmd_2/1"}));
}

TEST_F(CoreWithTeam, WhatOnePlanEndsAndAnotherBeginsIsOneAppendOfTwoRows) {
  core().Submit(MakeCommand("cmd_1", {}, "alice", "plan_a"));
  core().Submit(MakeCommand("cmd_2", {}, "alice", "plan_b"));
  Commit();
  EXPECT_EQ(StateOf("cmd_2", "plan_b"), CommandState::kReady);
  core().Submit(MakeAnswer("cmd_1", "done"));
  ASSERT_EQ(commits().waiting.size(), 1U);
  ASSERT_EQ(commits().waiting[0].rows.size(), 2U);
  EXPECT_EQ(commits().waiting[0].rows[0].stream, PlanId("plan_a"));
  EXPECT_EQ(commits().waiting[0].rows[1].stream, PlanId("plan_b"));
  EXPECT_EQ(commits().waiting[0].rows[1].version, 2U);
}

TEST_F(CoreWithTeam, AppliesBackPressureWhenTooMuchWaitsForItsCommit) {
  for (std::size_t i = 0; i < Core::kMostPending; ++i) {
    EXPECT_TRUE(core().Accepts());
    core().Submit(MakeCommand("cmd_" + std::to_string(i), {{"never", 1}}));
  }
  EXPECT_FALSE(core().Accepts());
  core().Post(MakeAnswer("cmd_1", "late"));
  EXPECT_TRUE(core().RunPosted());
  EXPECT_FALSE(core().Settled()) << "what was posted waits as well";
  Commit();
  EXPECT_TRUE(core().Accepts());
}

TEST_F(CoreWithTeam, CancelsTheCallsOfACommandThatEnds) {
  core().Submit(MakeCommand("cmd_1"));
  Commit();
  core().Submit(PlanControl{PlanId("plan_a"), ControlVerb::kCancel, {}, "c1"});
  EXPECT_EQ(performer().cancelled, Names{"cmd_1"});
}

TEST_F(CoreWithTeam, ARepeatedControlRequestIsAnsweredAndNotDoneTwice) {
  core().Submit(MakeCommand("cmd_1"));
  core().Submit(PlanControl{PlanId("plan_a"), ControlVerb::kPause, {}, "c1"});
  core().Submit(PlanControl{PlanId("plan_a"), ControlVerb::kResume, {}, "c2"});
  Commit();
  Start();  // the client did not hear the answer, and asks the next process
  Commit();
  std::optional<Reply> reply;
  core().Submit(PlanControl{PlanId("plan_a"), ControlVerb::kPause, {}, "c1"},
                [&](const Reply& told) { reply = told; });
  Commit();
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, Reply::Status::kRepeated);
  EXPECT_FALSE(core().FindLoaded(PlanId("plan_a"))->paused);
}

TEST_F(CoreWithTeam, WhatWasNotCommittedNeverHappened) {
  core().Submit(MakeCommand("cmd_1"));
  Start();
  Commit();
  EXPECT_EQ(core().FindLoaded(PlanId("plan_a")), nullptr);
  core().Submit(MakeCommand("cmd_1"));
  Commit();
  EXPECT_EQ(performer().started, Names{"cmd_1/1"});
}

TEST_F(CoreWithTeam, AStartPerformsNothingBeforeItIsItselfDurable) {
  core().Submit(MakeCommand("cmd_1"));
  Commit();
  Start();
  EXPECT_EQ(StateOf("cmd_1"), CommandState::kRunning);
  EXPECT_TRUE(performer().started.empty());
  Commit();
  EXPECT_EQ(performer().started, Names{"cmd_1/1"});
}

TEST_F(CoreWithTeam, ARecordedOutcomeIsNotAskedForAgain) {
  CommandFile first = MakeCommand("cmd_1");
  core().Submit(std::move(first));
  Commit();
  core().Submit(MakeAnswer("cmd_1", "done"));
  Commit();
  Start();
  Commit();
  EXPECT_TRUE(performer().started.empty());
}

TEST_F(CoreWithTeam, OpenCallsAreResumedInTheOrderOfTheirIntents) {
  core().Submit(MakeCommand("cmd_1", {}, "bob", "plan_z"));
  core().Submit(MakeCommand("cmd_2", {}, "alice", "plan_a"));
  Commit();
  Start();
  Commit();
  EXPECT_EQ(performer().started, (Names{"cmd_1/1", "cmd_2/1"}));
}

class CoreWithTools : public CoreWithTeam {
 protected:
  void AskForTool(bool idempotent) {
    core().Submit(MakeCommand("cmd_1"));
    Commit();
    ModelCallDone done = MakeAnswer("cmd_1", "");
    done.answer.tools.push_back({"t1", "pay", "{}", idempotent, {}});
    core().Submit(std::move(done));
    Commit();
    EXPECT_EQ(performer().started.back(), "cmd_1/2 pay");
    Start();
    Commit();
  }
};

TEST_F(CoreWithTools, AToolThatMayBeRepeatedIsRunAgainAfterACrash) {
  AskForTool(true);
  EXPECT_EQ(performer().started, Names{"cmd_1/2 pay"});
}

TEST_F(CoreWithTools, AToolThatMayNotIsAQuestionToAPerson) {
  AskForTool(false);
  EXPECT_TRUE(performer().started.empty());
  EXPECT_EQ(StateOf("cmd_1"), CommandState::kWaitingHuman);
  const auto& questions = core().FindLoaded(PlanId("plan_a"))->people.questions();
  ASSERT_EQ(questions.size(), 1U);
  EXPECT_EQ(questions.begin()->second.asked.kind, QuestionKind::kOutcomeUnknown);
}

TEST_F(CoreWithTeam, FinishedPlansAreNotLoadedUntilSomebodyNamesThem) {
  core().Submit(MakeCommand("cmd_1"));
  Commit();
  core().Submit(MakeAnswer("cmd_1", "done"));
  Commit();
  Start();
  Commit();
  EXPECT_EQ(core().FindLoaded(PlanId("plan_a")), nullptr);
  const auto plan = core().LookUp(PlanId("plan_a"));
  ASSERT_TRUE(plan.has_value() && *plan != nullptr);
  EXPECT_EQ(StateOf("cmd_1"), CommandState::kSucceeded);
  EXPECT_FALSE(*core().LookUp(PlanId("plan_x"))) << "there is no such plan";
}

TEST_F(CoreWithTeam, APlanFoldsToTheSameFromASnapshotAndWithout) {
  for (int i = 0; i < 1500; ++i) core().Submit(MakeCommand("cmd_" + std::to_string(i), {{"never", 1}}));
  Commit();
  const std::string before = EncodePlan(*core().FindLoaded(PlanId("plan_a")));
  ASSERT_TRUE((*journal_.LatestSnapshot(PlanId("plan_a"))).has_value());
  Start();
  Commit();
  EXPECT_TRUE(EncodePlan(*core().FindLoaded(PlanId("plan_a"))) == before);
}

TEST_F(CoreWithTeam, HeldItRecordsAndBeginsNothing) {
  core().Hold();
  std::optional<Reply> reply;
  core().Submit(MakeCommand("cmd_1"), [&](const Reply& told) { reply = told; });
  Commit();
  EXPECT_TRUE(reply);
  EXPECT_TRUE(performer().started.empty());
  EXPECT_EQ(StateOf("cmd_1"), CommandState::kReady);
  Start();
  Configure({"alice", "bob"});
  Commit();
  EXPECT_EQ(performer().started, Names{"cmd_1/1"}) << "the next start goes on with it";
}

TEST_F(CoreWithTeam, EngineTimeDoesNotGoBackWithTheClock) {
  CommandFile file = MakeCommand("cmd_1", {{"never", 1}});
  file.command.timeout = std::chrono::seconds(100);
  core().Submit(std::move(file));
  Commit();
  const auto before = core().state().now;
  clock_.Advance(-std::chrono::hours(5));
  core().Submit(MakeCommand("cmd_2", {{"never", 1}}));
  EXPECT_EQ(core().state().now, before);
  clock_.Advance(std::chrono::hours(5) + std::chrono::seconds(100));
  core().Tick();
  EXPECT_EQ(StateOf("cmd_1"), CommandState::kTimedOut);
}

}  // namespace
}  // namespace agenttalk
