#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <thread>

#include "base/mutex.h"

namespace agenttalk {

// Does what needs nothing of the loop's on a thread of its own, one piece after the other: reading and
// checking a plan of very many tasks takes seconds, and the loop serves others meanwhile. A connection waits
// for its answer before it asks again, so that no more can wait than there are connections.
class SideThread {
 public:
  // `post` runs something on the loop's thread.
  explicit SideThread(std::function<void(std::function<void()>)> post);
  ~SideThread();  // what has not begun is given up
  SideThread(const SideThread&) = delete;
  SideThread& operator=(const SideThread&) = delete;

  // `work` is called on the thread, and then `then` on the loop's.
  void Do(std::function<void()> work, std::function<void()> then);

 private:
  struct Piece {
    std::function<void()> work;
    std::function<void()> then;
  };
  void Run();

  const std::function<void(std::function<void()>)> post_;
  Mutex mutex_;
  std::condition_variable changed_;
  std::deque<Piece> pieces_ GUARDED_BY(mutex_);
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::thread thread_;  // begins with the first piece
};

}  // namespace agenttalk
