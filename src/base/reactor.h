#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "base/error.h"
#include "base/file_descriptor.h"
#include "base/timer.h"

namespace agenttalk {

// Watches descriptors and waits for points in time on one thread, without a loop of its own: it has one
// descriptor that becomes readable when there is something to do, and whoever has a loop watches that and
// calls Step. So neither libcurl nor child processes need to know which loop drives them, and a test can be
// it.
class Reactor final : public TimerService {
 public:
  static Result<std::unique_ptr<Reactor>> Open();
  ~Reactor() override;
  Reactor(const Reactor&) = delete;
  Reactor& operator=(const Reactor&) = delete;

  [[nodiscard]] MonotonicTime Now() const override;
  [[nodiscard]] std::unique_ptr<Registration> At(MonotonicTime when, std::function<void()> call) override;

  // Calls back with EPOLLIN, EPOLLOUT, … as long as they hold. The descriptor stays its owner's, who ends the
  // watch before closing it. One watch for each descriptor.
  [[nodiscard]] std::unique_ptr<Registration> Watch(int descriptor, std::uint32_t events,
                                                    std::function<void(std::uint32_t)> call);

  // Readable when Step has something to do.
  [[nodiscard]] int descriptor() const { return epoll_.get(); }
  // Does what is due. Does not wait.
  void Step();
  // Waits for the next thing to do, at most so long, and does it. For tests and for programs without a loop.
  void WaitAndStep(Duration longest);

 private:
  struct Watched {
    std::uint32_t generation = 0;
    std::shared_ptr<std::function<void(std::uint32_t)>> call;
  };
  class Timer;
  class DescriptorWatch;
  using TimerKey = std::pair<MonotonicTime, std::uint64_t>;

  Reactor(FileDescriptor epoll, FileDescriptor timer);
  void SetTimer();
  void RunTimers();
  void RunWatch(int descriptor, std::uint32_t generation, std::uint32_t events);

  FileDescriptor epoll_;
  FileDescriptor timer_;  // expires with the earliest entry of `timers_`
  std::map<TimerKey, std::function<void()>> timers_;
  std::map<int, Watched> watched_;
  std::uint64_t timers_made_ = 0;
  std::uint32_t generations_ = 0;
  MonotonicTime armed_{};  // what `timer_` is set to; zero: nothing
};

}  // namespace agenttalk
