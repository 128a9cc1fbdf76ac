#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "mcp/message.h"
#include "mcp/server/exchange.h"
#include "mcp/server/server.h"

namespace agenttalk::mcp {

// The protocol on two streams of lines, without the streams. Both eras may be spoken, each request by what it
// carries; requests of the legacy era are answered after `initialize`.
class StdioSession {
 public:
  using Write = std::function<void(const std::string& line)>;
  static constexpr std::size_t kMostRequests = 64;  // under way at once

  StdioSession(Server server, std::size_t largest, Write write)
      : server_(std::move(server)), largest_(largest), write_(std::move(write)) {}
  ~StdioSession() { End(); }
  StdioSession(const StdioSession&) = delete;
  StdioSession& operator=(const StdioSession&) = delete;

  // One line, without its end.
  void Take(std::string_view line);
  // A line that was too long to be kept.
  void TakeTooLong();
  // The client is gone: nothing more is written.
  void End();
  [[nodiscard]] bool busy() const { return !under_way_->empty(); }

 private:
  void Begin(const RpcRequest& request);
  void Refuse(const RpcRequest& request, RpcError error);
  void Notice(const RpcNotification& notification);

  const Server server_;
  const std::size_t largest_;
  const Write write_;
  bool initialized_ = false;
  // Shared with the answers on their way, which may come after the session.
  std::shared_ptr<std::map<RpcId, std::shared_ptr<Exchange>>> under_way_ =
      std::make_shared<std::map<RpcId, std::shared_ptr<Exchange>>>();
};

}  // namespace agenttalk::mcp
