#include "llm/model_list.h"

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <chrono>
#include <cstddef>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/reactor.h"
#include "base/time.h"
#include "base/timer.h"
#include "llm/endpoint.h"
#include "llm/http_client.h"
#include "llm/model_errors.h"
#include "llm/wire_format.h"

namespace agenttalk {
namespace {

constexpr std::size_t kLongestList = std::size_t{1} << 20U;

// A request that asks nothing: whoever knows the address says what is wrong with it.
WireCall Nothing(const WireFormat& format) {
  WireCall call = format.Encode({}, {});
  call.body = "{}";
  return call;
}

class Question final : public HttpListener {
 public:
  Question(HttpClient& http, const Endpoint& endpoint, Duration timeout, bool knock)
      : format_(MakeFormat(endpoint)), timeout_(timeout) {
    call_ =
        http.Send({knock ? Nothing(*format_) : format_->ListModels(), timeout, {}, endpoint.ca_file}, *this);
  }

  std::optional<ModelList> answer;
  [[nodiscard]] int status() const { return status_; }

 private:
  void OnHead(int status, const HttpHeaders& headers) override {
    status_ = status;
    headers_ = headers;
  }
  bool OnBody(std::string_view bytes) override {
    body_ += bytes.substr(0, kLongestList - std::min(body_.size(), kLongestList));
    return body_.size() < kLongestList;
  }
  void OnEnd(const HttpEnd& end) override { answer = Read(end); }

  [[nodiscard]] ModelList Read(const HttpEnd& end) const {
    if (end.failure == HttpFailure::kTimeout) return std::unexpected(TimedOut(timeout_, "no answer"));
    if (end.failure == HttpFailure::kUnusable) return std::unexpected(Unavailable(end.message));
    if (end.failure != HttpFailure::kNone) return std::unexpected(CutOff(end.message));
    if (status_ != 200) return std::unexpected(ReadRefusal(status_, headers_, body_, Timestamp()));
    const auto value = ParseJson(body_, {.max_bytes = kLongestList});
    if (!value || !value->is_object()) return std::unexpected(BadResponse("the list of models is not JSON"));
    return format_->ReadModels(value->get_object());
  }

  const std::unique_ptr<WireFormat> format_;
  const Duration timeout_;
  int status_ = 0;
  HttpHeaders headers_;
  std::string body_;
  std::unique_ptr<HttpCall> call_;
};

using Questions = std::vector<std::unique_ptr<Question>>;

Questions AskAll(Reactor& reactor, HttpClient& http, const std::vector<Endpoint>& endpoints, Duration timeout,
                 bool knock) {
  constexpr Duration kGrace = std::chrono::seconds(1);
  Questions questions;
  questions.reserve(endpoints.size());
  for (const Endpoint& endpoint : endpoints) {
    questions.push_back(std::make_unique<Question>(http, endpoint, timeout, knock));
  }
  const MonotonicTime deadline = reactor.Now() + timeout + kGrace;
  const auto open = [&] {
    return std::ranges::any_of(questions, [](const auto& question) { return !question->answer; });
  };
  while (open() && reactor.Now() < deadline) reactor.WaitAndStep(deadline - reactor.Now());
  return questions;
}

}  // namespace

std::vector<ModelList> ListModels(Reactor& reactor, HttpClient& http, const std::vector<Endpoint>& endpoints,
                                  Duration timeout) {
  std::vector<ModelList> lists;
  for (const auto& question : AskAll(reactor, http, endpoints, timeout, false)) {
    lists.push_back(question->answer.value_or(std::unexpected(TimedOut(timeout, "no answer"))));
  }
  return lists;
}

std::vector<bool> KnowQuestions(Reactor& reactor, HttpClient& http, const std::vector<Endpoint>& endpoints,
                                Duration timeout) {
  std::vector<bool> known;
  for (const auto& question : AskAll(reactor, http, endpoints, timeout, true)) {
    known.push_back(question->status() != 0 && question->status() != 404 && question->status() != 405);
  }
  return known;
}

}  // namespace agenttalk
