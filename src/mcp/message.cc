#include "mcp/message.h"

#include <boost/json.hpp>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/error_code.h"
#include "base/json.h"
#include "mcp/protocol.h"

namespace agenttalk::mcp {
namespace {

namespace json = boost::json;

std::unexpected<RpcFault> NoMessage(std::optional<RpcId> id, std::string why) {
  return std::unexpected(RpcFailure(std::move(id), kInvalidRequest, std::move(why)));
}

// Absent parameters are an empty object; anything else than an object is not MCP.
std::optional<json::object> ParamsOf(json::object& message) {
  json::value* params = message.if_contains("params");
  if (params == nullptr) return json::object();
  if (!params->is_object()) return std::nullopt;
  return std::move(params->as_object());
}

std::optional<RpcError> ErrorOf(const json::value& value) {
  const json::object* object = value.if_object();
  if (object == nullptr) return std::nullopt;
  const json::value* code = object->if_contains("code");
  const auto number = code == nullptr ? std::nullopt : AsInteger(*code);
  auto text = StringIn(*object, "message");
  if (!number || !text) return std::nullopt;
  RpcError error{static_cast<int>(*number), *std::move(text)};
  if (const json::value* data = object->if_contains("data")) error.data = *data;
  return error;
}

std::expected<RpcMessage, RpcFault> ReadResponse(std::optional<RpcId> id, json::object& message) {
  json::value* result = message.if_contains("result");
  const json::value* error = message.if_contains("error");
  if ((result == nullptr) == (error == nullptr))
    return NoMessage(std::move(id), "a response has either a result or an error");
  if (result != nullptr) {
    if (!result->is_object()) return NoMessage(std::move(id), "a result is an object");
    if (!id) return NoMessage(std::move(id), "a result names its request");
    return RpcResponse{std::move(id), std::move(result->as_object())};
  }
  auto read = ErrorOf(*error);
  if (!read) return NoMessage(std::move(id), "an error has a code and a message");
  return RpcResponse{std::move(id), *std::move(read)};
}

json::object ErrorJson(const RpcError& error) {
  json::object object{{"code", error.code}, {"message", error.message}};
  if (error.data) object["data"] = *error.data;
  return object;
}

}  // namespace

std::expected<RpcMessage, RpcFault> ParseRpc(std::string_view text, std::size_t largest) {
  auto value = ParseJson(text, {.max_bytes = largest});
  if (!value) {
    const bool too_large = value.error().code == ErrorCode::kTooLarge;
    return std::unexpected(RpcFailure(
        std::nullopt, kParseError,
        too_large ? "the message is too large" : "the message is not JSON: " + value.error().message));
  }
  if (!value->is_object())
    return NoMessage(std::nullopt,
                     value->is_array() ? "batches are not supported" : "a message is an object");
  json::object& message = value->as_object();
  const json::value* given = message.if_contains("id");
  std::optional<RpcId> id = given == nullptr ? std::nullopt : IdOf(*given);
  if (StringIn(message, "jsonrpc") != "2.0") return NoMessage(id, "jsonrpc must be \"2.0\"");
  const json::value* method = message.if_contains("method");
  if (method == nullptr) return ReadResponse(std::move(id), message);
  if (!method->is_string()) return NoMessage(id, "method must be a string");
  std::string name(method->as_string());
  auto params = ParamsOf(message);
  if (!params) return NoMessage(id, "params must be an object");
  if (given == nullptr) return RpcNotification{std::move(name), *std::move(params)};
  if (!id) return NoMessage(std::nullopt, "id must be a string or an integer");
  return RpcRequest{*std::move(id), std::move(name), *std::move(params)};
}

std::string RpcText(const RpcMessage& message) {
  json::object object{{"jsonrpc", "2.0"}};
  if (const auto* request = std::get_if<RpcRequest>(&message)) {
    object["id"] = IdJson(request->id);
    object["method"] = request->method;
    if (!request->params.empty()) object["params"] = request->params;
  } else if (const auto* notification = std::get_if<RpcNotification>(&message)) {
    object["method"] = notification->method;
    if (!notification->params.empty()) object["params"] = notification->params;
  } else {
    const auto& response = std::get<RpcResponse>(message);
    if (response.id) object["id"] = IdJson(*response.id);
    if (const auto* result = response.result()) object["result"] = *result;
    if (const auto* error = response.error()) object["error"] = ErrorJson(*error);
  }
  return CompactJson(object);
}

json::value IdJson(const RpcId& id) {
  return std::visit([](const auto& one) { return json::value(one); }, id);
}

std::optional<RpcId> IdOf(const json::value& value) {
  if (value.is_string()) return RpcId(std::string(value.as_string()));
  if (const auto number = AsInteger(value)) return RpcId(*number);
  return std::nullopt;
}

const json::object* MetaOf(const json::object& params) {
  return ObjectIn(params, "_meta");
}

std::optional<std::string> StringIn(const json::object& object, std::string_view key) {
  const json::value* found = object.if_contains(key);
  if (found == nullptr || !found->is_string()) return std::nullopt;
  return std::string(found->as_string());
}

const json::object* ObjectIn(const json::object& object, std::string_view key) {
  const json::value* found = object.if_contains(key);
  return found == nullptr ? nullptr : found->if_object();
}

RpcResponse RpcFailure(std::optional<RpcId> id, int code, std::string message) {
  return {std::move(id), RpcError{code, std::move(message)}};
}

}  // namespace agenttalk::mcp
