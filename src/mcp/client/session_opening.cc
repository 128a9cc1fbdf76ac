#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <map>
#include <string>
#include <string_view>

#include "base/utf8.h"
#include "mcp/client/client_identity.h"
#include "mcp/client/session.h"
#include "mcp/client/transport.h"
#include "mcp/message.h"
#include "mcp/protocol.h"

// How a session begins: which revision the server speaks, and what it can do.
namespace agenttalk::mcp {
namespace {

namespace json = boost::json;
using std::string_view_literals::operator""sv;

constexpr std::array kLegacyVersions = {kLegacyRevision, "2025-06-18"sv, "2025-03-26"sv, "2024-11-05"sv};

bool IsLegacyVersion(std::string_view version) {
  return std::ranges::find(kLegacyVersions, version) != kLegacyVersions.end();
}

bool Holds(const json::array& list, std::string_view text) {
  return std::ranges::any_of(list, [&](const json::value& one) {
    return one.is_string() && std::string_view(one.as_string()) == text;
  });
}

const json::array* SupportedIn(const RpcError& error) {
  const json::object* data = error.data ? error.data->if_object() : nullptr;
  const json::value* supported = data == nullptr ? nullptr : data->if_contains("supported");
  return supported == nullptr ? nullptr : supported->if_array();
}

}  // namespace

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

}  // namespace agenttalk::mcp
