#include "base/name_map.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace agenttalk {
namespace {

std::vector<std::string> WithPrefix(const NameMap<int>& map, std::string_view prefix) {
  std::vector<std::string> names;
  map.ForEachWithPrefix(prefix, [&](const std::string& name, int /*value*/) { names.push_back(name); });
  return names;
}

TEST(NameMap, FindsWhatWasPutIn) {
  NameMap<int> map;
  for (int i = 0; i < 1000; ++i) map["file_" + std::to_string(i)] = i;
  EXPECT_EQ(map.size(), 1000U);
  for (int i = 0; i < 1000; ++i) {
    const auto found = map.find("file_" + std::to_string(i));
    ASSERT_NE(found, map.end());
    EXPECT_EQ(found->second, i);
  }
  EXPECT_FALSE(map.contains("file_1000"));
  EXPECT_EQ(map.find(""), map.end());
}

TEST(NameMap, KeepsOneEntryForAName) {
  NameMap<int> map;
  map["a"] = 1;
  map["a"] = 2;
  EXPECT_EQ(map.size(), 1U);
  EXPECT_EQ(map["a"], 2);
}

TEST(NameMap, IsWalkedInOrderOfComing) {
  NameMap<int> map;
  map["b"] = 1;
  map["a"] = 2;
  std::vector<std::string> names;
  for (const auto& [name, value] : map) names.push_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{"b", "a"}));
}

TEST(NameMap, ListsNamesOfAPrefixInTheirOrderAlsoThoseThatComeLater) {
  NameMap<int> map;
  map["note_2"] = 1;
  map["x"] = 1;
  map["note_1"] = 1;
  EXPECT_EQ(WithPrefix(map, "note_"), (std::vector<std::string>{"note_1", "note_2"}));
  map["note_0"] = 1;
  map["notes"] = 1;
  EXPECT_EQ(WithPrefix(map, "note_"), (std::vector<std::string>{"note_0", "note_1", "note_2"}));
  EXPECT_EQ(WithPrefix(map, "").size(), 5U);
  EXPECT_TRUE(WithPrefix(map, "z").empty());
}

TEST(NameMap, KeepsItsOrderWhenItIsMoved) {
  NameMap<int> map;
  map["b"] = 1;
  map["a"] = 1;
  EXPECT_EQ(WithPrefix(map, "").size(), 2U);
  NameMap<int> moved = std::move(map);
  moved["c"] = 1;
  EXPECT_EQ(WithPrefix(moved, ""), (std::vector<std::string>{"a", "b", "c"}));
}

}  // namespace
}  // namespace agenttalk
