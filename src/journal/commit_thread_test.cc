#include "journal/commit_thread.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <semaphore>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "journal/journal.h"
#include "journal/journal_test_support.h"
#include "journal/memory_journal.h"
#include "journal/plan_summary.h"
#include "journal/sqlite_journal.h"
#include "model/content/content.h"

namespace agenttalk {
namespace {

// A journal whose disk the test plays: it can hold a commit up, or fail it.
class StagedJournal final : public Journal {
 public:
  Result<std::uint64_t> BeginEpoch() override { return inner_.BeginEpoch(); }
  Result<void> Commit(std::span<const Append> appends, std::uint64_t epoch) override {
    if (hold_) {
      entered_.release();
      go_on_.acquire();
    }
    const std::lock_guard lock(mutex_);
    if (error_) return Fail(*error_, "the disk of this test");
    batches_.push_back(appends.size());
    return inner_.Commit(appends, epoch);
  }
  Result<std::uint64_t> LastEvent() override { return inner_.LastEvent(); }
  Result<std::vector<StreamInfo>> Streams(bool live_only) override { return inner_.Streams(live_only); }
  Result<std::optional<StreamInfo>> FindStream(const PlanId& s) override { return inner_.FindStream(s); }
  Result<std::optional<Snapshot>> LatestSnapshot(const PlanId& s) override {
    return inner_.LatestSnapshot(s);
  }
  Result<std::optional<std::string>> DirectoryPage(const PlanId& stream, std::string_view name) override {
    return inner_.DirectoryPage(stream, name);
  }
  Result<void> ReadStream(const PlanId& s, std::uint64_t after, const RowVisitor& v) override {
    return inner_.ReadStream(s, after, v);
  }
  Result<void> ReadAll(std::uint64_t after, const RowVisitor& v) override { return inner_.ReadAll(after, v); }
  Result<void> ReadRow(const PlanId& stream, std::uint64_t event, const RowVisitor& v) override {
    return inner_.ReadRow(stream, event, v);
  }
  Result<std::string> ReadContent(const Content& content) override { return inner_.ReadContent(content); }
  Result<bool> HasBlob(const Digest& digest) override { return inner_.HasBlob(digest); }
  Result<bool> HasAllSummaries() override { return inner_.HasAllSummaries(); }
  Result<std::vector<PlanSummary>> Summaries(const SummaryQuery& query) override {
    return inner_.Summaries(query);
  }
  Result<std::optional<std::uint64_t>> OrderOf(const PlanId& plan) override { return inner_.OrderOf(plan); }

  // Set before the thread starts: every Commit waits for LetOneGo.
  void Hold() { hold_ = true; }
  void AwaitCommit() { entered_.acquire(); }
  void LetOneGo() { go_on_.release(); }
  void FailWith(std::optional<ErrorCode> error) {
    const std::lock_guard lock(mutex_);
    error_ = error;
  }
  std::vector<std::size_t> Batches() {
    const std::lock_guard lock(mutex_);
    return batches_;
  }

 private:
  MemoryJournal inner_;
  bool hold_ = false;
  std::counting_semaphore<> entered_{0};
  std::counting_semaphore<> go_on_{0};
  std::mutex mutex_;
  std::optional<ErrorCode> error_;
  std::vector<std::size_t> batches_;
};

// What was reported, and a way to wait for it.
class Log {
 public:
  CommitReports Reports() {
    return {.committed = [this](std::uint64_t event) { Note([&] { committed = event; }); },
            .disk_full = [this](const Error&) { Note([&] { ++stalls; }); },
            .failed = [this](const Error& error) { Note([&] { failures.push_back(error.code); }); }};
  }
  template <typename Condition>
  void Await(Condition condition) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return condition(*this); });
  }
  std::uint64_t committed = 0;
  int stalls = 0;
  std::vector<ErrorCode> failures;

 private:
  template <typename Change>
  void Note(Change change) {
    const std::lock_guard lock(mutex_);
    change();
    changed_.notify_all();
  }
  std::mutex mutex_;
  std::condition_variable changed_;
};

