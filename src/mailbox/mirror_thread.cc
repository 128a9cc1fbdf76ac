#include "mailbox/mirror_thread.h"

#include <pthread.h>

#include <functional>
#include <mutex>
#include <optional>
#include <utility>

#include "base/check.h"
#include "mailbox/mirror_writer.h"

namespace agenttalk {

MirrorThread::MirrorThread(MirrorWriter& writer, std::function<void()> wake)
    : writer_(writer), wake_(std::move(wake)), thread_([this] { Run(); }) {
  pthread_setname_np(thread_.native_handle(), "files");
}

MirrorThread::~MirrorThread() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void MirrorThread::Begin(MirrorBatch batch, bool wake) {
  CHECK(!busy());
  bytes_ = batch.bytes;
  {
    const std::lock_guard lock(mutex_);
    begun_ = std::move(batch);
    awaited_ = wake;
  }
  changed_.notify_all();
}

std::optional<MirrorThread::Done> MirrorThread::TakeDone(bool wake) {
  const std::lock_guard lock(mutex_);
  if (done_) bytes_.reset();
  awaited_ = awaited_ || wake;
  return std::exchange(done_, std::nullopt);
}

std::optional<MirrorThread::Done> MirrorThread::Await() {
  if (!busy()) return std::nullopt;
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return done_.has_value(); });
  }
  return TakeDone(false);
}

void MirrorThread::Run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return begun_ || stopping_; });
    if (!begun_) return;
    Done done{.left = std::move(*begun_), .report = {}};
    begun_.reset();
    lock.unlock();
    done.report = writer_.Write(done.left);
    lock.lock();
    done_ = std::move(done);
    changed_.notify_all();
    if (!std::exchange(awaited_, false)) continue;
    lock.unlock();
    wake_();
    lock.lock();
  }
}

}  // namespace agenttalk
