#include "runtime/side_thread.h"

#include <pthread.h>

#include <functional>
#include <thread>
#include <utility>

#include "base/mutex.h"

namespace agenttalk {

SideThread::SideThread(std::function<void(std::function<void()>)> post) : post_(std::move(post)) {}

SideThread::~SideThread() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void SideThread::Do(std::function<void()> work, std::function<void()> then) {
  {
    const MutexLock lock(mutex_);
    pieces_.push_back({std::move(work), std::move(then)});
  }
  changed_.notify_one();
  if (thread_.joinable()) return;
  thread_ = std::thread([this] { Run(); });
  pthread_setname_np(thread_.native_handle(), "side");
}

void SideThread::Run() {
  while (true) {
    Piece piece;
    {
      MutexLock lock(mutex_);
      while (pieces_.empty() && !stopping_) lock.Wait(changed_);
      if (stopping_) return;
      piece = std::move(pieces_.front());
      pieces_.pop_front();
    }
    piece.work();
    post_(std::move(piece.then));
  }
}

}  // namespace agenttalk
