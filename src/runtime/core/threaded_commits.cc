#include "runtime/core/threaded_commits.h"

#include <cstdint>
#include <functional>
#include <utility>

#include "base/error.h"
#include "base/mutex.h"
#include "journal/commit_thread.h"
#include "journal/journal.h"

namespace agenttalk {

ThreadedCommits::ThreadedCommits(Journal& journal, std::uint64_t epoch, std::function<void()> wake)
    : wake_(std::move(wake)), thread_(journal, epoch, Reports()) {
  thread_.Gather();
  thread_.Start();
}

CommitReports ThreadedCommits::Reports() {
  CommitReports reports;
  reports.committed = [this](std::uint64_t event) {
    {
      const MutexLock lock(mutex_);
      news_.committed = event;
      stalled_ = false;
    }
    wake_();
  };
  reports.disk_full = [this](const Error& error) {
    {
      const MutexLock lock(mutex_);
      news_.disk_full = error;
      stalled_ = true;
    }
    wake_();
  };
  reports.failed = [this](const Error& error) {
    {
      const MutexLock lock(mutex_);
      news_.failed = error;
    }
    wake_();
  };
  return reports;
}

void ThreadedCommits::Submit(Append append) {
  if (overflow_.empty() && thread_.TrySubmit(std::move(append))) return;
  // NOLINTNEXTLINE(bugprone-use-after-move): not taken, and therefore not moved from.
  overflow_.push_back(std::move(append));
}

void ThreadedCommits::Retry() {
  while (!overflow_.empty() && thread_.TrySubmit(std::move(overflow_.front()))) overflow_.pop_front();
}

ThreadedCommits::News ThreadedCommits::TakeNews() {
  const MutexLock lock(mutex_);
  News news = news_;
  news_.disk_full.reset();
  return news;
}

bool ThreadedCommits::Stalled() {
  const MutexLock lock(mutex_);
  return stalled_;
}

}  // namespace agenttalk
