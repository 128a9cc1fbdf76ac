#include "api/page/answer_shelf.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

namespace agenttalk {
namespace {

using std::chrono::milliseconds;

AnswerShelf::Text TextOf(std::string text) {
  return std::make_shared<const std::string>(std::move(text));
}

class AnswerShelfTest : public testing::Test {
 protected:
  AnswerShelf::Time now_{std::chrono::hours(1)};
  AnswerShelf shelf_;
};

TEST_F(AnswerShelfTest, TellsWhatSomebodyElseWasToldIfItKnowsEnough) {
  shelf_.Keep("summary", "{}", 7, TextOf("seven"), now_);
  EXPECT_EQ(*shelf_.Find("summary", "{}", 6, now_), "seven");
  EXPECT_EQ(*shelf_.Find("summary", "{}", 7, now_), "seven");
  EXPECT_EQ(shelf_.Find("summary", "{}", 8, now_), nullptr) << "event 8 was seen, and it knows nothing of it";
  EXPECT_EQ(shelf_.Find("summary", "{\"plan_id\":\"a\"}", 7, now_), nullptr);
  EXPECT_EQ(shelf_.Find("tasks", "{}", 7, now_), nullptr);
  shelf_.Keep("summary", "{}", 9, TextOf("nine"), now_);
  EXPECT_EQ(*shelf_.Find("summary", "{}", 8, now_), "nine");
}

TEST_F(AnswerShelfTest, ForgetsWhatIsOldOrTooMuch) {
  shelf_.Keep("summary", "{}", 7, TextOf("seven"), now_);
  EXPECT_EQ(shelf_.Find("summary", "{}", 7, now_ + milliseconds(1000)), nullptr);
  shelf_.Keep("log", "{}", 7, TextOf(std::string(std::size_t{5} << 20U, 'x')), now_);
  EXPECT_EQ(shelf_.Find("log", "{}", 7, now_), nullptr) << "larger than all that is kept";
  for (int i = 0; i < 100; ++i) shelf_.Keep("tasks", std::to_string(i), 7, TextOf("t"), now_);
  EXPECT_EQ(shelf_.Find("tasks", "0", 7, now_), nullptr);
  EXPECT_EQ(*shelf_.Find("tasks", "99", 7, now_), "t");
}

TEST_F(AnswerShelfTest, KeepsNothingThatChangesOrWaits) {
  EXPECT_TRUE(AnswerShelf::Holds("summary"));
  EXPECT_FALSE(AnswerShelf::Holds("events"));
  EXPECT_FALSE(AnswerShelf::Holds("answer"));
  EXPECT_FALSE(AnswerShelf::Holds("file"));
}

}  // namespace
}  // namespace agenttalk
