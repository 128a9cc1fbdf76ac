#include "mcp/server/exchange.h"

#include <boost/json.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "mcp/message.h"
#include "mcp/protocol.h"
#include "mcp/server/identity.h"

namespace agenttalk::mcp {

namespace json = boost::json;

namespace {

// The least that a report is ahead of the one before.
constexpr double kSmallestStep = 0.001;

std::optional<json::value> TokenOf(const RpcRequest& request) {
  const json::object* meta = MetaOf(request.params);
  const json::value* token = meta == nullptr ? nullptr : meta->if_contains(kMetaProgressToken);
  if (token == nullptr || (!token->is_string() && !token->is_number())) return std::nullopt;
  return *token;
}

}  // namespace

Exchange::Exchange(const RpcRequest& request, Era era, Sink sink)
    : id_(request.id), era_(era), sink_(std::move(sink)), token_(TokenOf(request)) {}

void Exchange::Answer(json::object result) {
  if (std::exchange(over_, true)) return;
  if (era_ == Era::kModern) {
    result["resultType"] = "complete";
    json::object meta;
    if (const json::object* given = ObjectIn(result, "_meta")) meta = *given;
    meta[kMetaServerInfo] = ServerInfo();
    result["_meta"] = std::move(meta);
  }
  sink_.answer(RpcResponse{id_, std::move(result)});
}

void Exchange::AnswerCacheable(json::object result, std::uint64_t ttl_ms) {
  if (era_ == Era::kModern) {
    result["ttlMs"] = ttl_ms;
    result["cacheScope"] = "private";
  }
  Answer(std::move(result));
}

void Exchange::Fail(int code, std::string message, std::optional<json::value> data) {
  if (std::exchange(over_, true)) return;
  sink_.answer(RpcResponse{id_, RpcError{code, std::move(message), std::move(data)}});
}

void Exchange::Report(double progress, double total, const std::string& message) {
  if (over_ || !token_) return;
  if (progress <= reported_) progress = reported_ + kSmallestStep;
  reported_ = progress;
  json::object params{{"progressToken", *token_}, {"progress", progress}, {"message", message}};
  if (total >= progress) params["total"] = total;
  sink_.notify(RpcNotification{std::string(kProgress), std::move(params)});
}

}  // namespace agenttalk::mcp
