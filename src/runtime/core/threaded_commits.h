#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>

#include "base/error.h"
#include "base/mutex.h"
#include "journal/commit_thread.h"
#include "journal/journal.h"
#include "runtime/core/core.h"

namespace agenttalk {

// The core's way to the commit thread, and the way back: what the thread reports is kept until the loop asks.
// Everything but `wake` belongs to the loop's thread.
class ThreadedCommits final : public CommitQueue {
 public:
  // `wake` is called when there is news, mostly on the commit thread.
  ThreadedCommits(Journal& journal, std::uint64_t epoch, std::function<void()> wake);

  void Submit(Append append) override;
  void CommitAlone() override { thread_.Begin(true); }
  // The loop goes on; it may be long before it waits.
  void BeginDue() { thread_.BeginDue(); }
  // The loop is about to wait: what was submitted since the last time is committed.
  void Begin() { thread_.Begin(false); }
  // Hands over what did not fit before.
  void Retry();
  // True: submit no more than must be.
  [[nodiscard]] bool Crowded() const { return !overflow_.empty() || thread_.Crowded(); }

  struct News {
    std::uint64_t committed = 0;     // the last durable event of this run
    std::optional<Error> failed;     // the process must end
    std::optional<Error> disk_full;  // told once; commits go on by themselves when there is space
  };
  News TakeNews();
  // Commits have stopped until there is space.
  [[nodiscard]] bool Stalled();

  void Stop() { thread_.Stop(); }

 private:
  CommitReports Reports();

  const std::function<void()> wake_;
  Mutex mutex_;
  News news_ GUARDED_BY(mutex_);
  bool stalled_ GUARDED_BY(mutex_) = false;
  std::deque<Append> overflow_;
  CommitThread thread_;  // last: it reports as soon as it is there
};

}  // namespace agenttalk
