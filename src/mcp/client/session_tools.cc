#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "base/timer.h"
#include "base/utf8.h"
#include "mcp/client/open_call.h"
#include "mcp/client/remote_tool.h"
#include "mcp/client/session.h"
#include "mcp/client/transport.h"
#include "mcp/message.h"
#include "mcp/protocol.h"

// The list of a server's tools, and keeping it current.
namespace agenttalk::mcp {
namespace {

namespace json = boost::json;

constexpr std::size_t kMostPages = 100;
constexpr std::size_t kMostTools = 1000;
constexpr Duration kListPause = std::chrono::seconds(1);
constexpr Duration kFirstListenPause = std::chrono::seconds(5);
constexpr Duration kLongestListenPause = std::chrono::minutes(10);

}  // namespace

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

}  // namespace agenttalk::mcp