class CommitThreadTest : public testing::Test {
 protected:
  CommitThread& Make(CommitLimits limits = {}) {
    epoch_ = journal_.BeginEpoch().value();
    return thread_.emplace(journal_, epoch_, log_.Reports(), limits);
  }
  bool Submit(std::size_t bytes = 10) {
    const bool taken = thread_->TrySubmit(AppendOf(RowOf("plan_a", next_, next_, std::string(bytes, 'e'))));
    if (taken) ++next_;
    return taken;
  }

  StagedJournal journal_;
  Log log_;
  std::uint64_t epoch_ = 0;
  std::uint64_t next_ = 1;
  std::optional<CommitThread> thread_;
};

TEST_F(CommitThreadTest, WithoutAThreadAStepCommitsWhatWaits) {
  CommitThread& commits = Make();
  EXPECT_FALSE(commits.Step());
  EXPECT_TRUE(Submit());
  EXPECT_TRUE(Submit());
  EXPECT_EQ(log_.committed, 0);
  EXPECT_TRUE(commits.Step());
  EXPECT_EQ(log_.committed, 2);
  EXPECT_FALSE(commits.Step());
  EXPECT_EQ(journal_.Batches(), (std::vector<std::size_t>{2}));
}

TEST_F(CommitThreadTest, GathersWhileACommitRuns) {
  journal_.Hold();
  Make().Start();
  EXPECT_TRUE(Submit());
  journal_.AwaitCommit();
  for (int i = 0; i < 600; ++i) EXPECT_TRUE(Submit());
  for (int i = 0; i < 4; ++i) journal_.LetOneGo();
  log_.Await([](const Log& log) { return log.committed == 601; });
  EXPECT_EQ(journal_.Batches(), (std::vector<std::size_t>{1, 256, 256, 88}));
}

TEST_F(CommitThreadTest, KeepsABatchNearItsSize) {
  CommitThread& commits = Make({.batch_bytes = 100});
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(Submit(60));
  EXPECT_TRUE(Submit(500));
  while (commits.Step()) {
  }
  EXPECT_EQ(journal_.Batches(), (std::vector<std::size_t>{2, 2, 2}));
}

TEST_F(CommitThreadTest, SaysEarlyThatItIsCrowdedAndThenRefuses) {
  CommitThread& commits = Make({.waiting_appends = 10});
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(Submit());
  EXPECT_FALSE(commits.Crowded());
  EXPECT_TRUE(Submit());
  EXPECT_TRUE(commits.Crowded());
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(Submit());
  EXPECT_FALSE(Submit());
  EXPECT_TRUE(commits.Step());
  EXPECT_FALSE(commits.Crowded());
  EXPECT_TRUE(Submit());
}

TEST_F(CommitThreadTest, BoundsTheWaitingBytesButTakesOneLargeAppend) {
  CommitThread& commits = Make({.waiting_bytes = 1000});
  EXPECT_TRUE(Submit(5000));
  EXPECT_TRUE(commits.Crowded());
  Append refused = AppendOf(RowOf("plan_a", next_, next_, "stays as it is"));
  EXPECT_FALSE(commits.TrySubmit(std::move(refused)));
  EXPECT_EQ(refused.rows.at(0).events, "stays as it is");  // NOLINT(bugprone-use-after-move): the promise
}

TEST_F(CommitThreadTest, StopCommitsWhatWaits) {
  CommitThread& commits = Make();
  commits.Start();
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(Submit());
  commits.Stop();
  EXPECT_EQ(log_.committed, 1000);
  EXPECT_EQ(journal_.LastEvent().value(), 1000);
  EXPECT_FALSE(Submit());
}

