#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "base/file_descriptor.h"
#include "base/reactor.h"

namespace agenttalk {
namespace {

// As Hub::WatchModels does it: the loop watches the reactor's descriptor and nothing else waits.
class ReactorInALoop : public ::testing::Test {
 protected:
  void Watch() {
    models_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                       [this](const boost::system::error_code& error) {
                         if (error) return;
                         ++steps_;
                         reactor_->Step();
                         if (!done_) Watch();
                       });
  }
  void Run() {
    models_.assign(reactor_->descriptor());
    Watch();
    loop_.run_for(std::chrono::seconds(10));
    models_.release();
  }

  std::unique_ptr<Reactor> reactor_ = std::move(*Reactor::Open());
  boost::asio::io_context loop_;
  boost::asio::posix::stream_descriptor models_{loop_};
  int steps_ = 0;
  bool done_ = false;
};

TEST_F(ReactorInALoop, CallsTimersAndDescriptorsWithoutAWakeupThatHasNothingToDo) {
  const FileDescriptor news(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  std::string order;
  const auto watch = reactor_->Watch(news.get(), EPOLLIN, [&](std::uint32_t /*events*/) {
    std::uint64_t count = 0;
    ASSERT_EQ(::read(news.get(), &count, sizeof count), static_cast<ssize_t>(sizeof count));
    order += "descriptor ";
    done_ = true;
  });
  const auto timer = reactor_->At(reactor_->Now() + std::chrono::milliseconds(5), [&] {
    order += "timer ";
    const std::uint64_t one = 1;
    ASSERT_EQ(::write(news.get(), &one, sizeof one), static_cast<ssize_t>(sizeof one));
  });
  Run();
  EXPECT_EQ(order, "timer descriptor ");
  EXPECT_EQ(steps_, 2);
}

}  // namespace
}  // namespace agenttalk
