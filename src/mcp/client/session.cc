#include "mcp/client/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/time.h"
#include "base/timer.h"
#include "base/utf8.h"
#include "llm/model_errors.h"
#include "mcp/client/open_call.h"
#include "mcp/client/parameter_headers.h"
#include "mcp/client/remote_tool.h"
#include "mcp/client/transport.h"
#include "mcp/message.h"
#include "mcp/protocol.h"

namespace agenttalk::mcp {
namespace {

namespace json = boost::json;
using std::string_view_literals::operator""sv;

constexpr std::array kLegacyVersions = {kLegacyRevision, "2025-06-18"sv, "2025-03-26"sv, "2024-11-05"sv};
constexpr std::size_t kMostPages = 100;
constexpr std::size_t kMostTools = 1000;
constexpr std::size_t kMostGarbage = 1000;
// What a server may say in a second without being asked.
constexpr std::size_t kMostUnsolicited = 2000;
constexpr Duration kListPause = std::chrono::seconds(1);
constexpr Duration kFirstListenPause = std::chrono::seconds(5);
constexpr Duration kLongestListenPause = std::chrono::minutes(10);

bool IsLegacyVersion(std::string_view version) {
  return std::ranges::find(kLegacyVersions, version) != kLegacyVersions.end();
}

bool Holds(const json::array& list, std::string_view text) {
  return std::ranges::any_of(list, [&](const json::value& one) {
    return one.is_string() && std::string_view(one.as_string()) == text;
  });
}

json::object ClientInfo() {
  return {{"name", "agenttalk"}, {"version", AGENTTALK_VERSION}};
}

json::object ClientCapabilities() {
  return {{"elicitation", {{"form", json::object()}, {"url", json::object()}}}};
}

const json::array* SupportedIn(const RpcError& error) {
  const json::object* data = error.data ? error.data->if_object() : nullptr;
  const json::value* supported = data == nullptr ? nullptr : data->if_contains("supported");
  return supported == nullptr ? nullptr : supported->if_array();
}

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

void Session::Probe() {
  state_ = State::kProbing;
  ++probes_;
  version_ = kModernRevision;
  Request(Purpose::kDiscover, kDiscover, {}, options_.probe_timeout);
}

void Session::Initialize() {
  if (state_ == State::kInitializing) return;
  state_ = State::kInitializing;
  version_.clear();
  const json::object params{{"protocolVersion", kLegacyRevision},
                            {"capabilities", ClientCapabilities()},
                            {"clientInfo", ClientInfo()}};
  Request(Purpose::kInitialize, kInitialize, params, options_.request_timeout);
}

// A legacy server may answer what it does not know with anything; only a proper answer says that it is
// modern.
void Session::TakeDiscovery(const RpcResponse& response) {
  if (state_ != State::kProbing && state_ != State::kInitializing) return;
  if (const RpcError* error = response.error()) {
    if (state_ == State::kProbing) ProbeRefused(*error);
    return;
  }
  const json::value* supported = response.result()->if_contains("supportedVersions");
  if (supported == nullptr || !supported->is_array()) {
    if (state_ == State::kProbing) Initialize();
    return;
  }
  if (!Holds(supported->as_array(), kModernRevision)) {
    TakeVersions(supported->as_array());
    return;
  }
  // It came after we had given up on it: the server is modern all the same.
  std::erase_if(open_, [](const auto& one) { return one.second.purpose == Purpose::kInitialize; });
  version_ = kModernRevision;
  TakeCapabilities(*response.result());
}

void Session::TakeVersions(const json::array& supported) {
  if (Holds(supported, kModernRevision) && probes_ < 2) {
    Probe();
    return;
  }
  if (std::ranges::any_of(kLegacyVersions, [&](std::string_view one) { return Holds(supported, one); })) {
    Initialize();
    return;
  }
  Fail(fmt::format("it speaks the protocol's revisions {}, and this program {} and {}",
                   Utf8Prefix(json::serialize(supported), 200), kModernRevision, kLegacyRevision));
}

void Session::ProbeRefused(const RpcError& error) {
  const json::array* supported = error.code == kUnsupportedVersion ? SupportedIn(error) : nullptr;
  if (supported != nullptr) {
    TakeVersions(*supported);
  } else if (error.code == kHeaderMismatch || error.code == kMissingClientCapability) {
    Fail("it refuses to talk: " + error.message);
  } else {
    Initialize();
  }
}

void Session::TakeInitialization(const RpcResponse& response) {
  if (const RpcError* error = response.error()) {
    Fail("it refuses to talk: " + error->message);
    return;
  }
  const json::object& result = *response.result();
  const std::string version = StringIn(result, "protocolVersion").value_or("");
  if (!IsLegacyVersion(version)) {
    Fail(fmt::format("it wants to speak revision \"{}\" of the protocol, which this program does not know",
                     Utf8Prefix(version, 40)));
    return;
  }
  std::erase_if(open_, [](const auto& one) { return one.second.purpose == Purpose::kDiscover; });
  version_ = version;
  Notify(kInitialized, {});
  // Also for what servers ask in the middle of a call, which some send there.
  transport_->ListenApart(HeadersFor({}));
  TakeCapabilities(result);
}

void Session::TakeCapabilities(const json::object& result) {
  const json::object* capabilities = ObjectIn(result, "capabilities");
  const json::object* tools = capabilities == nullptr ? nullptr : ObjectIn(*capabilities, "tools");
  lists_tools_ = tools != nullptr;
  const json::value* changes = tools == nullptr ? nullptr : tools->if_contains("listChanged");
  tells_changes_ = changes != nullptr && changes->is_bool() && changes->as_bool();
  state_ = State::kListing;
  if (lists_tools_) {
    ListTools({});
  } else {
    FinishList();
  }
}

void Session::ListTools(const std::string& cursor) {
  if (cursor.empty()) {
    listing_.clear();
    pages_ = 0;
    is_listing_ = true;
  }
  json::object params;
  if (!cursor.empty()) params["cursor"] = cursor;
  Request(Purpose::kList, kToolsList, std::move(params), options_.request_timeout);
}

void Session::TakeList(const RpcResponse& response) {
  if (const RpcError* error = response.error()) {
    is_listing_ = false;
    if (state_ == State::kListing) {
      Fail("it does not list its tools: " + error->message);
    } else {
      owner_.OnNote("its tools have changed, but it does not list them: " + error->message);
      Listed();
    }
    return;
  }
  TakePage(*response.result());
  const std::string next = StringIn(*response.result(), "nextCursor").value_or("");
  if (!next.empty() && ++pages_ < kMostPages && listing_.size() < kMostTools) {
    ListTools(next);
  } else {
    FinishList();
  }
}

void Session::TakePage(const json::object& page) {
  const json::value* tools = page.if_contains("tools");
  if (tools == nullptr || !tools->is_array()) return;
  for (const json::value& one : tools->as_array()) {
    if (listing_.size() == kMostTools) {
      owner_.OnNote(fmt::format("it has more than {} tools; the others are left out", kMostTools));
      return;
    }
    auto tool = ReadRemoteTool(one, transport_->is_http());
    const bool repeated =
        tool && std::ranges::find(listing_, tool->name, &RemoteTool::name) != listing_.end();
    if (tool && !repeated) {
      listing_.push_back(std::move(*tool));
      continue;
    }
    const json::object* object = one.if_object();
    const std::string name = object == nullptr ? std::string() : StringIn(*object, "name").value_or("");
    owner_.OnNote(fmt::format("its tool \"{}\" is left out: {}", Utf8Prefix(name, 80),
                              tool ? "there are two of that name" : tool.error()));
  }
}

void Session::FinishList() {
  is_listing_ = false;
  tools_ = std::exchange(listing_, {});
  tools_.shrink_to_fit();
  const bool first = state_ != State::kReady;
  state_ = State::kReady;
  const std::weak_ptr<bool> alive = alive_;
  owner_.OnTools();
  if (!alive.lock()) return;
  Listed();
  if (first) Subscribe();
}

// Calls that wait for the new list go on; another change that was told meanwhile is looked at after a pause.
void Session::Listed() {
  listed_ = timers_.Now();
  std::vector<CallNumber> waiting;
  for (const auto& [number, call] : calls_) {
    if (call->id == 0 && !call->asking && call->listed_again) waiting.push_back(number);
  }
  for (const CallNumber number : waiting) {
    const auto found = calls_.find(number);
    if (found == calls_.end()) continue;
    const auto tool = std::ranges::find(tools_, found->second->tool.name, &RemoteTool::name);
    if (tool != tools_.end()) found->second->tool = *tool;
    SendCall(*found->second);
  }
  if (std::exchange(relist_, false)) Relist();
}

void Session::Relist() {
  if (state_ != State::kReady || !lists_tools_) return;
  if (is_listing_) {
    relist_ = true;
    return;
  }
  if (relist_timer_) return;
  const MonotonicTime when = std::max(timers_.Now(), listed_ + kListPause);
  relist_timer_ = timers_.At(when, [this] {
    relist_timer_.reset();
    if (state_ == State::kReady && !is_listing_) ListTools({});
  });
}

void Session::Subscribe() {
  if (state_ != State::kReady || !tells_changes_ || !is_modern()) return;
  Request(Purpose::kListen, kSubscriptionsListen, {{"notifications", {{"toolsListChanged", true}}}}, {});
}

// What changed while nobody listened is found by looking.
void Session::SubscribeLater() {
  Duration pause = kFirstListenPause;
  for (int i = 0; i < listen_tries_ && pause < kLongestListenPause; ++i) pause *= 2;
  ++listen_tries_;
  listen_timer_ = timers_.At(timers_.Now() + std::min(pause, kLongestListenPause), [this] {
    listen_timer_.reset();
    Subscribe();
    Relist();
  });
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
