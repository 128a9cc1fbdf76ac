#pragma once

#include <expected>
#include <memory>
#include <optional>
#include <utility>

#include "mcp/message.h"
#include "mcp/server/exchange.h"
#include "mcp/server/hub_calls.h"

// This hub as an MCP server, without any transport: requests come in, answers and notifications go out.
namespace agenttalk::mcp {

class Server {
 public:
  explicit Server(std::shared_ptr<HubCalls> hub) : hub_(std::move(hub)) {}

  // Begins to answer a request that was found good for its era. What is returned can be cancelled.
  std::shared_ptr<Exchange> Handle(const RpcRequest& request, Era era, Sink sink) const;

 private:
  std::shared_ptr<HubCalls> hub_;
};

// Whether a request carries the metadata of the modern era.
bool IsModern(const RpcRequest& request);
// What is wrong with that metadata; nothing: it can be handled.
std::optional<RpcError> CheckModern(const RpcRequest& request);
// The error for a version that is not spoken.
RpcError UnsupportedVersion(const std::string& requested);

}  // namespace agenttalk::mcp
