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

// One real-looking secret of each form; none of them is or was valid. Put together here, so that no scanner
// takes this file for a leak.
TEST(Redactor, KnowsTheFormsOfTheCorpus) {
  const std::string letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  const auto some = [&](std::size_t count) { return letters.substr(0, count); };
  const std::string upper = "ABCDEFGHIJKLMNOP";
  const std::string corpus[] = {"sk-" + some(48),
                                "sk-ant-api03-" + some(60),
                                "sk-proj-" + some(60),
                                "sk-or-v1-" + some(60),
                                "sk_live_" + some(24),
                                "sk_test_" + some(24),
                                "rk_live_" + some(24),
                                "whsec_" + some(32),
                                "ghp_" + some(36),
                                "gho_" + some(36),
                                "ghu_" + some(36),
                                "ghs_" + some(36),
                                "ghr_" + some(36),
                                "github_pat_" + some(22) + "_" + some(59),
                                "glpat-" + some(20),
                                "gldt-" + some(20),
                                "glrt-" + some(20),
                                "xoxb-123456789012-123456789012-" + some(24),
                                "xoxp-123456789012-" + some(24),
                                "xapp-1-A0-" + some(24),
                                "AKIA" + upper,
                                "ASIA" + upper,
                                "AIza" + some(35),
                                "ya29." + some(60),
                                "GOCSPX-" + some(28),
                                "npm_" + some(36),
                                "pypi-" + some(60),
                                "hf_" + some(34),
                                "dop_v1_" + some(62),
                                "SG." + some(22) + "." + some(43),
                                "shpat_" + some(32),
                                "hvs." + some(24),
                                "eyJ" + some(20) + ".eyJ" + some(30) + "." + some(43)};
  for (const std::string& secret : corpus) {
    EXPECT_EQ(Redacted("it is " + secret + ", keep it"), "it is [redacted], keep it") << secret;
    EXPECT_EQ(Redacted("{\"a\":\"" + secret + "\"}"), "{\"a\":\"[redacted]\"}") << secret;
  }
  const std::string body = "MIIEow" + some(60) + "\n" + some(60) + "\n";
  for (const std::string kind : {"", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "}) {
    const std::string head = "-----BEGIN " + kind + "PRIVATE KEY-----\n";
    EXPECT_EQ(Redacted("a " + head + body + "-----END " + kind + "PRIVATE KEY----- b"), "a [redacted] b");
    EXPECT_EQ(Redacted("a " + head + body), "a [redacted]");
  }
}

TEST(Redactor, KnowsPasswordsInAddressesAndSettings) {
  EXPECT_EQ(Redacted("postgres://user:hunter2@db/x"), "postgres://user:[redacted]@db/x");
  EXPECT_EQ(Redacted("https://user:p@ss@host/v1"), "https://user:[redacted]@host/v1");
  EXPECT_EQ(Redacted("https://host/v1?key=0123456789&x=1"), "https://host/v1?key=[redacted]&x=1");
  EXPECT_EQ(Redacted("https://host/?a=b&access_token=0123456789"),
            "https://host/?a=b&access_token=[redacted]");
  EXPECT_EQ(Redacted("password: hunter2hunter2"), "password: [redacted]");
  EXPECT_EQ(Redacted("PGPASSWORD=hunter2hunter2 psql"), "PGPASSWORD=[redacted] psql");
  EXPECT_EQ(Redacted("\"client_secret\": \"a1b2c3d4e5\""), "\"client_secret\": \"[redacted]\"");
  EXPECT_EQ(Redacted("AccountKey=abcd1234efgh5678=="), "AccountKey=[redacted]");
  for (const std::string_view text :
       {"password: required", "the secret of success", "a token: 5", "http://host:8080/path",
        "see http://a.b/c@d", "secret: nothing at all", "user@example.com", "?key=short", "eyJ.a.b",
        "-----BEGIN CERTIFICATE-----"}) {
    EXPECT_EQ(Redacted(text), text);
  }
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
