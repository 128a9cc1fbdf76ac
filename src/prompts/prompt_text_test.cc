#include <gtest/gtest.h>

#include <string_view>

#include "prompts/composer.h"

namespace agenttalk {
namespace {

TEST(PromptText, TellsTextFromBinary) {
  EXPECT_TRUE(IsPromptText(""));
  EXPECT_TRUE(IsPromptText("Zeile\r\n\t日本"));
  EXPECT_FALSE(IsPromptText(std::string_view("a\0b", 3)));
  EXPECT_FALSE(IsPromptText("\x1b[2J"));
  EXPECT_FALSE(IsPromptText("\xff\xfe"));
}

}  // namespace
}  // namespace agenttalk
