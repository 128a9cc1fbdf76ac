#include "base/reactor.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "base/timer.h"

namespace agenttalk {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class ReactorTest : public testing::Test {
 protected:
  void StepUntil(const bool& done) {
    const MonotonicTime deadline = reactor_->Now() + seconds(10);
    while (!done && reactor_->Now() < deadline) reactor_->WaitAndStep(milliseconds(100));
  }

  std::unique_ptr<Reactor> reactor_ = std::move(*Reactor::Open());
};

TEST_F(ReactorTest, FiresTimersInTheirOrderAndNotEarly) {
  std::string order;
  bool last = false;
  const MonotonicTime start = reactor_->Now();
  const auto second = reactor_->At(start + milliseconds(4), [&] {
    order += "b";
    last = true;
  });
  const auto first = reactor_->At(start + milliseconds(2), [&] { order += "a"; });
  const auto overdue = reactor_->At(start - seconds(1), [&] { order += "0"; });
  EXPECT_EQ(order, "");
  StepUntil(last);
  EXPECT_EQ(order, "0ab");
  EXPECT_GE(reactor_->Now(), start + milliseconds(4));
}

TEST_F(ReactorTest, ACancelledTimerDoesNotFire) {
  bool cancelled_fired = false;
  bool other_fired = false;
  auto cancelled = reactor_->At(reactor_->Now() + milliseconds(1), [&] { cancelled_fired = true; });
  const auto other = reactor_->At(reactor_->Now() + milliseconds(3), [&] { other_fired = true; });
  cancelled.reset();
  StepUntil(other_fired);
  EXPECT_TRUE(other_fired);
  EXPECT_FALSE(cancelled_fired);
}

TEST_F(ReactorTest, IsReadableWhenThereIsSomethingToDo) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  bool called = false;
  std::unique_ptr<Registration> watch;
  watch = reactor_->Watch(ends[0], EPOLLIN, [&](std::uint32_t events) {
    called = (events & EPOLLIN) != 0;
    watch.reset();
  });
  pollfd look{reactor_->descriptor(), POLLIN, 0};
  EXPECT_EQ(::poll(&look, 1, 0), 0);
  ASSERT_EQ(::write(ends[1], "x", 1), 1);
  EXPECT_EQ(::poll(&look, 1, 1000), 1);
  reactor_->Step();
  EXPECT_TRUE(called);
  // The watch has ended, though the byte is still there.
  EXPECT_EQ(::poll(&look, 1, 0), 0);
  ::close(ends[0]);
  ::close(ends[1]);
}

}  // namespace
}  // namespace agenttalk
