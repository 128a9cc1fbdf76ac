#include "base/number_table.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <random>

namespace agenttalk {
namespace {

std::uint32_t FindExactly(const NumberTable& table, std::uint64_t hash, std::uint32_t number) {
  return table.Find(hash, [number](std::uint32_t candidate) { return candidate == number; });
}

TEST(NumberTable, FindsNothingBeforeAnythingWasAdded) {
  NumberTable table;
  EXPECT_EQ(table.Find(7, [](std::uint32_t) { return true; }), NumberTable::kNone);
  table.Remove(7, 1);
  table.Replace(7, 1, 2);
  EXPECT_EQ(table.size(), 0U);
}

TEST(NumberTable, AsksWhichOfTwoWithOneHashIsSought) {
  NumberTable table;
  table.Add(7, 1);
  table.Add(7, 2);
  EXPECT_EQ(FindExactly(table, 7, 1), 1U);
  EXPECT_EQ(FindExactly(table, 7, 2), 2U);
  table.Remove(7, 1);
  EXPECT_EQ(FindExactly(table, 7, 1), NumberTable::kNone);
  EXPECT_EQ(FindExactly(table, 7, 2), 2U);
}

TEST(NumberTable, LetsAnotherNumberTakeAPlace) {
  NumberTable table;
  table.Add(7, 1);
  table.Replace(7, 1, 9);
  EXPECT_EQ(FindExactly(table, 7, 1), NumberTable::kNone);
  EXPECT_EQ(FindExactly(table, 7, 9), 9U);
  EXPECT_EQ(table.size(), 1U);
}

// Few hashes and much coming and going: long runs that wrap around the end, with holes in them.
TEST(NumberTable, AgreesWithAMapThroughComingAndGoing) {
  std::mt19937 random(4711);
  for (const std::uint64_t hashes : {std::uint64_t{8}, std::uint64_t{200}, std::uint64_t{1} << 40U}) {
    NumberTable table;
    std::map<std::uint32_t, std::uint64_t> expected;  // number → hash
    std::uint32_t next = 0;
    for (int i = 0; i < 4000; ++i) {
      if (expected.size() < 60 || (random() % 2 == 0 && expected.size() < 200)) {
        const std::uint64_t hash = ((std::uint64_t{random()} << 32U) | random()) % hashes;
        table.Add(hash, next);
        expected[next++] = hash;
      } else {
        auto gone = expected.begin();
        std::advance(gone, static_cast<std::ptrdiff_t>(random() % expected.size()));
        table.Remove(gone->second, gone->first);
        EXPECT_EQ(FindExactly(table, gone->second, gone->first), NumberTable::kNone);
        expected.erase(gone);
      }
      ASSERT_EQ(table.size(), expected.size());
    }
    for (const auto& [number, hash] : expected) ASSERT_EQ(FindExactly(table, hash, number), number);
  }
}

}  // namespace
}  // namespace agenttalk
