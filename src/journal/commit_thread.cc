#include "journal/commit_thread.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/mutex.h"
#include "journal/journal.h"

namespace agenttalk {
namespace {

std::size_t SizeOf(const Append& append) {
  std::size_t size = 0;
  for (const JournalRow& row : append.rows) {
    size += row.events.size();
    for (const NewContent& content : row.contents) size += content.bytes->size();
  }
  for (const NewContent& blob : append.blobs) size += blob.bytes->size();
  for (const Snapshot& snapshot : append.snapshots) size += snapshot.state.size();
  return size;
}

void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

}  // namespace

CommitThread::CommitThread(Journal& journal, std::uint64_t epoch, CommitReports reports, CommitLimits limits)
    : journal_(journal), epoch_(epoch), reports_(std::move(reports)), limits_(limits) {}

CommitThread::~CommitThread() {
  Stop();
}

void CommitThread::Start() {
  thread_ = std::thread([this] { Run(); });
  pthread_setname_np(thread_.native_handle(), "journal");
}

void CommitThread::Stop() {
  {
    const MutexLock lock(mutex_);
    if (std::exchange(stopping_, true)) return;
    held_ = false;
  }
  wake_.notify_one();
  if (!thread_.joinable()) return Run();
  thread_.join();
}

bool CommitThread::TrySubmit(Append&& append) {
  const std::size_t size = SizeOf(append);
  bool wake = false;
  {
    const MutexLock lock(mutex_);
    const bool full = waiting_.size() >= limits_.waiting_appends ||
                      (!waiting_.empty() && waiting_bytes_ + size > limits_.waiting_bytes);
    if (full || stopping_ || failed_) return false;
    waiting_.push_back(std::move(append));
    waiting_bytes_ += size;
    held_ = StillGathers();
    waiting_count_.store(waiting_.size(), std::memory_order_release);
    wake = asleep_ && !held_;
  }
  if (wake) wake_.notify_one();
  return true;
}

// Asked with every append, so that one that is committed meanwhile does not count.
bool CommitThread::StillGathers() {
  if (!gathering_) return false;
  const auto now = std::chrono::steady_clock::now();
  if (waiting_.size() == 1) oldest_waiting_ = now;
  return waiting_.size() < limits_.gathered_appends && waiting_bytes_ < limits_.batch_bytes &&
         now - oldest_waiting_ < limits_.gathered_time;
}

void CommitThread::BeginDue() {
  if (held_ && std::chrono::steady_clock::now() - oldest_waiting_ >= limits_.gathered_time) Begin(false);
}

void CommitThread::Begin(bool alone) {
  held_ = false;
  if (!HasWork()) return;
  if (alone && !stalled_) {
    if (commit_mutex_.try_lock()) {
      StepLocked();
      commit_mutex_.unlock();
    }
  }
  if (!HasWork()) return;
  {
    // The thread looks for work with the lock held: it has either seen this, or is asleep by now.
    const MutexLock lock(mutex_);
  }
  wake_.notify_one();
}

bool CommitThread::HasWork() const {
  return unfinished_ || (waiting_count_.load(std::memory_order_acquire) != 0 && !held_);
}

bool CommitThread::Crowded() const {
  return stalled_ || failed_ || waiting_count_ >= limits_.waiting_appends / 2 ||
         waiting_bytes_ >= limits_.waiting_bytes / 2;
}

bool CommitThread::Step() {
  const MutexLock lock(commit_mutex_);
  return StepLocked();
}

bool CommitThread::StepLocked() {
  if (failed_) return false;
  if (done_ == taken_.size()) TakeWaiting();
  const std::span<const Append> batch = NextBatch();
  if (batch.empty()) return false;
  const Result<void> committed = journal_.Commit(batch, epoch_);
  if (!committed) {
    NoteFailure(committed.error());
    return false;
  }
  stalled_ = false;
  last_event_ = std::max(last_event_, LastEventOf(batch));
  done_ += batch.size();
  unfinished_ = done_ != taken_.size();
  if (!unfinished_) {  // what was committed is not kept until there is more
    taken_.clear();
    done_ = 0;
  }
  if (reports_.committed) reports_.committed(last_event_);
  return true;
}

void CommitThread::TakeWaiting() {
  taken_.clear();
  done_ = 0;
  const MutexLock lock(mutex_);
  std::swap(taken_, waiting_);
  unfinished_ = !taken_.empty();
  waiting_bytes_ = 0;
  waiting_count_.store(0, std::memory_order_release);
}

std::span<const Append> CommitThread::NextBatch() const {
  const std::span<const Append> rest = std::span(taken_).subspan(done_);
  std::size_t count = 0;
  std::size_t bytes = 0;
  while (count < std::min(rest.size(), limits_.batch_appends) &&
         (count == 0 || bytes < limits_.batch_bytes)) {
    bytes += SizeOf(rest[count++]);
  }
  return rest.first(count);
}

void CommitThread::NoteFailure(const Error& error) {
  if (error.code == ErrorCode::kDiskFull) {
    stall_error_ = error;
    if (!stalled_.exchange(true) && reports_.disk_full) reports_.disk_full(error);
    return;
  }
  failed_ = true;
  if (reports_.failed) reports_.failed(error);
}

void CommitThread::Run() {
  do {
    while (HasWork() && Step()) {
    }
  } while (AwaitWork());
  if (stalled_ && !failed_) {
    failed_ = true;
    const MutexLock lock(commit_mutex_);
    if (reports_.failed) reports_.failed(*stall_error_);
  }
}

// False: the thread ends.
bool CommitThread::AwaitWork() {
  if (failed_) return false;
  if (!stalled_ && SpinForWork()) return true;
  MutexLock lock(mutex_);
  if (stalled_) {
    const auto until = std::chrono::steady_clock::now() + limits_.full_disk_retry;
    while (!stopping_ && lock.WaitUntil(wake_, until) != std::cv_status::timeout) {
    }
    return !stopping_;
  }
  asleep_ = true;
  while (!stopping_ && !HasWork()) lock.Wait(wake_);
  asleep_ = false;
  return HasWork();
}

bool CommitThread::SpinForWork() const {
  const auto until = std::chrono::steady_clock::now() + limits_.spin;
  do {
    if (HasWork()) return true;
    Pause();
  } while (std::chrono::steady_clock::now() < until);
  return false;
}

}  // namespace agenttalk