TEST_F(CommitThreadTest, ReportsAFailureOnceAndTakesNothingMore) {
  journal_.FailWith(ErrorCode::kIo);
  CommitThread& commits = Make();
  commits.Start();
  EXPECT_TRUE(Submit());
  log_.Await([](const Log& log) { return !log.failures.empty(); });
  EXPECT_FALSE(Submit());
  EXPECT_TRUE(commits.Crowded());
  commits.Stop();
  EXPECT_EQ(log_.failures, (std::vector<ErrorCode>{ErrorCode::kIo}));
  EXPECT_EQ(log_.committed, 0);
}

TEST_F(CommitThreadTest, WaitsForSpaceOnAFullDisk) {
  journal_.FailWith(ErrorCode::kDiskFull);
  CommitThread& commits = Make({.full_disk_retry = std::chrono::milliseconds(1)});
  commits.Start();
  EXPECT_TRUE(Submit());
  log_.Await([](const Log& log) { return log.stalls == 1; });
  EXPECT_TRUE(commits.Crowded());
  EXPECT_TRUE(Submit());  // what was already decided is still taken
  journal_.FailWith(std::nullopt);
  log_.Await([](const Log& log) { return log.committed == 2; });
  commits.Stop();
  EXPECT_FALSE(commits.Crowded());
  EXPECT_EQ(log_.stalls, 1);
  EXPECT_TRUE(log_.failures.empty());
}

TEST_F(CommitThreadTest, StoppingOnAFullDiskIsAFailure) {
  journal_.FailWith(ErrorCode::kDiskFull);
  CommitThread& commits = Make({.full_disk_retry = std::chrono::hours(1)});
  commits.Start();
  EXPECT_TRUE(Submit());
  log_.Await([](const Log& log) { return log.stalls == 1; });
  commits.Stop();
  EXPECT_EQ(log_.failures, (std::vector<ErrorCode>{ErrorCode::kDiskFull}));
}

TEST_F(CommitThreadTest, CarriesAChainOneCommitAtATime) {
  CommitThread& commits = Make({.spin = std::chrono::microseconds(0)});
  commits.Start();
  for (std::uint64_t i = 1; i <= 500; ++i) {
    EXPECT_TRUE(Submit());
    log_.Await([i](const Log& log) { return log.committed == i; });
  }
  EXPECT_EQ(journal_.Batches().size(), 500);
}

TEST_F(CommitThreadTest, WhoIsAloneCommitsWhatWasGatheredAtOnce) {
  CommitThread& commits = Make();
  commits.Gather();
  EXPECT_TRUE(Submit());
  EXPECT_TRUE(Submit());
  commits.Begin(false);
  EXPECT_EQ(log_.committed, 0) << "there is no thread, and the caller has other things to do";
  commits.Begin(true);
  EXPECT_EQ(log_.committed, 2);
  EXPECT_EQ(journal_.Batches(), (std::vector<std::size_t>{2}));
}

TEST_F(CommitThreadTest, WhoIsAloneDoesNotWaitForTheThread) {
  journal_.Hold();
  CommitThread& commits = Make();
  commits.Start();
  EXPECT_TRUE(Submit());
  journal_.AwaitCommit();
  commits.Gather();
  EXPECT_TRUE(Submit());
  commits.Begin(true);
  EXPECT_EQ(journal_.Batches().size(), 0);
  journal_.LetOneGo();
  journal_.AwaitCommit();
  journal_.LetOneGo();
  log_.Await([](const Log& log) { return log.committed == 2; });
}

TEST_F(CommitThreadTest, AFullDiskThatTheCallerMeetsIsTheThreadsToWaitFor) {
  CommitThread& commits = Make({.full_disk_retry = std::chrono::milliseconds(1)});
  commits.Start();
  journal_.FailWith(ErrorCode::kDiskFull);
  commits.Gather();
  EXPECT_TRUE(Submit());
  commits.Begin(true);
  log_.Await([](const Log& log) { return log.stalls == 1; });
  journal_.FailWith(std::nullopt);
  log_.Await([](const Log& log) { return log.committed == 1; });
}

