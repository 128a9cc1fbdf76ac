#include "mcp/server/server.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/error_code.h"
#include "mcp/message.h"
#include "mcp/protocol.h"
#include "mcp/server/exchange.h"
#include "mcp/server/identity.h"
#include "mcp/server/resources.h"
#include "mcp/server/tool.h"

namespace agenttalk::mcp {
namespace {

namespace json = boost::json;

constexpr std::uint64_t kToolsLife = 300'000;
constexpr std::uint64_t kDiscoveryLife = 3'600'000;
// What `initialize` may agree on; the differences do not matter to what is offered here.
constexpr std::array<std::string_view, 4> kHandshakes = {kLegacyRevision, "2025-06-18", "2025-03-26",
                                                         "2024-11-05"};

json::array Versions() {
  return {kModernRevision, kLegacyRevision};
}

void Discover(Exchange& exchange) {
  exchange.AnswerCacheable({{"supportedVersions", Versions()},
                            {"capabilities", ServerCapabilities()},
                            {"instructions", kInstructions}},
                           kDiscoveryLife);
}

void Initialize(Exchange& exchange, const json::object& params) {
  const auto wanted = StringIn(params, "protocolVersion");
  if (!wanted) return exchange.Fail(kInvalidParams, "initialize needs protocolVersion");
  const bool known = std::ranges::find(kHandshakes, *wanted) != kHandshakes.end();
  exchange.Answer({{"protocolVersion", known ? json::value(*wanted) : json::value(kLegacyRevision)},
                   {"capabilities", ServerCapabilities()},
                   {"serverInfo", ServerInfo()},
                   {"instructions", kInstructions}});
}

void ListTools(const HubCalls& hub, Exchange& exchange) {
  json::array tools;
  for (const Tool& tool : Tools()) {
    if (hub.Allows(tool.method)) tools.push_back(ToolJson(tool));
  }
  exchange.AnswerCacheable({{"tools", std::move(tools)}}, kToolsLife);
}

void CallTool(const std::shared_ptr<HubCalls>& hub, const std::shared_ptr<Exchange>& exchange,
              const json::object& params) {
  const auto name = StringIn(params, "name");
  if (!name) return exchange->Fail(kInvalidParams, "tools/call needs the name of a tool");
  const Tool* tool = FindTool(*name);
  if (tool == nullptr) return exchange->Fail(kInvalidParams, fmt::format("unknown tool: {}", *name));
  const json::value* given = params.if_contains("arguments");
  if (given != nullptr && !given->is_object())
    return exchange->Fail(kInvalidParams, "arguments must be an object");
  auto call = std::make_shared<const ToolCall>(hub, exchange,
                                               given == nullptr ? json::object() : given->get_object());
  if (!hub->Allows(tool->method)) {
    return call->Fail({ErrorCode::kPermissionDenied, fmt::format("this session may not use {}", tool->name),
                       "it was made for looking only; `agenttalk mcp --token` makes one that may do more"});
  }
  // What is wrong with arguments is for the model to read and correct, hence a result.
  if (auto checked = CheckArguments(*tool, call->arguments()); !checked) return call->Fail(checked.error());
  tool->run(call);
}

void Read(const std::shared_ptr<HubCalls>& hub, const std::shared_ptr<Exchange>& exchange,
          const json::object& params) {
  const auto uri = StringIn(params, "uri");
  if (!uri) return exchange->Fail(kInvalidParams, "resources/read needs a uri");
  ReadResource(hub, exchange, *uri);
}

}  // namespace

std::shared_ptr<Exchange> Server::Handle(const RpcRequest& request, Era era, Sink sink) const {
  auto exchange = std::make_shared<Exchange>(request, era, std::move(sink));
  const std::string_view method = request.method;
  const bool modern = era == Era::kModern;
  if (modern && method == kDiscover) {
    Discover(*exchange);
  } else if (!modern && method == kInitialize) {
    Initialize(*exchange, request.params);
  } else if (!modern && method == kPing) {
    exchange->Answer({});
  } else if (method == kToolsList) {
    ListTools(*hub_, *exchange);
  } else if (method == kToolsCall) {
    CallTool(hub_, exchange, request.params);
  } else if (method == kResourcesList) {
    ListResources(hub_, exchange);
  } else if (method == kResourceTemplatesList) {
    ListResourceTemplates(*exchange);
  } else if (method == kResourcesRead) {
    Read(hub_, exchange, request.params);
  } else {
    exchange->Fail(kMethodNotFound, fmt::format("there is no method {}", method));
  }
  return exchange;
}

bool IsModern(const RpcRequest& request) {
  const json::object* meta = MetaOf(request.params);
  return request.method == kDiscover || (meta != nullptr && meta->contains(kMetaProtocolVersion));
}

std::optional<RpcError> CheckModern(const RpcRequest& request) {
  const json::object* meta = MetaOf(request.params);
  const auto version = meta == nullptr ? std::nullopt : StringIn(*meta, kMetaProtocolVersion);
  if (!version) return RpcError{kInvalidParams, fmt::format("params._meta needs {}", kMetaProtocolVersion)};
  if (*version != kModernRevision) return UnsupportedVersion(*version);
  if (ObjectIn(*meta, kMetaClientCapabilities) == nullptr)
    return RpcError{kInvalidParams, fmt::format("params._meta needs {}", kMetaClientCapabilities)};
  return std::nullopt;
}

RpcError UnsupportedVersion(const std::string& requested) {
  return {kUnsupportedVersion, "Unsupported protocol version",
          json::value{{"supported", Versions()}, {"requested", requested}}};
}

}  // namespace agenttalk::mcp
