#include "runtime/side_thread.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <future>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace agenttalk {
namespace {

// What was posted, until somebody runs it.
class Posts {
 public:
  std::function<void(std::function<void()>)> Poster() {
    return [this](std::function<void()> what) {
      const std::scoped_lock lock(mutex_);
      posted_.push_back(std::move(what));
      come_.notify_one();
    };
  }
  void RunOne() {
    std::function<void()> next;
    {
      std::unique_lock lock(mutex_);
      come_.wait(lock, [this] { return !posted_.empty(); });
      next = std::move(posted_.front());
      posted_.erase(posted_.begin());
    }
    next();
  }

 private:
  std::mutex mutex_;
  std::condition_variable come_;
  std::vector<std::function<void()>> posted_;
};

TEST(SideThread, WorkIsDoneOnTheThreadInOrderAndWhatFollowsOnTheLoop) {
  Posts posts;
  SideThread side(posts.Poster());
  std::vector<int> done;
  std::vector<std::thread::id> worked(3);
  for (int i = 0; i < 3; ++i) {
    side.Do([&worked, i] { worked[static_cast<std::size_t>(i)] = std::this_thread::get_id(); },
            [&done, i] { done.push_back(i); });
  }
  for (int i = 0; i < 3; ++i) posts.RunOne();
  EXPECT_EQ(done, (std::vector<int>{0, 1, 2}));
  EXPECT_NE(worked[0], std::this_thread::get_id());
  EXPECT_EQ(worked[0], worked[2]);
}

TEST(SideThread, AnEndWaitsForWhatHasBegun) {
  Posts posts;
  std::promise<void> begun;
  std::promise<void> go_on;
  bool finished = false;
  std::thread releases;
  {
    SideThread side(posts.Poster());
    side.Do(
        [&] {
          begun.set_value();
          go_on.get_future().wait();
          finished = true;
        },
        [] {});
    begun.get_future().wait();
    releases = std::thread([&] { go_on.set_value(); });
  }
  releases.join();
  EXPECT_TRUE(finished);
}

TEST(SideThread, OneThatWasNeverUsedEndsAtOnce) {
  Posts posts;
  const SideThread side(posts.Poster());
}

}  // namespace
}  // namespace agenttalk
