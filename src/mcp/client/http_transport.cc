#include "mcp/client/http_transport.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/redact.h"
#include "base/time.h"
#include "base/timer.h"
#include "base/utf8.h"
#include "llm/http_client.h"
#include "llm/model_errors.h"
#include "llm/sse_parser.h"
#include "mcp/client/transport.h"
#include "mcp/message.h"

namespace agenttalk::mcp {
namespace {

constexpr std::size_t kLargestRefusal = std::size_t{64} << 10U;
constexpr Duration kUsualRetry = std::chrono::seconds(1);
constexpr Duration kLongestRetry = std::chrono::minutes(1);
// Before what a server says by itself is listened to again.
constexpr Duration kListenPause = std::chrono::seconds(30);
// Streams that were continued and brought nothing.
constexpr int kMostResumptions = 5;

std::string HeaderText(const HttpHeaders& headers, std::string_view name) {
  const std::string* found = FindHeader(headers, name);
  return found == nullptr ? std::string() : *found;
}

bool IsVisible(std::string_view text) {
  return !text.empty() && text.size() <= 1024 &&
         std::ranges::all_of(text, [](char c) { return c > ' ' && c <= '~'; });
}

std::optional<RpcError> ErrorIn(const std::string& body) {
  auto message = ParseRpc(body, kLargestRefusal);
  const auto* response = message ? std::get_if<RpcResponse>(&*message) : nullptr;
  if (response == nullptr || response->error() == nullptr) return std::nullopt;
  return *response->error();
}

}  // namespace

// One message and what comes back for it. Bytes arrive inside the HTTP client, which must not be called then:
// messages are handed on later, in their order.
class HttpTransport::Exchange final : public HttpListener {
 public:
  Exchange(HttpTransport& transport, std::uint64_t number, OutgoingMessage message)
      : transport_(transport),
        number_(number),
        id_(message.id),
        is_legacy_(message.is_legacy),
        headers_(std::move(message.headers)),
        stream_(transport.address_.largest_message) {
    Begin(std::move(message.text));
  }

  [[nodiscard]] std::int64_t id() const { return id_; }
  // The stream of what a server says by itself: no message, no answer.
  void ListenApart() { apart_ = true; }

  void OnHead(int status, const HttpHeaders& headers) override {
    status_ = status;
    const std::string type = HeaderText(headers, "content-type");
    is_stream_ = status == 200 && type.starts_with("text/event-stream");
    const std::string session = HeaderText(headers, "mcp-session-id");
    if (is_legacy_ && status < 300 && IsVisible(session)) transport_.session_ = session;
  }

  bool OnBody(std::string_view bytes) override {
    if (is_stream_) {
      const bool fits = stream_->Feed(bytes, [this](SseEvent event) { TakeEvent(std::move(event)); });
      too_large_ = too_large_ || !fits;
      return fits;
    }
    const std::size_t limit = status_ < 300 ? transport_.address_.largest_message : kLargestRefusal;
    if (body_.size() + bytes.size() > limit) {
      too_large_ = status_ < 300;
      return status_ >= 300;
    }
    body_ += bytes;
    return true;
  }

  void OnEnd(const HttpEnd& end) override {
    Hand([this, end] { Finish(end); });
  }

 private:
  void Begin(std::string body) {
    HttpRequest request;
    request.call.url = transport_.address_.url;
    request.call.headers = transport_.HeadersWith(headers_);
    request.ca_file = transport_.address_.ca_file;
    if (body.empty()) {
      request.call.headers.push_back({"Accept", "text/event-stream"});
      if (!last_event_.empty()) request.call.headers.push_back({"Last-Event-ID", last_event_});
    } else {
      request.call.headers.push_back({"Content-Type", "application/json"});
      request.call.headers.push_back({"Accept", "application/json, text/event-stream"});
      request.call.body = std::move(body);
    }
    status_ = 0;
    is_stream_ = false;
    body_.clear();
    call_ = transport_.http_.Send(std::move(request), *this);
  }

  // Whoever hears of it may remove this exchange.
  void Hand(std::function<void()> work) {
    transport_.Later([alive = std::weak_ptr<bool>(alive_), work = std::move(work)] {
      if (alive.lock()) work();
    });
  }

  void TakeEvent(SseEvent event) {
    if (event.data.empty()) return;  // it only names a place to continue from
    Hand([this, data = std::move(event.data)] {
      const std::weak_ptr<bool> alive = alive_;
      TakeText(data);
      // A server need not close the stream that brought the answer.
      if (alive.lock() && answered_) transport_.Remove(number_);
    });
  }

  void TakeText(const std::string& text) {
    auto message = ParseRpc(text, transport_.address_.largest_message);
    if (!message) {
      transport_.listener_.OnGarbage(text.substr(0, 200));
      return;
    }
    resumptions_ = 0;
    if (const auto* response = std::get_if<RpcResponse>(&*message)) {
      const auto* id = response->id ? std::get_if<std::int64_t>(&*response->id) : nullptr;
      answered_ = answered_ || (id != nullptr && *id == id_);
    }
    transport_.listener_.OnMessage(std::move(*message), id_);
  }

