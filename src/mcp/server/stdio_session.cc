#include "mcp/server/stdio_session.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "mcp/message.h"
#include "mcp/protocol.h"
#include "mcp/server/exchange.h"
#include "mcp/server/server.h"

namespace agenttalk::mcp {

void StdioSession::Take(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.find_first_not_of(" \t") == std::string_view::npos) return;
  const auto message = ParseRpc(line, largest_);
  if (!message) {
    write_(RpcText(message.error()));
  } else if (const auto* request = std::get_if<RpcRequest>(&*message)) {
    Begin(*request);
  } else if (const auto* notification = std::get_if<RpcNotification>(&*message)) {
    Notice(*notification);
  }
  // Responses: nothing is asked of clients, so that there is nothing to answer.
}

void StdioSession::TakeTooLong() {
  write_(RpcText(RpcFailure(std::nullopt, kParseError, "the message is too large")));
}

void StdioSession::End() {
  for (auto& [id, exchange] : *under_way_) exchange->Cancel();
  under_way_->clear();
}

void StdioSession::Refuse(const RpcRequest& request, RpcError error) {
  write_(RpcText(RpcResponse{request.id, std::move(error)}));
}

void StdioSession::Begin(const RpcRequest& request) {
  const Era era = IsModern(request) ? Era::kModern : Era::kLegacy;
  if (under_way_->contains(request.id))
    return Refuse(request, {kInvalidRequest, "a request with this id is under way"});
  if (under_way_->size() >= kMostRequests)
    return Refuse(request, {kInternalError, "too many requests are under way"});
  if (era == Era::kModern) {
    if (auto wrong = CheckModern(request)) return Refuse(request, *std::move(wrong));
  } else if (request.method == kInitialize) {
    initialized_ = true;
  } else if (!initialized_ && request.method != kPing) {
    return Refuse(request, {kInvalidRequest, "send initialize first, or the metadata of 2026-07-28"});
  }
  const auto under_way = under_way_;
  auto exchange = server_.Handle(request, era,
                                 {.notify = [this](const RpcNotification& news) { write_(RpcText(news)); },
                                  .answer =
                                      [this, under_way, id = request.id](const RpcResponse& response) {
                                        under_way->erase(id);
                                        write_(RpcText(response));
                                      }});
  if (!exchange->over()) under_way->emplace(request.id, std::move(exchange));
}

void StdioSession::Notice(const RpcNotification& notification) {
  if (notification.method != kCancelled) return;
  const auto* given = notification.params.if_contains("requestId");
  const auto id = given == nullptr ? std::nullopt : IdOf(*given);
  const auto found = id ? under_way_->find(*id) : under_way_->end();
  if (found == under_way_->end()) return;
  found->second->Cancel();
  under_way_->erase(found);
}

}  // namespace agenttalk::mcp
