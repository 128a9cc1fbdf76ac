#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "mcp/message.h"
#include "mcp/server/exchange.h"

// What Streamable HTTP says about a POST, without the connection.
namespace agenttalk::mcp {

// The headers that matter; nothing: the header is absent.
struct HttpHeaders {
  std::optional<std::string> version = {};  // MCP-Protocol-Version
  std::optional<std::string> method = {};   // Mcp-Method
  std::optional<std::string> name = {};     // Mcp-Name
};

// To be answered at once, without asking the hub.
struct HttpAnswer {
  unsigned status = 0;
  std::optional<RpcResponse> body = {};
};

struct HttpRequest {
  RpcRequest request;
  Era era = Era::kModern;
};

struct HttpCancel {
  RpcId id;
};

std::variant<HttpAnswer, HttpRequest, HttpCancel> ReadHttp(const HttpHeaders& headers, std::string_view body,
                                                           std::size_t largest);

// The status of the response to a request.
unsigned HttpStatusOf(const RpcResponse& response, Era era);

}  // namespace agenttalk::mcp
