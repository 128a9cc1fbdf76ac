#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

// Locks that clang's analysis follows (-Wthread-safety, an error in every clang build): a member that is
// GUARDED_BY a Mutex is touched only while it is held, and a function that REQUIRES one is called only then.
// Other compilers read past it.
#if defined(__clang__)
#define AGENTTALK_THREADS(attribute) __attribute__((attribute))
#else
#define AGENTTALK_THREADS(attribute)
#endif
#define GUARDED_BY(mutex) AGENTTALK_THREADS(guarded_by(mutex))
#define REQUIRES(mutex) AGENTTALK_THREADS(requires_capability(mutex))

namespace agenttalk {

class AGENTTALK_THREADS(capability("mutex")) Mutex {
 public:
  void lock() AGENTTALK_THREADS(acquire_capability()) { mutex_.lock(); }
  void unlock() AGENTTALK_THREADS(release_capability()) { mutex_.unlock(); }
  bool try_lock() AGENTTALK_THREADS(try_acquire_capability(true)) { return mutex_.try_lock(); }

 private:
  friend class MutexLock;
  std::mutex mutex_;
};

// Holds a mutex while it lives, but for where it waits. Conditions are checked by the caller, in a loop: the
// analysis does not look into the functions of others.
class AGENTTALK_THREADS(scoped_lockable) MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) AGENTTALK_THREADS(acquire_capability(mutex)) : lock_(mutex.mutex_) {}
  ~MutexLock() AGENTTALK_THREADS(release_capability()) = default;
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

  void Wait(std::condition_variable& condition) { condition.wait(lock_); }
  std::cv_status WaitUntil(std::condition_variable& condition, std::chrono::steady_clock::time_point until) {
    return condition.wait_until(lock_, until);
  }

 private:
  std::unique_lock<std::mutex> lock_;
};

}  // namespace agenttalk
