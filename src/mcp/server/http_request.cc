#include "mcp/server/http_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/base64.h"
#include "mcp/message.h"
#include "mcp/protocol.h"
#include "mcp/server/exchange.h"
#include "mcp/server/server.h"

namespace agenttalk::mcp {
namespace {

constexpr unsigned kOk = 200;
constexpr unsigned kAccepted = 202;
constexpr unsigned kBadRequest = 400;
constexpr unsigned kNotFound = 404;

constexpr std::array<std::string_view, 3> kLegacyVersions = {kLegacyRevision, "2025-06-18", "2025-03-26"};

bool IsLegacyVersion(const std::string& version) {
  return std::ranges::find(kLegacyVersions, version) != kLegacyVersions.end();
}

HttpAnswer Refused(const RpcId& id, RpcError error) {
  return {kBadRequest, RpcResponse{id, std::move(error)}};
}

// A value that could not be sent as it is: =?base64?…?=
std::optional<std::string> Decoded(const std::string& value) {
  constexpr std::string_view kBegin = "=?base64?";
  constexpr std::string_view kEnd = "?=";
  if (!value.starts_with(kBegin) || !value.ends_with(kEnd) || value.size() < kBegin.size() + kEnd.size())
    return value;
  return DecodeBase64(
      std::string_view(value).substr(kBegin.size(), value.size() - kBegin.size() - kEnd.size()));
}

// What Mcp-Name repeats; nothing: the method has no such header.
std::optional<std::string> NameIn(const RpcRequest& request) {
  if (request.method == kToolsCall || request.method == "prompts/get")
    return StringIn(request.params, "name");
  if (request.method == kResourcesRead) return StringIn(request.params, "uri");
  return std::nullopt;
}

// Headers repeat what the body says, so that those in between need not read it. They must agree.
std::optional<RpcError> CheckHeaders(const HttpHeaders& headers, const RpcRequest& request) {
  const boost::json::object* meta = MetaOf(request.params);
  const auto version = meta == nullptr ? std::nullopt : StringIn(*meta, kMetaProtocolVersion);
  if (!headers.version) return RpcError{kHeaderMismatch, "the header MCP-Protocol-Version is missing"};
  if (version && *version != *headers.version)
    return RpcError{kHeaderMismatch, "MCP-Protocol-Version is not the version in _meta"};
  if (headers.method != request.method)
    return RpcError{kHeaderMismatch, "Mcp-Method is not the method of the body"};
  const auto name = NameIn(request);
  if (name && (!headers.name || Decoded(*headers.name) != *name))
    return RpcError{kHeaderMismatch, "Mcp-Name is not the name in the body"};
  return std::nullopt;
}

std::variant<HttpAnswer, HttpRequest, HttpCancel> ReadRequest(const HttpHeaders& headers,
                                                              RpcRequest request) {
  const bool legacy_header = !headers.version || IsLegacyVersion(*headers.version);
  if (legacy_header && !IsModern(request)) return HttpRequest{std::move(request), Era::kLegacy};
  if (auto wrong = CheckHeaders(headers, request)) return Refused(request.id, *std::move(wrong));
  if (auto wrong = CheckModern(request)) return Refused(request.id, *std::move(wrong));
  return HttpRequest{std::move(request), Era::kModern};
}

}  // namespace

std::variant<HttpAnswer, HttpRequest, HttpCancel> ReadHttp(const HttpHeaders& headers, std::string_view body,
                                                           std::size_t largest) {
  auto message = ParseRpc(body, largest);
  if (!message) return HttpAnswer{kBadRequest, std::move(message).error()};
  if (auto* request = std::get_if<RpcRequest>(&*message)) return ReadRequest(headers, std::move(*request));
  if (const auto* notification = std::get_if<RpcNotification>(&*message)) {
    const auto* given = notification->params.if_contains("requestId");
    const auto id = given == nullptr ? std::nullopt : IdOf(*given);
    if (notification->method == kCancelled && id) return HttpCancel{*id};
    return HttpAnswer{kAccepted};
  }
  // Nothing is asked of clients.
  return HttpAnswer{kBadRequest, RpcFailure(std::nullopt, kInvalidRequest, "no response is expected")};
}

unsigned HttpStatusOf(const RpcResponse& response, Era era) {
  const RpcError* error = response.error();
  return era == Era::kModern && error != nullptr && error->code == kMethodNotFound ? kNotFound : kOk;
}

}  // namespace agenttalk::mcp
