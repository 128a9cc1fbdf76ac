#include "cli/text/text_width.h"

#include <gtest/gtest.h>

#include "cli/console.h"

namespace agenttalk {
namespace {

TEST(TextWidth, ChineseTakesTwoColumns) {
  EXPECT_EQ(DisplayWidth("abc"), 3U);
  EXPECT_EQ(DisplayWidth("周报"), 4U);
  EXPECT_EQ(DisplayWidth("（周报）"), 8U);
  EXPECT_EQ(DisplayWidth("ｆｕｌｌ"), 8U);
  EXPECT_EQ(DisplayWidth("한국"), 4U);
  EXPECT_EQ(DisplayWidth("→ é ü"), 5U);
}

TEST(TextWidth, ColoursAndCombiningMarksTakeNone) {
  EXPECT_EQ(DisplayWidth(Styled("done", Style::kGreen, true)), 4U);
  EXPECT_EQ(DisplayWidth("e\xCC\x81"), 1U);
}

TEST(TextWidth, BrokenUtf8IsCountedByteByByte) {
  EXPECT_EQ(DisplayWidth("a\xFF\xFE"), 3U);
}

TEST(TextWidth, ClippingNeverCutsACharacterInTwo) {
  EXPECT_EQ(Clipped("周报", 4), "周报");
  EXPECT_EQ(Clipped("周报告", 5), "周报…");
  EXPECT_EQ(Clipped("周报告", 4), "周…");
  EXPECT_EQ(DisplayWidth(Clipped("一二三四五", 8)), 7U);
  EXPECT_EQ(Clipped("abc", 0), "");
}

TEST(TextWidth, ClippedColoursAreSwitchedOff) {
  EXPECT_EQ(Clipped(Styled("long text", Style::kRed, true), 5),
            TerminalControl("31m") + "long" + TerminalControl("0m") + "…");
}

TEST(TextWidth, PaddingGoesByColumns) {
  EXPECT_EQ(Padded("周", 4), "周  ");
  EXPECT_EQ(Padded("abcde", 4), "abcde");
}

}  // namespace
}  // namespace agenttalk
