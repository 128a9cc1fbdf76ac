#include "llm/http_provider.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <boost/json/value.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <expected>
#include <filesystem>
#include <fstream>
#include <map>
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
#include "llm/test_server.h"
#include "llm/wire_format.h"
#include "model/model_request.h"

namespace agenttalk {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kText = "Grüße 中文 😀";
constexpr std::size_t kAnswerLimit = std::size_t{4} << 20U;

enum class Vendor : std::uint8_t { kAnthropic, kOpenai, kOllama };

constexpr std::array kVendors = {Vendor::kAnthropic, Vendor::kOpenai, Vendor::kOllama};

std::string WholeBody(Vendor vendor) {
  const std::string text(kText);
  switch (vendor) {
    case Vendor::kAnthropic:
      return R"({"id":"r","type":"message","model":"m","content":[{"type":"text","text":")" + text +
             R"("}],"stop_reason":"end_turn","usage":{"input_tokens":5,"output_tokens":7}})";
    case Vendor::kOpenai:
      return R"({"id":"r","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":")" +
             text + R"("},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":7}})";
    case Vendor::kOllama:
      break;
  }
  return R"({"model":"m","message":{"role":"assistant","content":")" + text +
         R"("},"done":true,"done_reason":"stop","prompt_eval_count":5,"eval_count":7})";
}

// The events of a stream, without their ends.
std::vector<std::string> StreamPieces(Vendor vendor) {
  const std::string text(kText);
  switch (vendor) {
    case Vendor::kAnthropic:
      return {
          "event: message_start\n"
          R"(data: {"type":"message_start","message":{"id":"r","model":"m","usage":{"input_tokens":5,"output_tokens":1}}})",
          "event: content_block_start\n"
          R"(data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}})",
          "event: content_block_delta\n"
          R"(data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":")" +
              text + R"("}})",
          "event: content_block_stop\n"
          R"(data: {"type":"content_block_stop","index":0})",
          "event: message_delta\n"
          R"(data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":7}})",
          "event: message_stop\ndata: {\"type\":\"message_stop\"}"};
    case Vendor::kOpenai:
      return {
          R"(data: {"id":"r","model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""}}]})",
          R"(data: {"id":"r","choices":[{"index":0,"delta":{"content":")" + text + R"("}}]})",
          R"(data: {"id":"r","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})",
          R"(data: {"id":"r","choices":[],"usage":{"prompt_tokens":5,"completion_tokens":7}})",
          "data: [DONE]"};
    case Vendor::kOllama:
      break;
  }
  return {
      R"({"model":"m","message":{"role":"assistant","content":")" + text + R"("},"done":false})",
      R"({"model":"m","message":{"content":""},"done":true,"done_reason":"stop","prompt_eval_count":5,"eval_count":7})"};
}

std::string Replaced(std::string text, std::string_view what, std::string_view with) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
  }
  return text;
}

std::string StreamBody(Vendor vendor, std::string_view line_end = "\n", bool comments = false) {
  std::string body;
  for (const std::string& piece : StreamPieces(vendor)) {
    if (comments) body += vendor == Vendor::kOllama ? "\n" : ": keep-alive\n\n";
    body += piece + (vendor == Vendor::kOllama ? "\n" : "\n\n");
  }
  return Replaced(std::move(body), "\n", line_end);
}

std::string TypeOf(Vendor vendor, bool stream) {
  if (!stream) return "application/json";
  return vendor == Vendor::kOllama ? "application/x-ndjson" : "text/event-stream";
}

std::string Head(const std::string& status, const std::string& type, const std::string& more) {
  return "HTTP/1.1 " + status + "\r\nContent-Type: " + type + "\r\n" + more + "\r\n";
}

Act Write(std::string bytes) {
  return {Act::Kind::kWrite, std::move(bytes), {}};
}

std::string Chunked(std::string_view body, std::size_t size) {
  std::string out;
  for (std::size_t at = 0; at < body.size(); at += size) {
    const std::string_view piece = body.substr(at, size);
    out += fmt::format("{:x}\r\n{}\r\n", piece.size(), piece);
  }
  return out;
}

std::vector<Act> Complete(const std::string& status, const std::string& type, const std::string& body,
                          const std::string& more = {}) {
  return {Write(Head(status, type, more + fmt::format("Content-Length: {}\r\n", body.size())) + body)};
}

// How the server behaves, named by the first part of the path.
class Modes {
 public:
  explicit Modes(const SeenRequest& request)
      : vendor_(request.target.ends_with("/v1/messages")        ? Vendor::kAnthropic
                : request.target.ends_with("/chat/completions") ? Vendor::kOpenai
                                                                : Vendor::kOllama),
        stream_(request.body.find(R"("stream":true)") != std::string::npos),
        type_(TypeOf(vendor_, stream_)),
        body_(stream_ ? StreamBody(vendor_) : WholeBody(vendor_)) {}