TEST_F(CommitThreadTest, MuchIsBegunBeforeAllOfItIsGathered) {
  CommitThread& commits = Make({.gathered_appends = 3});
  commits.Start();
  commits.Gather();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(Submit());
  log_.Await([](const Log& log) { return log.committed == 3; });
  commits.Begin(true);
}

TEST_F(CommitThreadTest, WhatIsGatheredWaitsForItsBeginning) {
  CommitThread& commits = Make({.gathered_time = std::chrono::hours(1)});
  commits.Gather();
  EXPECT_TRUE(Submit());
  commits.BeginDue();
  commits.Start();  // finds something, and leaves it alone
  EXPECT_TRUE(Submit());
  commits.Begin(false);
  log_.Await([](const Log& log) { return log.committed == 2; });
  EXPECT_EQ(journal_.Batches(), (std::vector<std::size_t>{2}));
  EXPECT_TRUE(Submit());
  commits.Begin(false);
  log_.Await([](const Log& log) { return log.committed == 3; });
}

// An owner that always has something to do, like answering readers, never comes to Begin.
TEST_F(CommitThreadTest, WhatHasWaitedForLongEnoughIsBegunThoughTheOwnerIsStillAtWork) {
  CommitThread& commits = Make({.gathered_time = std::chrono::milliseconds(1)});
  commits.Start();
  commits.Gather();
  EXPECT_TRUE(Submit());
  const auto submitted = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - submitted < std::chrono::milliseconds(1)) {
  }
  commits.BeginDue();
  log_.Await([](const Log& log) { return log.committed == 1; });
}

TEST_F(CommitThreadTest, StopCommitsWhatIsGathered) {
  CommitThread& commits = Make({.gathered_time = std::chrono::hours(1)});
  commits.Start();
  commits.Gather();
  EXPECT_TRUE(Submit());
  commits.Stop();
  EXPECT_EQ(log_.committed, 1);
}

// Commits on one thread, reads on another.
void ReadWhileCommitting(Journal& journal) {
  constexpr std::uint64_t kEvents = 3000;
  std::atomic<std::uint64_t> committed{0};
  const std::uint64_t epoch = journal.BeginEpoch().value();
  CommitThread commits(
      journal, epoch,
      {.committed = [&](std::uint64_t event) { committed = event; }, .disk_full = {}, .failed = {}});
  commits.Start();
  std::uint64_t next = 1;
  while (committed < kEvents) {
    for (int i = 0; i < 50 && next <= kEvents && !commits.Crowded(); ++i, ++next) {
      ASSERT_TRUE(commits.TrySubmit(AppendOf(RowOf("plan_a", next, next, std::to_string(next)))));
    }
    const std::uint64_t at_least = committed;
    std::uint64_t seen = at_least;
    EXPECT_TRUE(journal.ReadAll(at_least, [&](const JournalRowView& row) {
      ++seen;
      return row.first_event == seen && row.events == std::to_string(seen);
    }));
    EXPECT_GE(journal.LastEvent().value(), seen);
    const auto found = journal.FindStream(PlanId("plan_a")).value();
    EXPECT_GE(found ? found->version : 0, seen);
  }
}

TEST(CommitThreadReadingTest, AMemoryJournalIsReadWhileItIsWritten) {
  MemoryJournal journal;
  ReadWhileCommitting(journal);
}

TEST(CommitThreadReadingTest, ASqliteJournalIsReadWhileItIsWritten) {
  const TempDirectory directory;
  const auto journal = SqliteJournal::Open(directory.path() / ".agenttalk").value();
  ReadWhileCommitting(*journal);
  EXPECT_EQ(RowsOf(*journal, "plan_a").size(), 3000);
}

}  // namespace
}  // namespace agenttalk
