#include "cli/live/question_prompt.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <string>
#include <vector>

#include "cli/text/text_width.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

json::object Question(const std::string& kind, const std::string& text, bool decides) {
  return {{"id", "q_7"},
          {"plan_id", "plan_p"},
          {"kind", kind},
          {"text", text},
          {"choices", decides ? json::array{"approve", "reject"} : json::array{}}};
}

TEST(QuestionPrompt, ReadsDecisions) {
  const json::object question = Question("approve", "ok?", true);
  EXPECT_EQ(ReadAnswerLine(question, "a\r\n")->at("decision"), "approve");
  EXPECT_EQ(ReadAnswerLine(question, " yes ")->at("decision"), "approve");
  const auto rejected = ReadAnswerLine(question, "reject: too short");
  EXPECT_EQ(rejected->at("decision"), "reject");
  EXPECT_EQ(rejected->at("text"), "too short");
  EXPECT_FALSE(ReadAnswerLine(question, "").has_value());
  EXPECT_FALSE(ReadAnswerLine(question, "approved by nobody").has_value());
}

TEST(QuestionPrompt, TakesAnyTextWhereNothingIsDecided) {
  EXPECT_EQ(ReadAnswerLine(Question("ask", "who?", false), "a")->at("text"), "a");
  EXPECT_FALSE(ReadAnswerLine(Question("ask", "who?", false), "  \n").has_value());
}

TEST(QuestionPrompt, AlertsAndOtherPlansAreNotAsked) {
  json::object other = Question("ask", "x", false);
  other["plan_id"] = "plan_q";
  const json::array questions = {Question("alert", "x", false), other, Question("confirm", "x", true)};
  const json::object* first = FirstQuestion(questions, "plan_p");
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->at("kind"), "confirm");
  EXPECT_EQ(FirstQuestion({}, "plan_p"), nullptr);
}

TEST(QuestionPrompt, WrapsTextsAndDropsWhatSteersATerminal) {
  const json::object question = Question(
      "approve", "word word word word word word\n\x1b[2Jgone 这是一个很长很长很长很长的中文问题", true);
  for (const std::string& line : QuestionLines(question, 24, false)) {
    EXPECT_EQ(line.find('\x1b'), std::string::npos);
    EXPECT_LE(DisplayWidth(line), 40U) << line;
  }
  EXPECT_EQ(QuestionLines(question, 24, false).front(), "q_7 approve");
}

}  // namespace
}  // namespace agenttalk