  [[nodiscard]] std::vector<Act> Answer(const std::string& mode) const {
    if (mode == "normal") return Complete("200 OK", type_, body_);
    if (mode == "type") return Complete("200 OK", "text/plain; charset=latin1", body_);
    if (mode == "html") return Complete("200 OK", "text/html", "<!DOCTYPE html><html>Welcome</html>");
    if (mode == "truncated") return Complete("200 OK", type_, body_.substr(0, body_.size() * 2 / 3));
    if (mode == "redirect")
      return Complete("302 Found", "text/html", "moved", "Location: /normal/stolen\r\n");
    if (mode == "crlf")
      return Complete("200 OK", type_, stream_ ? StreamBody(vendor_, "\r\n") : body_ + "\r\n");
    if (mode == "comments") {
      return Complete("200 OK", type_, stream_ ? StreamBody(vendor_, "\n", true) : "\n\n" + body_ + "\n");
    }
    if (const auto status = kStatuses.find(mode); status != kStatuses.end()) {
      return Complete(status->second.first, "application/json",
                      R"({"error":{"message":"told","type":"some_error"}})", status->second.second);
    }
    return AnswerOddly(mode);
  }

 private:
  [[nodiscard]] std::vector<Act> AnswerOddly(const std::string& mode) const {
    const std::string open = Head("200 OK", type_, fmt::format("Content-Length: {}\r\n", body_.size()));
    const std::string chunked = Head("200 OK", type_, "Transfer-Encoding: chunked\r\n");
    const std::string half = body_.substr(0, body_.size() / 2);
    if (mode == "chunks") return {Write(chunked + Chunked(body_, 3) + "0\r\n\r\n")};
    if (mode == "stall") return {Write(open + half), {Act::Kind::kHang, {}, {}}};
    if (mode == "silent") return {{Act::Kind::kHang, {}, {}}};
    if (mode == "cut") return {Write(chunked + Chunked(half, 100)), {Act::Kind::kReset, {}, {}}};
    if (mode == "reset_before") return {{Act::Kind::kReset, {}, {}}};
    if (mode == "reset_after")
      return {Write(open), {Act::Kind::kPause, {}, 2ms}, {Act::Kind::kReset, {}, {}}};
    std::vector<Act> acts = {Write(chunked)};
    if (mode == "drip") {
      for (const char byte : body_) {
        acts.push_back(Write(Chunked({&byte, 1}, 1)));
        acts.push_back({Act::Kind::kPause, {}, 20us});
      }
    }
    if (mode == "huge") {
      const std::string filler(1 << 20U, 'x');
      const std::string first = body_.substr(0, body_.find("Gr"));
      acts.push_back(Write(Chunked(first, 1000)));
      for (int i = 0; i < 50; ++i) acts.push_back(Write(Chunked(filler, filler.size())));
    }
    acts.push_back(Write("0\r\n\r\n"));
    return acts;
  }

  static const std::map<std::string, std::pair<std::string, std::string>> kStatuses;

  const Vendor vendor_;
  const bool stream_;
  const std::string type_;
  const std::string body_;
};

const std::map<std::string, std::pair<std::string, std::string>> Modes::kStatuses = {
    {"400", {"400 Bad Request", ""}},
    {"401", {"401 Unauthorized", ""}},
    {"403", {"403 Forbidden", ""}},
    {"404", {"404 Not Found", ""}},
    {"408", {"408 Request Timeout", ""}},
    {"413", {"413 Payload Too Large", ""}},
    {"429", {"429 Too Many Requests", ""}},
    {"429_after", {"429 Too Many Requests", "Retry-After: 2\r\n"}},
    {"500", {"500 Internal Server Error", ""}},
    {"503", {"503 Service Unavailable", ""}},
    {"529", {"529 Overloaded", ""}}};

std::vector<Act> AnswerByMode(const SeenRequest& request) {
  return Modes(request).Answer(request.target.substr(1, request.target.find('/', 1) - 1));
}

// One kind of answer, and what must come of it from every vendor, streaming and not.
struct Expectation {
  std::string mode;
  std::optional<ModelErrorKind> error;  // none: the answer is read
  int status = 0;
  bool retryable = false;
};

const std::vector<Expectation> kTable = {
    {"normal", {}},
    {"drip", {}},
    {"chunks", {}},
    {"crlf", {}},
    {"comments", {}},
    {"type", {}},
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
    auto format = vendor == Vendor::kAnthropic ? MakeAnthropicFormat(wire)
                  : vendor == Vendor::kOpenai  ? MakeOpenaiFormat(wire)
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
        EXPECT_EQ(outcome->text, kText);
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

INSTANTIATE_TEST_SUITE_P(Modes, HttpProviderTable, testing::ValuesIn(kTable),
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
  TestServer proxy([](const SeenRequest& request) { return Modes(request).Answer("normal"); });
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
    if (request.body.find("response_format") == std::string::npos) return Modes(request).Answer("normal");
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
    if (refused == 2) return Modes(request).Answer("normal");
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