  void Finish(const HttpEnd& end) {
    const std::weak_ptr<bool> alive = alive_;
    if (end.failure == HttpFailure::kNone && status_ == 200 && !is_stream_ && !body_.empty() && id_ != 0) {
      TakeText(body_);
      if (!alive.lock()) return;
    }
    if (WillResume(end)) {
      Resume();
      return;
    }
    if (apart_ && is_stream_) {
      timer_ = transport_.timers_.At(transport_.timers_.Now() + kListenPause, [this] { Begin({}); });
      return;
    }
    const bool silent = id_ == 0 || answered_;
    HttpTransport& transport = transport_;
    TransportListener& listener = transport_.listener_;
    const std::int64_t id = id_;
    const TransportFailure failure = silent ? TransportFailure{} : FailureOf(end);
    transport.Remove(number_);  // ends this object
    if (!silent) listener.OnFailure(id, failure);
  }

  // A legacy server may close the connection at any time and have us come back. What it says by itself is
  // listened to again only if it gave a place to continue from; it need not offer such a stream at all.
  [[nodiscard]] bool WillResume(const HttpEnd& end) const {
    const bool broken = end.failure == HttpFailure::kNone || end.failure == HttpFailure::kCut ||
                        (end.failure == HttpFailure::kNotReached && resumptions_ > 0);
    return is_legacy_ && broken && !answered_ && !too_large_ && (id_ != 0 || apart_) &&
           (is_stream_ || resumptions_ > 0) && (status_ == 200 || status_ == 0) &&
           !(stream_->last_id().empty() && last_event_.empty()) && resumptions_ < kMostResumptions;
  }

  void Resume() {
    if (!stream_->last_id().empty()) last_event_ = stream_->last_id();
    const Duration pause = std::min(kLongestRetry, stream_->retry().value_or(kUsualRetry));
    ++resumptions_;
    stream_.emplace(transport_.address_.largest_message);
    call_.reset();
    timer_ = transport_.timers_.At(transport_.timers_.Now() + pause, [this] { Begin({}); });
  }

  [[nodiscard]] TransportFailure FailureOf(const HttpEnd& end) const {
    if (too_large_)
      return {FailureKind::kGarbage,
              status_,
              {},
              fmt::format("it sent a message of more than {} bytes", transport_.address_.largest_message)};
    if (end.failure != HttpFailure::kNone) {
      const bool unreached = end.failure == HttpFailure::kNotReached || end.failure == HttpFailure::kUnusable;
      return {unreached ? FailureKind::kNotReached : FailureKind::kCut,
              0,
              {},
              fmt::format("{}: {}", transport_.address_.url, Redact(end.message))};
    }
    if (status_ == 404 && !transport_.session_.empty() && is_legacy_)
      return {FailureKind::kSessionLost, status_, {}, "the server has ended the session"};
    if (status_ >= 300) {
      auto error = ErrorIn(body_);
      std::string text = error ? error->message : std::string(Utf8Prefix(ToValidUtf8(body_), 200));
      return {FailureKind::kRefused, status_, std::move(error),
              fmt::format("it answers HTTP {}{}{}", status_, text.empty() ? "" : ": ", Redact(text))};
    }
    if (is_stream_) return {FailureKind::kCut, status_, {}, "its answer broke off"};
    return {FailureKind::kGarbage, status_, {}, "its answer is no message"};
  }

  HttpTransport& transport_;
  const std::uint64_t number_;
  const std::int64_t id_;
  const bool is_legacy_;
  const HttpHeaders headers_;
  bool apart_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  int status_ = 0;
  bool is_stream_ = false;
  bool too_large_ = false;
  bool answered_ = false;
  int resumptions_ = 0;
  std::string last_event_;
  std::string body_;
  std::optional<SseParser> stream_;
  std::unique_ptr<Registration> timer_;
  std::unique_ptr<HttpCall> call_;
};

HttpTransport::HttpTransport(HttpClient& http, TimerService& timers, ServerAddress address,
                             TransportListener& listener)
    : http_(http), timers_(timers), address_(std::move(address)), listener_(listener) {}

HttpTransport::~HttpTransport() = default;

HttpHeaders HttpTransport::HeadersWith(const HttpHeaders& more) const {
  HttpHeaders headers = address_.headers;
  headers.insert(headers.end(), more.begin(), more.end());
  if (!session_.empty()) headers.push_back({"MCP-Session-Id", session_});
  return headers;
}

void HttpTransport::Send(OutgoingMessage message) {
  const std::uint64_t number = ++exchanges_made_;
  exchanges_[number] = std::make_unique<Exchange>(*this, number, std::move(message));
}

void HttpTransport::Drop(std::int64_t id) {
  const auto found =
      std::ranges::find_if(exchanges_, [&](const auto& one) { return one.second->id() == id; });
  if (id == 0 || found == exchanges_.end()) return;
  Later([this, number = found->first] { Remove(number); });
}

void HttpTransport::ListenApart(HttpHeaders headers) {
  const std::uint64_t number = ++exchanges_made_;
  OutgoingMessage message;
  message.headers = std::move(headers);
  message.is_legacy = true;
  exchanges_[number] = std::make_unique<Exchange>(*this, number, std::move(message));
  exchanges_[number]->ListenApart();
}

void HttpTransport::Later(std::function<void()> work) {
  later_.push_back(std::move(work));
  if (!later_timer_) later_timer_ = timers_.At(timers_.Now(), [this] { RunLater(); });
}

void HttpTransport::RunLater() {
  later_timer_.reset();
  const auto work = std::exchange(later_, {});
  for (const auto& one : work) one();
}

void HttpTransport::Remove(std::uint64_t number) {
  exchanges_.erase(number);
}

}  // namespace agenttalk::mcp
