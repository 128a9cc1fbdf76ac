#include "llm/model_errors.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "base/redact.h"
#include "base/time.h"
#include "model/request/model_request.h"

namespace agenttalk {
namespace {

using namespace std::chrono_literals;

const Timestamp kNow = *ParseRfc3339("2026-11-15T12:00:00Z");

ModelError Refused(int status, const HttpHeaders& headers = {}, const std::string& body = "{}") {
  return ReadRefusal(status, headers, body, kNow);
}

TEST(ModelErrors, KnowWhichRefusalsMayPass) {
  for (const int status : {408, 409, 429, 500, 502, 503, 529})
    EXPECT_TRUE(Refused(status).retryable) << status;
  for (const int status : {301, 400, 401, 403, 404, 413, 422})
    EXPECT_FALSE(Refused(status).retryable) << status;
  EXPECT_FALSE(Refused(500, {{"x-should-retry", "false"}}).retryable);
  EXPECT_TRUE(Refused(400, {{"x-should-retry", "true"}}).retryable);
  EXPECT_FALSE(Refused(429, {}, R"({"error":{"code":"insufficient_quota","message":"pay"}})").retryable);
}

TEST(ModelErrors, ReadWhenToTryAgain) {
  const auto after = [](const HttpHeaders& headers) { return Refused(429, headers).retry_after; };
  EXPECT_EQ(after({}), std::nullopt);
  EXPECT_EQ(after({{"retry-after", "2"}}), Duration(2s));
  EXPECT_EQ(after({{"retry-after", "1.5"}}), Duration(1500ms));
  EXPECT_EQ(after({{"retry-after", "2"}, {"retry-after-ms", "70"}}), Duration(70ms));
  EXPECT_EQ(after({{"retry-after", "Sun, 15 Nov 2026 12:00:30 GMT"}}), Duration(30s));
  EXPECT_EQ(after({{"retry-after", "Sun, 15 Nov 2026 11:00:00 GMT"}}), Duration(0s));
  EXPECT_EQ(after({{"retry-after", "soon"}}), std::nullopt);
  EXPECT_EQ(after({{"retry-after", "1e300"}}), Duration(1h));
  EXPECT_EQ(after({{"retry-after", "-4"}}), std::nullopt);
}

TEST(ModelErrors, QuoteWhatTheServerSaid) {
  EXPECT_EQ(
      Refused(400, {}, R"({"error":{"message":"no such field","type":"invalid_request_error"}})").message,
      "HTTP 400 invalid_request_error: no such field");
  EXPECT_EQ(Refused(400, {}, R"({"type":"error","error":{"type":"t","message":"m"}})").message,
            "HTTP 400 t: m");
  EXPECT_EQ(Refused(404, {}, R"({"error":"model 'x' not found"})").message,
            "HTTP 404: model 'x' not found; check base_url and model");
  EXPECT_EQ(Refused(422, {}, R"({"detail":"bad"})").message, "HTTP 422: bad");
  EXPECT_EQ(Refused(503, {}, "<html>no</html>").message, "HTTP 503: (a web page)");
  EXPECT_EQ(Refused(500, {}, "plain\nwords").message, "HTTP 500: plain words");
  EXPECT_LT(Refused(500, {}, std::string(100'000, 'x')).message.size(), 1000U);
}

TEST(ModelErrors, NeverSpeakAKey) {
  ProcessRedactor().AddSecret("zz-model-errors-canary");
  EXPECT_EQ(Refused(401, {}, R"({"error":"bad key zz-model-errors-canary"})").message,
            "HTTP 401: bad key [redacted]; check the key");
  EXPECT_EQ(CutOff("zz-model-errors-canary").message, "[redacted]");
}

TEST(ModelErrors, ReadHowMuchIsLeft) {
  const auto wait = [](const HttpHeaders& headers) { return ReadRateHint(headers, kNow).wait; };
  EXPECT_EQ(wait({{"x-ratelimit-remaining-requests", "3"}, {"x-ratelimit-reset-requests", "6m0s"}}),
            std::nullopt);
  EXPECT_EQ(wait({{"x-ratelimit-remaining-requests", "0"}, {"x-ratelimit-reset-requests", "6m0s"}}),
            Duration(6min));
  EXPECT_EQ(wait({{"x-ratelimit-remaining-tokens", "0"}, {"x-ratelimit-reset-tokens", "1s20ms"}}),
            Duration(1020ms));
  EXPECT_EQ(wait({{"anthropic-ratelimit-requests-remaining", "0"},
                  {"anthropic-ratelimit-requests-reset", "2026-11-15T12:00:07Z"}}),
            Duration(7s));
  EXPECT_EQ(wait({{"x-ratelimit-remaining-requests", "0"}, {"x-ratelimit-reset-requests", "later"}}),
            std::nullopt);
}

TEST(ModelErrors, KnowTheErrorsInsideAStream) {
  EXPECT_EQ(ReadInnerError("overloaded_error", "m").http_status, 529);
  EXPECT_TRUE(ReadInnerError("rate_limit_error", "m").retryable);
  EXPECT_FALSE(ReadInnerError("invalid_request_error", "m").retryable);
  EXPECT_EQ(ReadInnerError("502", "m").http_status, 502);
  EXPECT_TRUE(ReadInnerError("never_heard_of", "m").retryable);
}

}  // namespace
}  // namespace agenttalk
