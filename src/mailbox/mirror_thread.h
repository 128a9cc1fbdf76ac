#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <optional>
#include <thread>

#include "base/mutex.h"
#include "mailbox/mirror_writer.h"

namespace agenttalk {

// Writes one batch after the other beside the loop: making a file takes longer than deciding what is in it.
// Everything but the writing belongs to the loop's thread.
class MirrorThread {
 public:
  // `wake` is called on the thread when a batch has been dealt with that somebody waits for.
  MirrorThread(MirrorWriter& writer, std::function<void()> wake);
  ~MirrorThread();  // what was begun is finished
  MirrorThread(const MirrorThread&) = delete;
  MirrorThread& operator=(const MirrorThread&) = delete;

  // A batch was begun and has not been taken back.
  [[nodiscard]] bool busy() const { return bytes_.has_value(); }
  // What it had when it was begun.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_.value_or(0); }
  // Only when not busy. `wake`: tell when it is done.
  void Begin(MirrorBatch batch, bool wake);

  struct Done {
    MirrorBatch left;
    MirrorReport report;
  };
  // Nothing: there is none, or it is not done yet; `wake`: then tell when it is.
  std::optional<Done> TakeDone(bool wake);
  // As TakeDone, but waits.
  std::optional<Done> Await();

 private:
  void Run();
  std::optional<MirrorBatch> NextBatch();  // none: the thread ends

  MirrorWriter& writer_;
  const std::function<void()> wake_;
  std::optional<std::uint64_t> bytes_;

  Mutex mutex_;
  std::condition_variable changed_;
  std::optional<MirrorBatch> begun_ GUARDED_BY(mutex_);
  std::optional<Done> done_ GUARDED_BY(mutex_);
  bool awaited_ GUARDED_BY(mutex_) = false;
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace agenttalk
