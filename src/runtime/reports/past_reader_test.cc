#include "runtime/reports/past_reader.h"

#include <gtest/gtest.h>

#include <atomic>
#include <boost/json.hpp>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/mutex.h"
#include "journal/journal.h"
#include "runtime/core/core_fixture.h"
#include "runtime/reports/past_plan.h"
#include "runtime/reports/plan_report.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

// What was posted to the loop, which is the test's own thread.
class PostedWork {
 public:
  void Add(std::function<void()> work) {
    const MutexLock lock(mutex_);
    waiting_.push_back(std::move(work));
    changed_.notify_all();
  }
  void RunNext() {
    std::function<void()> work;
    {
      MutexLock lock(mutex_);
      while (waiting_.empty()) lock.Wait(changed_);
      work = std::move(waiting_.front());
      waiting_.pop_front();
    }
    work();
  }
  [[nodiscard]] bool empty() {
    const MutexLock lock(mutex_);
    return waiting_.empty();
  }

 private:
  Mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_ GUARDED_BY(mutex_);
};

Result<json::value> Status(const PastPlan& past) {
  return json::value(PlanStatusJson(*past.plan));
}

class PastReaderTest : public CoreTest {
 protected:
  void SetUp() override {
    Start();
    Configure({"alice", "bob"});
    core().Submit(MakeCommand("cmd_1"));
    Commit();
    before_ = core().committed();
    core().Submit(MakeAnswer("cmd_1", "first"));
    Commit();
  }
  std::unique_ptr<PastReader> MakeReader() {
    return std::make_unique<PastReader>(
        [this]() -> Result<std::shared_ptr<Journal>> {
          ++opened_;
          entered_.set_value();
          release_.get_future().wait();
          return std::shared_ptr<Journal>(std::shared_ptr<void>(), &journal_);
        },
        [this](std::function<void()> work) { posted_.Add(std::move(work)); });
  }

  const PlanId plan_{"plan_a"};
  std::uint64_t before_ = 0;  // cmd_1 was answered after this event
  std::atomic<int> opened_{0};
  std::promise<void> entered_;
  std::promise<void> release_;
  PostedWork posted_;
};

TEST_F(PastReaderTest, CommitsAreMadeWhileAHistoryIsFolded) {
  const auto reader = MakeReader();
  std::vector<json::value> told;
  reader->Ask(plan_, before_, &Status, [&](Result<json::value> status) { told.push_back(*status); });
  entered_.get_future().wait();  // and is not let further
  const std::uint64_t committed = core().committed();
  for (int i = 2; i < 12; ++i) {
    core().Submit(MakeCommand("cmd_" + std::to_string(i), {}, "bob"));
    Commit();
  }
  EXPECT_GE(core().committed(), committed + 10);
  EXPECT_TRUE(told.empty());
  EXPECT_TRUE(posted_.empty());
  release_.set_value();
  posted_.RunNext();
  ASSERT_EQ(told.size(), 1U);
  const auto expected = FoldUntil(journal_, plan_, before_);
  ASSERT_TRUE(expected.has_value());
  EXPECT_EQ(told[0], *Status(*expected));
  EXPECT_EQ(expected->plan->commands.size(), 1U) << "as it was, not as it is";
}

TEST_F(PastReaderTest, QuestionsAboutOneMomentShareAFold) {
  const auto reader = MakeReader();
  std::vector<std::pair<std::uint64_t, const void*>> folds;  // of the thread, until everything was told
  const auto look = [&](const PastPlan& past) -> Result<json::value> {
    folds.emplace_back(past.event, past.plan);
    return json::value(past.event);
  };
  std::size_t told = 0;
  const auto count = [&](const Result<json::value>& /*answer*/) { ++told; };
  reader->Ask(plan_, before_, look, count);
  entered_.get_future().wait();
  reader->Ask(plan_, core().committed(), look, count);
  reader->Ask(plan_, before_, look, count);
  release_.set_value();
  for (int i = 0; i < 3; ++i) posted_.RunNext();
  EXPECT_EQ(told, 3U);
  ASSERT_EQ(folds.size(), 3U);
  EXPECT_EQ(folds[0], folds[1]) << "the same fold, before another moment is asked about";
  EXPECT_LT(folds[1].first, folds[2].first);
  EXPECT_EQ(opened_, 1);
}

TEST_F(PastReaderTest, WhatIsWrongIsToldAndTheNextQuestionAnswered) {
  const auto reader = MakeReader();
  release_.set_value();
  std::vector<Result<json::value>> told;
  const auto take = [&](Result<json::value> answer) { told.push_back(std::move(answer)); };
  reader->Ask(PlanId("plan_none"), before_, &Status, take);
  reader->Ask(plan_, 1, &Status, take);
  reader->Ask(plan_, before_, &Status, take);
  for (int i = 0; i < 3; ++i) posted_.RunNext();
  EXPECT_EQ(told[0].error().code, ErrorCode::kPlanUnknown);
  EXPECT_EQ(told[1].error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(told[2].has_value());
}

TEST_F(PastReaderTest, AStopIsNotHeldUp) {
  std::atomic<bool> stop{true};
  EXPECT_EQ(FoldUntil(journal_, plan_, before_, &stop).error().code, ErrorCode::kStateConflict);
  auto reader = MakeReader();
  bool told = false;
  for (int i = 0; i < 3; ++i)
    reader->Ask(plan_, before_, &Status, [&](const Result<json::value>& /*answer*/) { told = true; });
  entered_.get_future().wait();
  release_.set_value();
  reader.reset();
  EXPECT_FALSE(told);
}

}  // namespace
}  // namespace agenttalk
