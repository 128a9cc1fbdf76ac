#include "llm/http_provider.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/time.h"
#include "llm/http_client.h"
#include "llm/model_errors.h"
#include "llm/model_provider.h"
#include "llm/wire_format.h"
#include "model/request/model_request.h"

namespace agenttalk {
namespace {

constexpr std::size_t kLongestRefusal = 64 * 1024;

Duration Shorter(Duration a, Duration b) {
  if (a <= Duration{}) return b;
  return b <= Duration{} ? a : std::min(a, b);
}

// A refusal that may be about the answer's schema and not about the question.
bool MayBeAboutSchema(int status, std::string_view body) {
  if (status != 400 && status != 422 && status != 501) return false;
  return std::ranges::any_of(
      std::array<std::string_view, 6>{"format", "schema", "Schema", "output_config", "structured", "grammar"},
      [&](std::string_view word) { return body.find(word) != std::string_view::npos; });
}

// The request in another way, where a refusal says or suggests one.
std::optional<Concessions> Concede(int status, std::string_view body, bool with_schema, bool with_limit,
                                   Concessions now) {
  if (status == 400 && with_limit && !now.completion_tokens &&
      body.find("max_completion_tokens") != std::string_view::npos) {
    now.completion_tokens = true;
    return now;
  }
  if (!with_schema || now.no_schema || !MayBeAboutSchema(status, body)) return std::nullopt;
  now.no_schema = true;
  return now;
}

}  // namespace

class HttpProvider::Call final : public ModelCall, private HttpListener {
 public:
  Call(HttpProvider& provider, ModelRequest request, Done done)
      : provider_(provider), request_(std::move(request)), done_(std::move(done)) {
    Send(provider_.concessions_);
  }

 private:
  void Send(const Concessions& concessions) {
    concessions_ = concessions;
    status_ = 0;
    refusal_.clear();
    reader_.emplace(*provider_.format_, provider_.options_.max_answer_bytes);
    timeout_ = Shorter(request_.timeout, provider_.options_.timeout);
    HttpRequest http{provider_.format_->Encode(request_, concessions_), timeout_,
                     provider_.options_.idle_timeout, provider_.options_.ca_file};
    with_limit_ = http.call.body.find("\"max_tokens\":") != std::string::npos;
    exchange_ = provider_.client_.Send(std::move(http), *this);
  }

  void OnHead(int status, const HttpHeaders& headers) override {
    status_ = status;
    headers_ = headers;
  }

  bool OnBody(std::string_view bytes) override {
    if (IsRefusal()) {
      refusal_ += bytes.substr(0, kLongestRefusal - std::min(refusal_.size(), kLongestRefusal));
      return refusal_.size() < kLongestRefusal;
    }
    reader_->Feed(bytes);
    // After an error nothing more is wanted; after the end of an answer only the end of the connection.
    return !reader_->failed();
  }

  void OnEnd(const HttpEnd& end) override {
    const bool with_schema = !request_.answer_schema.empty();
    const auto other = IsRefusal() ? Concede(status_, refusal_, with_schema, with_limit_, concessions_)
                                   : std::optional<Concessions>();
    if (other) {
      Send(*other);
      return;
    }
    // Had it been refused for another reason, it would have been refused again.
    if (status_ != 0 && !IsRefusal()) provider_.Remember(concessions_);
    ModelReply reply{Outcome(end), {}, {}};
    if (status_ != 0) reply.rate = ReadRateHint(headers_, provider_.now_());
    reply.streamed = reader_->streams();
    if (reply.outcome && reply.outcome->provider_request_id.empty()) {
      if (const std::string* id = FindHeader(headers_, "x-request-id"))
        reply.outcome->provider_request_id = *id;
    }
    // The callback destroys this object.
    const Done done = std::move(done_);
    done(std::move(reply));
  }

  [[nodiscard]] bool IsRefusal() const { return status_ != 0 && (status_ < 200 || status_ > 299); }

  ModelOutcome Outcome(const HttpEnd& end) {
    if (IsRefusal()) return std::unexpected(Refusal());
    if (end.failure == HttpFailure::kNone || end.failure == HttpFailure::kStopped || reader_->complete()) {
      return reader_->Finish();
    }
    switch (end.failure) {
      case HttpFailure::kUnusable:
        return std::unexpected(Unavailable(end.message));
      case HttpFailure::kTimeout:
        return std::unexpected(TimedOut(timeout_, "no complete answer"));
      case HttpFailure::kIdle:
        return std::unexpected(
            TimedOut(provider_.options_.idle_timeout, "the answer stalled: no further byte"));
      case HttpFailure::kNotReached:
        return std::unexpected(CutOff("the server was not reached: " + end.message));
      case HttpFailure::kNone:
      case HttpFailure::kCut:
      case HttpFailure::kStopped:
        break;
    }
    return std::unexpected(CutOff("the connection broke: " + end.message));
  }

  [[nodiscard]] ModelError Refusal() const {
    ModelError error = ReadRefusal(status_, headers_, refusal_, provider_.now_());
    if (status_ == 401 && !provider_.options_.key_hint.empty()) {
      error.message += fmt::format(" ({})", provider_.options_.key_hint);
    }
    return error;
  }

  HttpProvider& provider_;
  const ModelRequest request_;
  Done done_;
  Concessions concessions_;
  bool with_limit_ = false;
  int status_ = 0;
  HttpHeaders headers_;
  std::string refusal_;
  Duration timeout_{};
  std::optional<AnswerReader> reader_;
  std::unique_ptr<HttpCall> exchange_;
};

HttpProvider::HttpProvider(HttpClient& client, std::unique_ptr<WireFormat> format,
                           HttpProviderOptions options, Now now)
    : client_(client), format_(std::move(format)), options_(std::move(options)), now_(std::move(now)) {}

void HttpProvider::Remember(const Concessions& made) {
  concessions_.no_schema = concessions_.no_schema || made.no_schema;
  concessions_.completion_tokens = concessions_.completion_tokens || made.completion_tokens;
}

std::unique_ptr<ModelCall> HttpProvider::Ask(ModelRequest request, Done done) {
  return std::make_unique<Call>(*this, std::move(request), std::move(done));
}

}  // namespace agenttalk
