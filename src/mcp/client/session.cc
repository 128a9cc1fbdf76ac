#include "mcp/client/session.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/time.h"
#include "base/timer.h"
#include "base/utf8.h"
#include "llm/model_errors.h"
#include "mcp/client/client_identity.h"
#include "mcp/client/open_call.h"
#include "mcp/client/transport.h"
#include "mcp/message.h"
#include "mcp/protocol.h"

namespace agenttalk::mcp {
namespace {

namespace json = boost::json;
constexpr std::size_t kMostGarbage = 1000;
// What a server may say in a second without being asked.
constexpr std::size_t kMostUnsolicited = 2000;

}  // namespace

Session::Session(TimerService& timers, SessionOptions options, Owner& owner)
    : timers_(timers), options_(options), owner_(owner) {}

Session::~Session() = default;

bool Session::is_modern() const {
  return version_ == kModernRevision;
}

HttpHeaders Session::HeadersFor(std::string_view method) const {
  HttpHeaders headers;
  if (!version_.empty()) headers.push_back({"MCP-Protocol-Version", version_});
  if (is_modern()) headers.push_back({"Mcp-Method", std::string(method)});
  return headers;
}

std::int64_t Session::Request(Purpose purpose, std::string_view method, json::object params, Duration timeout,
                              HttpHeaders more, CallNumber call) {
  const std::int64_t id = ++last_id_;
  if (is_modern()) {
    json::object meta;
    if (const json::value* given = params.if_contains("_meta")) meta = given->as_object();
    meta[kMetaProtocolVersion] = version_;
    meta[kMetaClientInfo] = ClientInfo();
    meta[kMetaClientCapabilities] = ClientCapabilities();
    params["_meta"] = std::move(meta);
  }
  Exchange& exchange = open_[id];
  exchange.purpose = purpose;
  exchange.call = call;
  if (timeout > Duration{}) {
    exchange.timer = timers_.At(timers_.Now() + timeout, [this, id] {
      OnFailure(id, {FailureKind::kCut, 0, {}, "the server did not answer in time"});
    });
  }
  OutgoingMessage message;
  message.headers = HeadersFor(method);
  message.headers.insert(message.headers.end(), more.begin(), more.end());
  message.text = RpcText(RpcRequest{id, std::string(method), std::move(params)});
  message.id = id;
  message.is_legacy = !is_modern();
  transport_->Send(std::move(message));
  return id;
}

void Session::Notify(std::string_view method, json::object params) {
  OutgoingMessage message;
  message.headers = HeadersFor(method);
  message.text = RpcText(RpcNotification{std::string(method), std::move(params)});
  transport_->Send(std::move(message));
}

void Session::Reply(RpcResponse response) {
  OutgoingMessage message;
  message.headers = HeadersFor({});
  message.text = RpcText(std::move(response));
  transport_->Send(std::move(message));
}

void Session::Fail(const std::string& why) {
  if (state_ == State::kFailed) return;
  ended_in_probe_ = state_ == State::kProbing;
  state_ = State::kFailed;
  open_.clear();
  relist_timer_.reset();
  listen_timer_.reset();
  FinishAll({CallEnd::kLost, {}, why});
  owner_.OnFailed(why);
}

void Session::Start(Transport& transport) {
  transport_ = &transport;
  if (options_.legacy_first) {
    Initialize();
  } else {
    Probe();
  }
}

void Session::OnMessage(RpcMessage message, std::int64_t stream) {
  if (state_ == State::kFailed) return;
  if (auto* response = std::get_if<RpcResponse>(&message)) {
    TakeResponse(std::move(*response));
  } else if (auto* notification = std::get_if<RpcNotification>(&message)) {
    TakeNotification(*notification);
  } else if (!IsFlooding()) {
    TakeRequest(std::move(std::get<RpcRequest>(message)), stream);
  }
}

void Session::OnGarbage(const std::string& what) {
  if (state_ == State::kFailed) return;
  if (++garbage_ == 1)
    owner_.OnNote(fmt::format("it writes what is no message: {}", Utf8Prefix(ToValidUtf8(what), 100)));
  if (garbage_ > kMostGarbage) Fail("it writes what is no message, again and again");
}

bool Session::IsFlooding() {
  const MonotonicTime now = timers_.Now();
  if (now - window_ >= std::chrono::seconds(1)) {
    window_ = now;
    unsolicited_ = 0;
  }
  if (++unsolicited_ <= kMostUnsolicited) return false;
  Fail(fmt::format("it sends more than {} messages a second that nobody asked for", kMostUnsolicited));
  return true;
}

void Session::TakeResponse(RpcResponse response) {
  const auto* id = response.id ? std::get_if<std::int64_t>(&*response.id) : nullptr;
  const auto found = id == nullptr ? open_.end() : open_.find(*id);
  if (found == open_.end()) {
    IsFlooding();  // late, for somebody who gave up, or made up
    return;
  }
  const Purpose purpose = found->second.purpose;
  const CallNumber call = found->second.call;
  open_.erase(found);
  switch (purpose) {
    case Purpose::kDiscover:
      return TakeDiscovery(response);
    case Purpose::kInitialize:
      return TakeInitialization(response);
    case Purpose::kList:
      return TakeList(response);
    case Purpose::kListen:
      // A server that has nothing of the kind is not asked again.
      if (response.error() == nullptr) SubscribeLater();
      return;
    case Purpose::kCall:
      return TakeCallResponse(call, std::move(response));
  }
}

void Session::TakeNotification(const RpcNotification& notification) {
  if (notification.method == kProgress) {
    TakeProgress(notification.params);
    return;
  }
  if (notification.method == kSubscriptionsAcknowledged) {
    listen_tries_ = 0;
    return;
  }
  if (IsFlooding()) return;
  if (notification.method == kToolsChanged) Relist();
}

void Session::TakeRequest(RpcRequest request, std::int64_t stream) {
  if (request.method == kPing) {
    Reply({request.id, json::object()});
    return;
  }
  OpenCall* call = nullptr;
  for (const auto& [number, one] : calls_) {
    if (stream == 0 || one->id == stream) {
      call = one.get();
      break;
    }
  }
  if (request.method != kElicitationCreate || is_modern() || call == nullptr) {
    Reply(RpcFailure(request.id, kMethodNotFound, "this client has no " + request.method));
    return;
  }
  call->questions.push_back({{}, request.id, std::move(request.params)});
  if (!call->asking) AskNext(*call);
}

void Session::OnFailure(std::int64_t id, const TransportFailure& failure) {
  const auto found = open_.find(id);
  if (found == open_.end() || state_ == State::kFailed) return;
  const Purpose purpose = found->second.purpose;
  const CallNumber call = found->second.call;
  const bool had_answer = failure.kind == FailureKind::kRefused || failure.kind == FailureKind::kGarbage;
  if (purpose == Purpose::kCall) {
    open_.erase(found);
    CallFailed(call, failure);
    return;
  }
  if (purpose == Purpose::kListen) {
    open_.erase(found);
    if (!had_answer) SubscribeLater();
    return;
  }
  const bool keys = failure.status == 401 || failure.status == 403;
  if (purpose == Purpose::kDiscover && state_ != State::kProbing) {
    open_.erase(found);
    return;
  }
  if (purpose == Purpose::kDiscover && !keys && failure.status < 500) {
    if (failure.error) {
      open_.erase(found);
      ProbeRefused(*failure.error);
      return;
    }
    // Silence on a pipe: the question stays open, for a server that is merely slow.
    const bool silent = failure.kind == FailureKind::kCut && !transport_->is_http();
    if (!silent) open_.erase(found);
    if (had_answer || silent) {
      Initialize();
      return;
    }
  }
  if (failure.kind == FailureKind::kCut) transport_->Drop(id);
  if (purpose == Purpose::kList && state_ == State::kReady) {
    open_.erase(id);
    is_listing_ = false;
    owner_.OnNote("its tools have changed, but it does not list them: " + failure.message);
    Listed();
    return;
  }
  Fail(keys ? fmt::format(
                  "it wants authorization (HTTP {}); set `headers` or `bearer_token_env` of the server",
                  failure.status)
            : failure.message);
}

void Session::OnClosed(const std::string& why) {
  Fail(why);
}

}  // namespace agenttalk::mcp
