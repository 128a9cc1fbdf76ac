#include "llm/http_provider.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <boost/json/value.hpp>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <expected>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/reactor.h"
#include "base/redact.h"
#include "base/time.h"
#include "base/timer.h"
#include "llm/curl_client.h"
#include "llm/model_provider.h"
#include "llm/odd_answers.h"
#include "llm/test_server.h"
#include "llm/wire_format.h"
#include "model/request/model_request.h"

namespace agenttalk {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kAnswerLimit = std::size_t{4} << 20U;

// One kind of answer, and what must come of it from every vendor, streaming and not.
struct Expectation {
  std::string mode;
  std::optional<ModelErrorKind> error;  // none: the answer is read
  int status = 0;
  bool retryable = false;
  std::string text = std::string(kText);
};

const std::vector<Expectation> kExpectations = {
    {"normal", {}},
    {"drip", {}},
    {"chunks", {}},
    {"crlf", {}},
    {"comments", {}},
    {"type", {}},
    {"halves", {}},
    {"half", {}, 0, false, "Grüße 中文 \uFFFD"},
    {"stall", ModelErrorKind::kTimeout, 0, true},
    {"silent", ModelErrorKind::kTimeout, 0, true},
    {"cut", ModelErrorKind::kDisconnect, 0, true},
    {"reset_before", ModelErrorKind::kDisconnect, 0, true},
    {"reset_after", ModelErrorKind::kDisconnect, 0, true},
    {"html", ModelErrorKind::kBadResponse, 0, false},
    {"huge", ModelErrorKind::kBadResponse, 0, false},
    {"redirect", ModelErrorKind::kStatus, 302, false},
    {"400", ModelErrorKind::kStatus, 400, false},
    {"401", ModelErrorKind::kStatus, 401, false},
    {"403", ModelErrorKind::kStatus, 403, false},
    {"404", ModelErrorKind::kStatus, 404, false},
    {"408", ModelErrorKind::kStatus, 408, true},
    {"413", ModelErrorKind::kStatus, 413, false},
    {"429", ModelErrorKind::kStatus, 429, true},
    {"429_after", ModelErrorKind::kStatus, 429, true},
    {"500", ModelErrorKind::kStatus, 500, true},
    {"503", ModelErrorKind::kStatus, 503, true},
    {"529", ModelErrorKind::kStatus, 529, true},
};

class HttpProviderTest : public testing::Test {
 protected:
  std::unique_ptr<HttpProvider> Provider(Vendor vendor, bool stream, const std::string& base_url,
                                         const std::string& key = "test-key") {
    WireOptions wire;
    wire.base_url = base_url;
    wire.api_key = key;
    wire.model = "m";
    wire.stream = stream;
    HttpProviderOptions options;
    options.timeout = base_url.ends_with("/silent") ? 200ms : 20s;
    options.idle_timeout = base_url.ends_with("/stall") ? 100ms : 20s;
    options.max_answer_bytes = kAnswerLimit;
    auto format = vendor == Vendor::kAnthropic   ? MakeAnthropicFormat(wire)
                  : vendor == Vendor::kOpenai    ? MakeOpenaiFormat(wire)
                  : vendor == Vendor::kResponses ? MakeResponsesFormat(wire)
                                                 : MakeOllamaFormat(wire);
    return std::make_unique<HttpProvider>(client_, std::move(format), options, [] { return Timestamp(); });
  }

  ModelOutcome Ask(ModelProvider& provider, ModelRequest request) {
    std::optional<ModelOutcome> outcome;
    const auto call =
        provider.Ask(std::move(request), [&](ModelReply reply) { outcome = std::move(reply.outcome); });
    const MonotonicTime deadline = reactor_->Now() + 30s;
    while (!outcome && reactor_->Now() < deadline) reactor_->WaitAndStep(1s);
    return outcome.value_or(std::unexpected(ModelError{}));
  }

  static ModelRequest Request() {
    ModelRequest request;
    request.messages.push_back({Role::kUser, "hello", {}, {}, false});
    return request;
  }

