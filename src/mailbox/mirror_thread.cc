#include "mailbox/mirror_thread.h"

#include <pthread.h>

#include <chrono>
#include <functional>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/mutex.h"
#include "base/thread_priority.h"
#include "base/time.h"
#include "mailbox/mirror_writer.h"

namespace agenttalk {

MirrorThread::MirrorThread(MirrorWriter& writer, std::function<void()> wake)
    : writer_(writer), wake_(std::move(wake)), thread_([this] { Run(); }) {
  pthread_setname_np(thread_.native_handle(), "files");
}

MirrorThread::~MirrorThread() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void MirrorThread::Begin(MirrorBatch batch, bool wake) {
  CHECK(!busy());
  bytes_ = batch.bytes;
  {
    const MutexLock lock(mutex_);
    begun_ = std::move(batch);
    awaited_ = wake;
  }
  changed_.notify_all();
}

std::optional<MirrorThread::Done> MirrorThread::TakeDone(bool wake) {
  const MutexLock lock(mutex_);
  if (done_) bytes_.reset();
  awaited_ = awaited_ || wake;
  return std::exchange(done_, std::nullopt);
}

std::optional<MirrorThread::Done> MirrorThread::Await() {
  if (!busy()) return std::nullopt;
  {
    MutexLock lock(mutex_);
    while (!done_) lock.Wait(changed_);
  }
  return TakeDone(false);
}

void MirrorThread::Run() {
  GiveWay();
  while (std::optional<MirrorBatch> batch = NextBatch()) {
    Done done{.left = std::move(*batch), .report = {}};
    const auto begun = std::chrono::steady_clock::now();
    done.report = writer_.Write(done.left);
    done.report.spent = std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - begun);
    bool wake = false;
    {
      const MutexLock lock(mutex_);
      done_ = std::move(done);
      wake = std::exchange(awaited_, false);
    }
    changed_.notify_all();
    if (wake) wake_();
  }
}

std::optional<MirrorBatch> MirrorThread::NextBatch() {
  MutexLock lock(mutex_);
  while (!begun_ && !stopping_) lock.Wait(changed_);
  return std::exchange(begun_, std::nullopt);
}

}  // namespace agenttalk
