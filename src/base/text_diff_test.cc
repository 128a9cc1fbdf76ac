#include "base/text_diff.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace agenttalk {
namespace {

using Lines = std::vector<std::string>;

TEST(TextDiff, EqualTextsHaveNoChanges) {
  EXPECT_TRUE(DiffLines("a\nb\n", "a\nb\n").lines.empty());
}

TEST(TextDiff, FindsTheFewestChanges) {
  const TextDiff diff = DiffLines("one\ntwo\nthree\nfour\n", "one\nthree\nfive\nfour\n");
  EXPECT_EQ(diff.lines, (Lines{"-two", "+five"}));
  EXPECT_EQ(diff.added, 1U);
  EXPECT_EQ(diff.removed, 1U);
}

TEST(TextDiff, OneOfThemMayBeEmpty) {
  EXPECT_EQ(DiffLines("", "x\ny").lines, (Lines{"+x", "+y"}));
  EXPECT_EQ(DiffLines("x\ny", "").lines, (Lines{"-x", "-y"}));
}

TEST(TextDiff, VeryLongDifferencesAreReplacements) {
  std::string before;
  std::string after;
  for (int i = 0; i < 3000; ++i) {
    before += "a" + std::to_string(i) + "\n";
    after += "b" + std::to_string(i) + "\n";
  }
  const TextDiff diff = DiffLines("same\n" + before + "end", "same\n" + after + "end");
  EXPECT_EQ(diff.removed, 3000U);
  EXPECT_EQ(diff.added, 3000U);
}

}  // namespace
}  // namespace agenttalk
