#include "base/stable_list.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace agenttalk {
namespace {

TEST(StableList, KeepsItsElementsWhereTheyAre) {
  StableList<std::string, 4> list;
  std::vector<const std::string*> places;
  for (int i = 0; i < 100; ++i) places.push_back(&list.push_back(std::to_string(i)));
  ASSERT_EQ(list.size(), 100U);
  for (std::size_t i = 0; i < list.size(); ++i) {
    EXPECT_EQ(&list[i], places[i]);
    EXPECT_EQ(list[i], std::to_string(i));
  }
  StableList<std::string, 4> moved = std::move(list);
  EXPECT_EQ(&moved[77], places[77]);
}

TEST(StableList, KeepsPlacesThroughBlocksThatGrow) {
  StableList<std::size_t, 64> list;
  std::vector<const std::size_t*> places;
  for (std::size_t i = 0; i < 300; ++i) {
    places.push_back(&list.push_back(i));
    for (std::size_t before = 0; before <= i; ++before) ASSERT_EQ(&list[before], places[before]) << i;
  }
  for (std::size_t i = 0; i < list.size(); ++i) EXPECT_EQ(list[i], i);
}

TEST(StableList, IsWalkedInOrder) {
  StableList<int, 4> list;
  for (int i = 0; i < 10; ++i) list.push_back(i);
  int expected = 0;
  for (const int value : list) EXPECT_EQ(value, expected++);
  EXPECT_EQ(expected, 10);
  const auto& read = list;
  EXPECT_EQ(std::ranges::count(read, 7), 1);
  EXPECT_EQ(read.back(), 9);
}

TEST(StableList, DestroysWhatItHolds) {
  const auto shared = std::make_shared<int>(1);
  {
    StableList<std::shared_ptr<int>, 4> list;
    for (int i = 0; i < 9; ++i) list.push_back(shared);
    EXPECT_EQ(shared.use_count(), 10);
    list = StableList<std::shared_ptr<int>, 4>();
    EXPECT_EQ(shared.use_count(), 1);
    for (int i = 0; i < 5; ++i) list.push_back(shared);
  }
  EXPECT_EQ(shared.use_count(), 1);
}

}  // namespace
}  // namespace agenttalk