  std::unique_ptr<Reactor> reactor_ = std::move(*Reactor::Open());
  CurlClient client_{*reactor_};
};

class HttpProviderTable : public HttpProviderTest, public testing::WithParamInterface<Expectation> {};

TEST_P(HttpProviderTable, EveryVendorStreamingAndNot) {
  const Expectation& expected = GetParam();
  TestServer server(AnswerByMode);
  for (const Vendor vendor : kVendors) {
    for (const bool stream : {true, false}) {
      SCOPED_TRACE(fmt::format("vendor {}, stream {}", static_cast<int>(vendor), stream));
      const auto provider = Provider(vendor, stream, server.url() + "/" + expected.mode);
      const ModelOutcome outcome = Ask(*provider, Request());
      if (!expected.error) {
        ASSERT_TRUE(outcome) << outcome.error().message;
        EXPECT_EQ(outcome->text, expected.text);
        EXPECT_EQ(outcome->usage, (Usage{5, 7, 0, 0}));
        EXPECT_EQ(outcome->stop_reason, StopReason::kEnd);
        continue;
      }
      ASSERT_FALSE(outcome);
      EXPECT_EQ(ToString(outcome.error().kind), ToString(*expected.error)) << outcome.error().message;
      EXPECT_EQ(outcome.error().http_status, expected.status);
      EXPECT_EQ(outcome.error().retryable, expected.retryable);
      EXPECT_FALSE(outcome.error().message.empty());
      const auto after = expected.mode == "429_after" ? std::optional(Duration(2s)) : std::nullopt;
      EXPECT_EQ(outcome.error().retry_after, after);
    }
  }
  if (expected.mode == "huge") {
    EXPECT_LT(server.bytes_written(), 6 * 40U << 20U);
  }
  for (const SeenRequest& seen : server.TakeSeen()) EXPECT_EQ(seen.target.find("stolen"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Modes, HttpProviderTable, testing::ValuesIn(kExpectations),
                         [](const auto& one) { return one.param.mode; });

TEST_F(HttpProviderTest, ATruncatedAnswerMayBeAskedForAgain) {
  TestServer server(AnswerByMode);
  for (const Vendor vendor : kVendors) {
    for (const bool stream : {true, false}) {
      const ModelOutcome outcome = Ask(*Provider(vendor, stream, server.url() + "/truncated"), Request());
      ASSERT_FALSE(outcome);
      EXPECT_TRUE(outcome.error().retryable);
      const bool is_one_object = !stream && vendor != Vendor::kOllama;
      EXPECT_EQ(outcome.error().kind,
                is_one_object ? ModelErrorKind::kBadResponse : ModelErrorKind::kDisconnect);
    }
  }
}

TEST_F(HttpProviderTest, NobodyThereIsABrokenConnection) {
  std::string url;
  {
    const TestServer gone(AnswerByMode);
    url = gone.url();
  }
  const ModelOutcome outcome = Ask(*Provider(Vendor::kOpenai, true, url), Request());
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().kind, ModelErrorKind::kDisconnect);
  EXPECT_TRUE(outcome.error().retryable);
}

TEST_F(HttpProviderTest, RefusesACertificateThatNobodyTrusts) {
  const TestCertificate certificate = TestCertificate::Make();
  TestServer server(AnswerByMode, &certificate);
  const ModelOutcome outcome =
      Ask(*Provider(Vendor::kAnthropic, true, server.url("https") + "/normal"), Request());
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().kind, ModelErrorKind::kUnavailable);
  EXPECT_FALSE(outcome.error().retryable);
  EXPECT_TRUE(server.TakeSeen().empty());
}

TEST_F(HttpProviderTest, TrustsTheCertificatesOfSslCertFile) {
  const TestCertificate certificate = TestCertificate::Make();
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / fmt::format("agenttalk-test-{}.pem", ::getpid());
  std::ofstream(file) << certificate.certificate;
  ::setenv("SSL_CERT_FILE", file.c_str(), 1);
  CurlClient client(*reactor_);
  ::unsetenv("SSL_CERT_FILE");
  TestServer server(AnswerByMode, &certificate);
  WireOptions wire;
  wire.base_url = server.url("https") + "/normal";
  HttpProvider provider(client, MakeOpenaiFormat(wire), {}, [] { return Timestamp(); });
  const ModelOutcome outcome = Ask(provider, Request());
  std::filesystem::remove(file);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->text, kText);
}

TEST_F(HttpProviderTest, GoesThroughAProxyButNotForThisMachine) {
  TestServer proxy([](const SeenRequest& request) { return AnswerModes(request).Answer("normal"); });
  TestServer server(AnswerByMode);
  ::setenv("http_proxy", proxy.url().c_str(), 1);
  CurlClient client(*reactor_);
  const auto ask = [&](const std::string& base_url) {
    WireOptions wire;
    wire.base_url = base_url;
    HttpProvider provider(client, MakeOpenaiFormat(wire), {}, [] { return Timestamp(); });
    return Ask(provider, Request()).has_value();
  };
  EXPECT_TRUE(ask("http://models.invalid/v1"));
  EXPECT_TRUE(ask(server.url() + "/normal"));
  ::unsetenv("http_proxy");
  const std::vector<SeenRequest> seen = proxy.TakeSeen();
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen[0].target, "http://models.invalid/v1/chat/completions");
  EXPECT_EQ(server.TakeSeen().size(), 1U);
}

TEST_F(HttpProviderTest, TakesAProxyInCapitalsToo) {
  TestServer proxy([](const SeenRequest& request) { return AnswerModes(request).Answer("normal"); });
  ::setenv("HTTP_PROXY", proxy.url().c_str(), 1);
  CurlClient client(*reactor_);
  ::unsetenv("HTTP_PROXY");
  WireOptions wire;
  wire.base_url = "http://models.invalid/v1";
  HttpProvider provider(client, MakeOpenaiFormat(wire), {}, [] { return Timestamp(); });
  EXPECT_TRUE(Ask(provider, Request()));
  EXPECT_EQ(proxy.TakeSeen().size(), 1U);
}

