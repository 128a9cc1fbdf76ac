#include "engine/state/waiting_index.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace agenttalk {
namespace {

using Waiter = WaitingIndex::Waiter;

// An index, and what it should know: who waits for what, in the order of coming.
class WaitingIndexTest : public ::testing::Test {
 protected:
  Waiter Add(const std::string& pattern) {
    const Waiter waiter{static_cast<std::uint32_t>(patterns_.size()), 0};
    patterns_.push_back(pattern);
    index_.Add(pattern, waiter, pattern_of_);
    return waiter;
  }
  void Remove(Waiter waiter) { index_.Remove(patterns_[waiter.command], waiter, pattern_of_); }
  std::vector<std::uint32_t> Arrive(std::string_view name, bool satisfied = true) {
    std::vector<std::uint32_t> found;
    index_.Arrive(name, pattern_of_, [&](Waiter waiter) {
      found.push_back(waiter.command);
      return satisfied;
    });
    return found;
  }

  using Found = std::vector<std::uint32_t>;
  std::vector<std::string> patterns_;
  WaitingIndex index_;
  WaitingIndex::PatternOf pattern_of_ = [this](Waiter waiter) -> std::string_view {
    return patterns_[waiter.command];
  };
};

TEST_F(WaitingIndexTest, WakesThoseWhoWaitForTheNameInOrderOfComing) {
  Add("a.txt");
  Add("b.txt");
  Add("a.txt");
  Add("a.txt");
  EXPECT_EQ(Arrive("a.txt"), (Found{0, 2, 3}));
  EXPECT_TRUE(Arrive("a.txt").empty()) << "a name has nothing more after one arrival";
  EXPECT_EQ(Arrive("b.txt"), Found{1});
}

TEST_F(WaitingIndexTest, ForgetsTheFirstTheMiddleAndTheLastOfAName) {
  std::vector<Waiter> waiters;
  for (int i = 0; i < 5; ++i) waiters.push_back(Add("a.txt"));
  Remove(waiters[0]);
  Remove(waiters[2]);
  Remove(waiters[4]);
  const Waiter later = Add("a.txt");
  EXPECT_EQ(Arrive("a.txt"), (Found{1, 3, later.command}));
}

TEST_F(WaitingIndexTest, FindsGlobsByTheirPrefixAndKeepsThoseThatWantMore) {
  Add("note_*.md");
  Add("*.md");
  Add("note_1.md");
  EXPECT_EQ(Arrive("note_1.md", false), (Found{2, 1, 0}));
  EXPECT_EQ(Arrive("note_2.md"), (Found{1, 0}));
  EXPECT_TRUE(Arrive("note_3.md").empty());
}

TEST_F(WaitingIndexTest, TellsNamesApartThatDifferInTheirLastLetterOnly) {
  for (std::size_t size = 1; size <= 40; ++size) {
    const std::string begin(size - 1, 'x');
    const Waiter first = Add(begin + "a");
    const Waiter second = Add(begin + "b");
    EXPECT_EQ(Arrive(begin + "b"), Found{second.command}) << size;
    EXPECT_TRUE(Arrive(begin).empty()) << size;
    EXPECT_EQ(Arrive(begin + "a"), Found{first.command}) << size;
  }
}

TEST_F(WaitingIndexTest, AgreesWithAListThroughComingAndGoing) {
  std::mt19937 random(4711);
  std::vector<std::pair<std::string, std::uint32_t>> expected;
  for (int i = 0; i < 3000; ++i) {
    const auto number = random() % 12;
    const std::string name =
        (number % 2 == 0 ? "file_" : "a_file_with_a_rather_long_name_") + std::to_string(number);
    const auto what = random() % 8;
    if (what < 5) {
      expected.emplace_back(name, Add(name).command);
    } else if (what < 7 && !expected.empty()) {
      const std::size_t gone = random() % expected.size();
      Remove({expected[gone].second, 0});
      expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(gone));
    } else {
      Found wanted;
      for (const auto& [pattern, waiter] : expected) {
        if (pattern == name) wanted.push_back(waiter);
      }
      ASSERT_EQ(Arrive(name), wanted);
      std::erase_if(expected, [&](const auto& one) { return one.first == name; });
    }
  }
}

}  // namespace
}  // namespace agenttalk
