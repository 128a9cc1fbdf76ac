#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/mutex.h"
#include "journal/journal.h"

namespace agenttalk {

struct CommitLimits {
  std::size_t batch_appends = 256;
  std::size_t batch_bytes = std::size_t{1} << 20;
  // TrySubmit refuses what does not fit; Crowded() already speaks up at half of it.
  std::size_t waiting_appends = 8192;
  std::size_t waiting_bytes = std::size_t{64} << 20;
  // As many appends, or the oldest of them after this time, are not gathered any longer: committing them can
  // begin while more are made.
  std::size_t gathered_appends = 16;
  std::chrono::microseconds gathered_time{1000};
  std::chrono::milliseconds full_disk_retry{1000};
  // How long an idle thread looks for the next append before it sleeps. In a chain the next one comes within
  // microseconds of the last report, and waking a sleeping thread would cost more than the looking.
  std::chrono::microseconds spin{25};
};

// Called on the thread that commits, the caller's of Begin included; must be quick and may not call Stop.
// Never called after Stop has returned.
struct CommitReports {
  // Everything up to and including this event is durable.
  std::function<void(std::uint64_t last_event)> committed;
  // Nothing was lost and nothing committed; the same appends are tried again until there is space. Once per
  // stall.
  std::function<void(const Error&)> disk_full;
  // Once, and the last report: nothing is taken or committed any more. The process must end.
  std::function<void(const Error&)> failed;
};

// Group commit: while one batch is being synced the next one gathers. Whatever waits is committed at once, in
// the order in which it was submitted, up to a batch's limits.
//
// Owned by the loop; TrySubmit, Gather, Begin, Crowded, Start and Stop belong to one thread. The journal's
// Commit is called by nobody else meanwhile.
class CommitThread {
 public:
  CommitThread(Journal& journal, std::uint64_t epoch, CommitReports reports, CommitLimits limits = {});
  ~CommitThread();
  CommitThread(const CommitThread&) = delete;
  CommitThread& operator=(const CommitThread&) = delete;

  void Start();
  // Commits what waits (unless the disk is full), then ends the thread.
  void Stop();

  // False: not taken, and left as it was, because the queue is full or commits have failed.
  [[nodiscard]] bool TrySubmit(Append&& append);
  // What is submitted from now on waits for the next Begin, unless it becomes much: an owner with more to do
  // has no use for a commit of its own for each append, which would take the processor from it.
  void Gather() { gathering_ = true; }
  // For an owner that is still at work, with or without more to submit: begins what has waited for long
  // enough.
  void BeginDue();
  // The owner has nothing more to submit for now. `alone`: until it is durable there is nothing else to do at
  // all. Then it commits here, because two changes of thread would cost half as much as the commit.
  void Begin(bool alone);
  // True: accept no more input for now. After a `committed` report it is worth asking again.
  [[nodiscard]] bool Crowded() const;

  // The thread's body: commits one batch of what waits. False: there was none, or it did not work out. A test
  // or a single-threaded node calls it instead of Start.
  bool Step();

 private:
  void Run();
  [[nodiscard]] bool StillGathers() REQUIRES(mutex_);
  bool StepLocked() REQUIRES(commit_mutex_);
  [[nodiscard]] bool HasWork() const;
  bool AwaitWork();
  bool SpinForWork() const;
  void TakeWaiting() REQUIRES(commit_mutex_);
  [[nodiscard]] std::span<const Append> NextBatch() const REQUIRES(commit_mutex_);
  void NoteFailure(const Error& error) REQUIRES(commit_mutex_);

  Journal& journal_;
  const std::uint64_t epoch_;
  const CommitReports reports_;
  const CommitLimits limits_;

  bool gathering_ = false;  // the owner's own, and the next
  std::chrono::steady_clock::time_point oldest_waiting_;

  Mutex commit_mutex_;  // held by whoever commits; taken before mutex_
  std::vector<Append> taken_ GUARDED_BY(commit_mutex_);
  std::size_t done_ GUARDED_BY(commit_mutex_) = 0;  // of taken_
  std::uint64_t last_event_ GUARDED_BY(commit_mutex_) = 0;
  std::optional<Error> stall_error_ GUARDED_BY(commit_mutex_);
  std::atomic<bool> unfinished_{false};  // a part of taken_ is to be done

  // Written under the mutex, read by either side without it.
  std::atomic<std::size_t> waiting_count_{0};
  std::atomic<std::size_t> waiting_bytes_{0};
  std::atomic<bool> held_{false};  // what waits is still being gathered
  std::atomic<bool> stalled_{false};
  std::atomic<bool> failed_{false};

  mutable Mutex mutex_;
  std::condition_variable wake_;
  std::vector<Append> waiting_ GUARDED_BY(mutex_);
  bool asleep_ GUARDED_BY(mutex_) = false;
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace agenttalk
