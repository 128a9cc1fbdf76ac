#include "cli/verb_suggestion.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace agenttalk {
namespace {

using Names = std::vector<std::string>;

TEST(Suggestions, AreTheNearestFirst) {
  const Names known = {"status", "plans", "plan", "watch"};
  EXPECT_EQ(Suggestions("plna", known), (Names{"plan"}));
  EXPECT_EQ(Suggestions("pla", known), (Names{"plans", "plan"}));
  EXPECT_EQ(Suggestions("statsu", known), (Names{"status"}));
  EXPECT_EQ(Suggestions("frobnicate", known), Names{});
}

}  // namespace
}  // namespace agenttalk