TEST_F(HttpProviderTest, TrustsTheCertificatesThatAProviderNames) {
  const TestCertificate certificate = TestCertificate::Make();
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / fmt::format("agenttalk-test-ca-{}.pem", ::getpid());
  std::ofstream(file) << certificate.certificate;
  TestServer server(AnswerByMode, &certificate);
  WireOptions wire;
  wire.base_url = server.url("https") + "/normal";
  HttpProviderOptions options;
  const auto ask = [&] {
    HttpProvider provider(client_, MakeOpenaiFormat(wire), options, [] { return Timestamp(); });
    return Ask(provider, Request());
  };
  const ModelOutcome untrusted = ask();
  ASSERT_FALSE(untrusted);
  EXPECT_NE(untrusted.error().message.find("SSL_CERT_FILE"), std::string::npos) << untrusted.error().message;
  options.ca_file = file.string();
  const ModelOutcome outcome = ask();
  std::filesystem::remove(file);
  EXPECT_TRUE(outcome) << outcome.error().message;
}

TEST_F(HttpProviderTest, ServersThatWantTheNewNameOfTheLimitGetIt) {
  TestServer server([](const SeenRequest& request) {
    if (request.body.find(R"("max_tokens":)") == std::string::npos)
      return AnswerModes(request).Answer("normal");
    return Complete(
        "400 Bad Request", "application/json",
        R"({"error":{"message":"Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."}})");
  });
  const auto provider = Provider(Vendor::kOpenai, true, server.url() + "/normal");
  ModelRequest request = Request();
  request.parameters.max_tokens = 77;
  EXPECT_TRUE(Ask(*provider, request));
  EXPECT_TRUE(Ask(*provider, request));
  const std::vector<SeenRequest> seen = server.TakeSeen();
  ASSERT_EQ(seen.size(), 3U) << "the second call knew already";
  EXPECT_NE(seen[2].body.find(R"("max_completion_tokens":77)"), std::string::npos) << seen[2].body;
}

TEST_F(HttpProviderTest, ACancelledCallIsNotHeardOfAgain) {
  TestServer server(AnswerByMode);
  const auto provider = Provider(Vendor::kOpenai, true, server.url() + "/silent");
  bool called = false;
  auto call = provider->Ask(Request(), [&](const ModelReply&) { called = true; });
  while (server.TakeSeen().empty()) reactor_->WaitAndStep(1ms);
  call.reset();
  for (int i = 0; i < 10; ++i) reactor_->WaitAndStep(1ms);
  EXPECT_FALSE(called);
}

TEST_F(HttpProviderTest, AsksWithoutASchemaWhereTheServerRefusesIt) {
  TestServer server([](const SeenRequest& request) {
    if (request.body.find("response_format") == std::string::npos)
      return AnswerModes(request).Answer("normal");
    return Complete("400 Bad Request", "application/json", R"({"error":"unsupported response_format"})");
  });
  const auto provider = Provider(Vendor::kOpenai, true, server.url() + "/normal");
  ModelRequest request = Request();
  request.answer_schema = R"({"type":"object"})";
  EXPECT_TRUE(Ask(*provider, request));
  EXPECT_TRUE(Ask(*provider, request));
  // The second call knew already.
  EXPECT_EQ(server.TakeSeen().size(), 3U);
}

TEST_F(HttpProviderTest, ARefusalForAnotherReasonLeavesTheSchemaInUse) {
  int refused = 0;
  TestServer server([&](const SeenRequest& request) {
    if (refused == 2) return AnswerModes(request).Answer("normal");
    ++refused;
    return Complete("400 Bad Request", "application/json", R"({"error":"tools.0: invalid input_schema"})");
  });
  const auto provider = Provider(Vendor::kOllama, true, server.url() + "/normal");
  ModelRequest request = Request();
  request.answer_schema = R"({"type":"object"})";
  EXPECT_FALSE(Ask(*provider, request)) << "with the schema and without it";
  EXPECT_TRUE(Ask(*provider, request));
  const std::vector<SeenRequest> seen = server.TakeSeen();
  ASSERT_EQ(seen.size(), 3U);
  EXPECT_NE(seen[2].body.find("\"format\""), std::string::npos);
}

TEST_F(HttpProviderTest, TheKeyGoesToTheServerAndNowhereElse) {
  const std::string key = "canary-http-provider";
  ProcessRedactor().AddSecret(key);
  TestServer server([&](const SeenRequest& request) {
    return Complete("401 Unauthorized", "application/json",
                    R"({"error":"wrong key: )" + request.Header("x-api-key") + "\"}");
  });
  const ModelOutcome outcome = Ask(*Provider(Vendor::kAnthropic, true, server.url(), key), Request());
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().message.find(key), std::string::npos) << outcome.error().message;
  const std::vector<SeenRequest> seen = server.TakeSeen();
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen[0].Header("x-api-key"), key);
  EXPECT_EQ(seen[0].body.find(key), std::string::npos);
}

}  // namespace
}  // namespace agenttalk
