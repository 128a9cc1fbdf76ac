#include "runtime/core/core.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/time.h"
#include "engine/hub_snapshot_check.h"
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

TEST_F(CoreWithTeam, AtRestALivePlanIsReadFromASnapshotOfItsLastRow) {
  const auto version = [&] {
    const auto snapshot = journal_.LatestSnapshot(PlanId("plan_a")).value();
    return snapshot ? snapshot->version : 0;
  };
  int commands = 0;
  const auto submit = [&](int until) {
    for (; commands < until; ++commands)
      core().Submit(MakeCommand("cmd_" + std::to_string(commands), {{"never", 1}}));
  };
  submit(1000);
  core().SnapshotAtRest();
  Commit();
  EXPECT_EQ(version(), 0) << "what is not durable yet has none";
  core().SnapshotAtRest();
  Commit();
  EXPECT_EQ(version(), 0) << "few rows are read as fast";
  submit(2040);
  Commit();
  const std::uint64_t first = version();
  EXPECT_GT(first, 0) << "of the first 1,024 rows";
  submit(2055);
  Commit();
  ASSERT_EQ(version(), first);
  core().SnapshotAtRest();
  Commit();
  const PlanState& plan = *core().FindLoaded(PlanId("plan_a"));
  EXPECT_EQ(version(), plan.version);
  const std::string before = EncodePlan(plan);
  core().SnapshotAtRest();
  EXPECT_TRUE(commits().waiting.empty()) << "it has one already";
  Start();
  Commit();
  EXPECT_TRUE(EncodePlan(*core().FindLoaded(PlanId("plan_a"))) == before);
}

// In one step plan_a is told something, then plan_b, then plan_a again: two rows, of which the first one
// would be due for a snapshot. The state is by then that after the second.
TEST_F(CoreWithTeam, ASnapshotIsOfTheLastRowOfAStep) {
  clock_.Advance(std::chrono::seconds(1));
  for (int i = 0; i < 1022; ++i) core().Submit(MakeCommand("cmd_" + std::to_string(i), {{"never", 1}}));
  for (const auto& [id, plan, due] : {std::tuple("cmd_x", "plan_a", 10), std::tuple("cmd_y", "plan_b", 11),
                                      std::tuple("cmd_z", "plan_a", 12)}) {
    CommandFile file = MakeCommand(id, {{"never", 1}}, "alice", plan);
    file.command.timeout = std::chrono::seconds(due);
    core().Submit(std::move(file));
  }
  Commit();
  const std::uint64_t rows = core().FindLoaded(PlanId("plan_a"))->version;
  ASSERT_EQ((*journal_.LatestSnapshot(PlanId("plan_a")))->version, rows) << "the next one is 1,024 rows away";
  for (int i = 0; i < 511; ++i) {
    core().Submit(PlanControl{PlanId("plan_a"), ControlVerb::kPause, {}, "p" + std::to_string(i)});
    core().Submit(PlanControl{PlanId("plan_a"), ControlVerb::kResume, {}, "r" + std::to_string(i)});
  }
  core().Submit(MakeCommand("cmd_more", {{"never", 1}}));
  Commit();
  clock_.Advance(std::chrono::seconds(60));
  core().Tick();
  ASSERT_EQ(commits().waiting.back().rows.size(), 3U) << "a, b, a";
  Commit();
  const std::string before = EncodePlan(*core().FindLoaded(PlanId("plan_a")));
  EXPECT_EQ((*journal_.LatestSnapshot(PlanId("plan_a")))->version, rows + 1025);
  Start();
  Commit();
  EXPECT_TRUE(EncodePlan(*core().FindLoaded(PlanId("plan_a"))) == before);
}

class CoreWithYears : public CoreWithTeam {
 protected:
  // The hub's stream gets a row, as it does whenever a plan has ended.
  void AddHubRows(int rows) {
    for (int i = 0; i < rows; ++i) core().Submit(MirrorProgress{core().state().last_event, 0});
    Commit();
  }
  [[nodiscard]] std::uint64_t SnapshotVersion() {
    const auto snapshot = journal_.LatestSnapshot(PlanId()).value();
    return snapshot ? snapshot->version : 0;
  }
};

TEST_F(CoreWithYears, TheHubIsReadFromItsSnapshot) {
  core().Submit(HubAlert{"the disk is nearly full", false});
  AddHubRows(1000);
  const std::uint64_t rows = core().state().hub_plan.version;
  EXPECT_GT(SnapshotVersion(), rows - 256) << "so a start reads at most 256 rows";
  const std::string before = HubBytes(core().state());
  const Timestamp now = core().state().now;
  life_.reset();
  life_ = std::make_unique<Life>(journal_, clock_);
  ASSERT_TRUE(core().StartReading().has_value());
  EXPECT_TRUE(HubBytes(core().state()) == before);
  EXPECT_EQ(core().state().now, now);
  EXPECT_EQ(core().state().hub_plan.version, rows);
}

TEST_F(CoreWithYears, ASnapshotOfTheHubThatCannotBeReadIsPassedOver) {
  AddHubRows(600);
  const std::string before = HubBytes(core().state());
  const std::uint64_t rows = core().state().hub_plan.version;
  const Snapshot good = journal_.LatestSnapshot(PlanId()).value().value();
  std::string other = good.state;
  other[0] = 99;  // the layout of another version
  for (const std::string& bad :
       {std::string(), good.state.substr(0, good.state.size() / 2), good.state + "x", other}) {
    Append append;
    append.snapshots.push_back({PlanId(), good.version, good.last_event, bad});
    ASSERT_TRUE(journal_.Commit({&append, 1}, epoch_).has_value());
    life_ = std::make_unique<Life>(journal_, clock_);
    ASSERT_TRUE(core().StartReading().has_value());
    EXPECT_TRUE(HubBytes(core().state()) == before);
    EXPECT_EQ(core().state().hub_plan.version, rows);
  }
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
