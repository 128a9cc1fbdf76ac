#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

// JSON-RPC 2.0 as MCP uses it: an id is a string or an integer and never null, parameters and results are
// objects, one message is one JSON text without a line break, and there are no batches.
namespace agenttalk::mcp {

using RpcId = std::variant<std::int64_t, std::string>;

struct RpcError {
  int code = 0;
  std::string message;
  std::optional<boost::json::value> data = {};
};

struct RpcRequest {
  RpcId id;
  std::string method;
  boost::json::object params = {};
};

struct RpcNotification {
  std::string method;
  boost::json::object params = {};
};

struct RpcResponse {
  std::optional<RpcId> id = {};  // nothing: the request could not be read, which only an error can say
  std::variant<boost::json::object, RpcError> outcome;

  [[nodiscard]] const boost::json::object* result() const {
    return std::get_if<boost::json::object>(&outcome);
  }
  [[nodiscard]] const RpcError* error() const { return std::get_if<RpcError>(&outcome); }
};

using RpcMessage = std::variant<RpcRequest, RpcNotification, RpcResponse>;

// A text that is no message, as the answer to it: kParseError, or kInvalidRequest with the id if it has one.
using RpcFault = RpcResponse;

std::expected<RpcMessage, RpcFault> ParseRpc(std::string_view text, std::size_t largest);

// One line, without its end.
std::string RpcText(const RpcMessage& message);

boost::json::value IdJson(const RpcId& id);
// Nothing: it is neither a string nor an integer.
std::optional<RpcId> IdOf(const boost::json::value& value);

// `params._meta`, or nothing.
const boost::json::object* MetaOf(const boost::json::object& params);
// A member that is a string; nothing when it is not there or something else.
std::optional<std::string> StringIn(const boost::json::object& object, std::string_view key);
const boost::json::object* ObjectIn(const boost::json::object& object, std::string_view key);

RpcResponse RpcFailure(std::optional<RpcId> id, int code, std::string message);

}  // namespace agenttalk::mcp
