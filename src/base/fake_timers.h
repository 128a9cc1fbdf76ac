#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "base/time.h"
#include "base/timer.h"

namespace agenttalk {

// Time that passes when a test says so.
class FakeTimers final : public TimerService {
 public:
  [[nodiscard]] MonotonicTime Now() const override { return now_; }

  [[nodiscard]] std::unique_ptr<Registration> At(MonotonicTime when, std::function<void()> call) override {
    const Key key{when, ++made_};
    timers_.emplace(key, std::move(call));
    return std::make_unique<Timer>(*this, key);
  }

  // Fires what is due on the way, each at its time.
  void Advance(Duration by) {
    const MonotonicTime end = now_ + by;
    while (!timers_.empty() && timers_.begin()->first.first <= end) {
      now_ = std::max(now_, timers_.begin()->first.first);
      const auto call = std::move(timers_.extract(timers_.begin()).mapped());
      call();
    }
    now_ = end;
  }

 private:
  using Key = std::pair<MonotonicTime, std::uint64_t>;
  class Timer final : public Registration {
   public:
    Timer(FakeTimers& timers, Key key) : timers_(timers), key_(key) {}
    ~Timer() override { timers_.timers_.erase(key_); }
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;

   private:
    FakeTimers& timers_;
    const Key key_;
  };

  MonotonicTime now_{std::chrono::hours(1)};
  std::map<Key, std::function<void()>> timers_;
  std::uint64_t made_ = 0;
};

}  // namespace agenttalk
