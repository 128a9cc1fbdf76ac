#include "llm/line_splitter.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace agenttalk {
namespace {

std::vector<std::string> Lines(std::string_view text, std::size_t cut, std::size_t longest = 100) {
  LineSplitter splitter(longest);
  std::vector<std::string> lines;
  const auto take = [&](std::string_view line) { lines.emplace_back(line); };
  static_cast<void>(splitter.Feed(text.substr(0, cut), take));
  static_cast<void>(splitter.Feed(text.substr(cut), take));
  splitter.Finish(take);
  return lines;
}

TEST(LineSplitter, KnowsEveryLineEndWhereverThePiecesAreCut) {
  const std::string_view text = "one\ntwo\r\n\r\nthree\rfour\n\nfive";
  const std::vector<std::string> expected = {"one", "two", "", "three", "four", "", "five"};
  for (std::size_t cut = 0; cut <= text.size(); ++cut) EXPECT_EQ(Lines(text, cut), expected) << cut;
}

TEST(LineSplitter, StopsAtALineThatIsTooLong) {
  LineSplitter splitter(4);
  std::vector<std::string> lines;
  const auto take = [&](std::string_view line) { lines.emplace_back(line); };
  EXPECT_TRUE(splitter.Feed("1234\n12", take));
  EXPECT_FALSE(splitter.Feed("345\n", take));
  EXPECT_FALSE(splitter.Feed("6\n", take));
  splitter.Finish(take);
  EXPECT_EQ(lines, std::vector<std::string>{"1234"});
}

}  // namespace
}  // namespace agenttalk
