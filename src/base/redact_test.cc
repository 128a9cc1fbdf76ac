#include "base/redact.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace agenttalk {
namespace {

std::string Redacted(std::string_view text) {
  return Redactor().Redact(text);
}

TEST(Redactor, RecognisesSecretsByTheirShape) {
  EXPECT_EQ(Redacted("key sk-" + std::string(16, 'x') + "_9!"), "key [redacted]!");
  EXPECT_EQ(Redacted("id AKIAIOSFODNN7EXAMPLE."), "id [redacted].");
  EXPECT_EQ(Redacted("Authorization: Bearer abc.def-ghi_jkl/mno=="), "Authorization: Bearer [redacted]");
  EXPECT_EQ(Redacted("X-Api-Key: 0123456789abcdef\r\n"), "X-Api-Key: [redacted]\r\n");
  EXPECT_EQ(Redacted(R"({"x-api-key":"0123456789abcdef"})"), R"({"x-api-key":"[redacted]"})");
  EXPECT_EQ(Redacted("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
            "aws_secret_access_key = [redacted]");
  EXPECT_EQ(Redacted("api_key='0123456789'"), "api_key='[redacted]'");
}

TEST(Redactor, LeavesOrdinaryWordsAlone) {
  for (const std::string_view text :
       {"", "task-001-of-the-longest-plan", "ask-me-anything-you-want-to", "sk-short", "the bearer of news",
        "x-api-key", "api_key: none", "AKIASHORT", "an ordinary sentence, 你好", "cmd_task_001_001.json"}) {
    EXPECT_EQ(Redacted(text), text);
  }
}

TEST(Redactor, RemovesEveryOccurrenceOfARegisteredValue) {
  Redactor redactor;
  redactor.AddSecret("hunter2hunter2");
  redactor.AddSecret("hunter2");
  redactor.AddSecret("two words");
  EXPECT_EQ(redactor.Redact("a hunter2hunter2 b hunter2 c two words"),
            "a [redacted] b [redacted] c [redacted]");
  EXPECT_EQ(redactor.Redact("xhunter2x"), "x[redacted]x");
}

TEST(Redactor, CoversOverlappingSecretsWhole) {
  Redactor redactor;
  redactor.AddSecret("abcdefgh");
  redactor.AddSecret("efghijkl");
  redactor.AddSecret("cdefgh");
  EXPECT_EQ(redactor.Redact("<abcdefghijkl>"), "<[redacted]>");
  EXPECT_EQ(redactor.Redact("<xxcdefghij>"), "<xx[redacted]ij>");
}

TEST(Redactor, DoesNotTakeValuesThatAreOrdinaryWords) {
  Redactor redactor;
  redactor.AddSecret("");
  redactor.AddSecret("local");
  EXPECT_EQ(redactor.Redact("a local model"), "a local model");
}

TEST(Redactor, IsLinearOnHostileText) {
  Redactor redactor;
  redactor.AddSecret(std::string(200, 'a') + "b");
  EXPECT_EQ(redactor.Redact(std::string(1000000, 'a')).size(), 1000000U);
  std::string text;
  for (int i = 0; i < 200000; ++i) text += "sk-a bearer ";
  EXPECT_EQ(redactor.Redact(text), text);
  text.clear();
  for (int i = 0; i < 200000; ++i) text += "sk-";
  EXPECT_EQ(redactor.Redact(text), "[redacted]");
}

TEST(Redactor, OfTheProcessKnowsASecretEverywhere) {
  ProcessRedactor().AddSecret("a-secret-of-this-test");
  EXPECT_EQ(Redact("[a-secret-of-this-test]"), "[[redacted]]");
}

}  // namespace
}  // namespace agenttalk
