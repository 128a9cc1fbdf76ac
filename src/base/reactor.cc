#include "base/reactor.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <functional>
#include <memory>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "base/file_descriptor.h"
#include "base/timer.h"

namespace agenttalk {
namespace {

constexpr std::uint64_t kTimerTag = ~std::uint64_t{0};

std::uint64_t Tag(int descriptor, std::uint32_t generation) {
  return std::uint64_t{generation} << 32U | static_cast<std::uint32_t>(descriptor);
}

}  // namespace

class Reactor::Timer final : public Registration {
 public:
  Timer(Reactor& reactor, TimerKey key) : reactor_(reactor), key_(key) {}
  ~Timer() override { reactor_.timers_.erase(key_); }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

 private:
  Reactor& reactor_;
  const TimerKey key_;
};

class Reactor::DescriptorWatch final : public Registration {
 public:
  DescriptorWatch(Reactor& reactor, int descriptor) : reactor_(reactor), descriptor_(descriptor) {}
  ~DescriptorWatch() override {
    reactor_.watched_.erase(descriptor_);
    // Fails only when the descriptor is closed already, which has the same effect.
    ::epoll_ctl(reactor_.epoll_.get(), EPOLL_CTL_DEL, descriptor_, nullptr);
  }
  DescriptorWatch(const DescriptorWatch&) = delete;
  DescriptorWatch& operator=(const DescriptorWatch&) = delete;

 private:
  Reactor& reactor_;
  const int descriptor_;
};

Result<std::unique_ptr<Reactor>> Reactor::Open() {
  FileDescriptor epoll(::epoll_create1(EPOLL_CLOEXEC));
  if (!epoll.valid()) return FailErrno("epoll_create1");
  FileDescriptor timer(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  if (!timer.valid()) return FailErrno("timerfd_create");
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = kTimerTag;
  if (::epoll_ctl(epoll.get(), EPOLL_CTL_ADD, timer.get(), &event) != 0) return FailErrno("epoll_ctl");
  return std::unique_ptr<Reactor>(new Reactor(std::move(epoll), std::move(timer)));
}

Reactor::Reactor(FileDescriptor epoll, FileDescriptor timer)
    : epoll_(std::move(epoll)), timer_(std::move(timer)) {}

Reactor::~Reactor() = default;

MonotonicTime Reactor::Now() const {
  return std::chrono::time_point_cast<Duration>(std::chrono::steady_clock::now());
}

std::unique_ptr<Registration> Reactor::At(MonotonicTime when, std::function<void()> call) {
  const TimerKey key{when, ++timers_made_};
  timers_.emplace(key, std::move(call));
  if (timers_.begin()->first == key) SetTimer();
  return std::make_unique<Timer>(*this, key);
}

std::unique_ptr<Registration> Reactor::Watch(int descriptor, std::uint32_t events,
                                             std::function<void(std::uint32_t)> call) {
  CHECK(!watched_.contains(descriptor));
  Watched& watched = watched_[descriptor];
  watched.generation = ++generations_;
  watched.call = std::make_shared<std::function<void(std::uint32_t)>>(std::move(call));
  epoll_event event{};
  event.events = events;
  event.data.u64 = Tag(descriptor, watched.generation);
  CHECK(::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, descriptor, &event) == 0);
  return std::make_unique<DescriptorWatch>(*this, descriptor);
}

// A timer that is cancelled leaves the alarm as it is; the early wake finds nothing due and sets the next.
void Reactor::SetTimer() {
  const MonotonicTime next = timers_.empty() ? MonotonicTime{} : timers_.begin()->first.first;
  if (next == armed_) return;
  armed_ = next;
  itimerspec alarm{};
  // Zero would disarm.
  const auto since_boot = std::max(next.time_since_epoch(), timers_.empty() ? Duration{} : Duration{1});
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(since_boot);
  alarm.it_value.tv_sec = seconds.count();
  alarm.it_value.tv_nsec = std::chrono::nanoseconds(since_boot - seconds).count();
  CHECK(::timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &alarm, nullptr) == 0);
}

void Reactor::RunTimers() {
  const MonotonicTime now = Now();
  while (!timers_.empty() && timers_.begin()->first.first <= now) {
    const auto call = std::move(timers_.extract(timers_.begin()).mapped());
    call();
  }
}

void Reactor::RunWatch(int descriptor, std::uint32_t generation, std::uint32_t events) {
  const auto found = watched_.find(descriptor);
  // Ended, and perhaps begun anew, by a callback before this one.
  if (found == watched_.end() || found->second.generation != generation) return;
  const auto call = found->second.call;
  (*call)(events);
}

void Reactor::Step() {
  constexpr std::size_t kBatch = 64;
  std::array<epoll_event, kBatch> events{};
  const int ready = ::epoll_wait(epoll_.get(), events.data(), kBatch, 0);
  for (int i = 0; i < ready; ++i) {
    const std::uint64_t tag = events[static_cast<std::size_t>(i)].data.u64;
    if (tag == kTimerTag) {
      std::uint64_t expirations = 0;
      static_cast<void>(::read(timer_.get(), &expirations, sizeof expirations));
      armed_ = {};
      continue;
    }
    RunWatch(static_cast<int>(tag & 0xffffffffU), static_cast<std::uint32_t>(tag >> 32U),
             events[static_cast<std::size_t>(i)].events);
  }
  RunTimers();
  SetTimer();
}

void Reactor::WaitAndStep(Duration longest) {
  pollfd waiting{epoll_.get(), POLLIN, 0};
  const auto milliseconds = std::chrono::ceil<std::chrono::milliseconds>(longest).count();
  ::poll(&waiting, 1, static_cast<int>(std::clamp<std::int64_t>(milliseconds, 0, 1'000'000)));
  Step();
}

}  // namespace agenttalk
