#include "runtime/core/threaded_commits.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <cstdint>
#include <expected>
#include <functional>
#include <mutex>
#include <optional>
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
#include "journal/memory_journal.h"
#include "journal/plan_summary.h"
#include "model/content/content.h"

namespace agenttalk {
namespace {

// A journal that fails its commits as long as it is told to.
class FailingJournal final : public Journal {
 public:
  Result<std::uint64_t> BeginEpoch() override { return inner_.BeginEpoch(); }
  Result<void> Commit(std::span<const Append> appends, std::uint64_t epoch) override {
    const std::lock_guard lock(mutex_);
    if (failure_) return std::unexpected(*failure_);
    return inner_.Commit(appends, epoch);
  }
  Result<std::uint64_t> LastEvent() override { return inner_.LastEvent(); }
  Result<std::vector<StreamInfo>> Streams(bool live_only) override { return inner_.Streams(live_only); }
  Result<std::optional<StreamInfo>> FindStream(const PlanId& stream) override {
    return inner_.FindStream(stream);
  }
  Result<std::optional<Snapshot>> LatestSnapshot(const PlanId& stream) override {
    return inner_.LatestSnapshot(stream);
  }
  Result<std::optional<std::string>> DirectoryPage(const PlanId& stream, std::string_view name) override {
    return inner_.DirectoryPage(stream, name);
  }
  Result<void> ReadStream(const PlanId& stream, std::uint64_t after, const RowVisitor& visit) override {
    return inner_.ReadStream(stream, after, visit);
  }
  Result<void> ReadAll(std::uint64_t after, const RowVisitor& visit) override {
    return inner_.ReadAll(after, visit);
  }
  Result<void> ReadRow(const PlanId& stream, std::uint64_t event, const RowVisitor& visit) override {
    return inner_.ReadRow(stream, event, visit);
  }
  Result<std::string> ReadContent(const Content& content) override { return inner_.ReadContent(content); }
  Result<bool> HasBlob(const Digest& digest) override { return inner_.HasBlob(digest); }
  Result<bool> HasAllSummaries() override { return inner_.HasAllSummaries(); }
  Result<std::vector<PlanSummary>> Summaries(const SummaryQuery& query) override {
    return inner_.Summaries(query);
  }
  Result<std::optional<std::uint64_t>> OrderOf(const PlanId& plan) override { return inner_.OrderOf(plan); }

  void Fail(std::optional<Error> failure) {
    const std::lock_guard lock(mutex_);
    failure_ = std::move(failure);
  }

 private:
  MemoryJournal inner_;
  std::mutex mutex_;
  std::optional<Error> failure_;
};

class ThreadedCommitsTest : public ::testing::Test {
 protected:
  static Append MakeAppend(std::uint64_t number) {
    JournalRow row;
    row.version = number;
    row.first_event = number;
    row.event_count = 1;
    row.events = "x";
    return {{row}, {}, {}};
  }
  // As the loop does: begins what was submitted, waits for the thread's word, then asks.
  ThreadedCommits::News Await(ThreadedCommits& commits, bool (*enough)(const ThreadedCommits::News&)) {
    commits.Begin();
    std::unique_lock lock(mutex_);
    while (true) {
      const ThreadedCommits::News news = commits.TakeNews();
      if (enough(news)) return news;
      woken_.wait(lock, [this] { return wakes_ > 0; });
      wakes_ = 0;
    }
  }
  std::function<void()> Wake() {
    return [this] {
      const std::lock_guard lock(mutex_);
      ++wakes_;
      woken_.notify_one();
    };
  }

  FailingJournal journal_;
  std::uint64_t epoch_ = *journal_.BeginEpoch();
  std::mutex mutex_;
  std::condition_variable woken_;
  int wakes_ = 0;
};

TEST_F(ThreadedCommitsTest, TellsTheLastDurableEvent) {
  ThreadedCommits commits(journal_, epoch_, Wake());
  for (std::uint64_t i = 1; i <= 100; ++i) commits.Submit(MakeAppend(i));
  const auto news = Await(commits, [](const auto& told) { return told.committed == 100; });
  EXPECT_FALSE(news.failed);
  EXPECT_EQ(*journal_.LastEvent(), 100U);
  commits.Stop();
}

TEST_F(ThreadedCommitsTest, AFullDiskIsToldOnceAndLosesNothing) {
  journal_.Fail(Error{ErrorCode::kDiskFull, "no space", ""});
  ThreadedCommits commits(journal_, epoch_, Wake());
  commits.Submit(MakeAppend(1));
  const auto full = Await(commits, [](const auto& told) { return told.disk_full.has_value(); });
  EXPECT_FALSE(full.failed);
  EXPECT_TRUE(commits.Stalled());
  EXPECT_FALSE(commits.TakeNews().disk_full) << "told once";
  journal_.Fail(std::nullopt);
  Await(commits, [](const auto& told) { return told.committed == 1; });
  EXPECT_FALSE(commits.Stalled());
  commits.Stop();
}

TEST_F(ThreadedCommitsTest, AFailureIsTheLastWord) {
  journal_.Fail(Error{ErrorCode::kIo, "the sync failed", ""});
  ThreadedCommits commits(journal_, epoch_, Wake());
  commits.Submit(MakeAppend(1));
  const auto news = Await(commits, [](const auto& told) { return told.failed.has_value(); });
  EXPECT_EQ(news.failed->code, ErrorCode::kIo);
  journal_.Fail(std::nullopt);
  commits.Submit(MakeAppend(2));
  commits.Stop();
  EXPECT_EQ(*journal_.LastEvent(), 0U) << "nothing is committed any more, also when the disk works again";
}

}  // namespace
}  // namespace agenttalk
