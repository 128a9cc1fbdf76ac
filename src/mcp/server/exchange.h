#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "mcp/message.h"

namespace agenttalk::mcp {

// How a client speaks: every request for itself (2026-07-28), or after `initialize` (2025-11-25 and before).
enum class Era : std::uint8_t { kModern, kLegacy };

// Where the messages about one request go.
struct Sink {
  std::function<void(const RpcNotification&)> notify;
  std::function<void(const RpcResponse&)> answer;
};

// One request on its way to its answer. After the answer, or after Cancel, nothing more is sent about it.
class Exchange {
 public:
  Exchange(const RpcRequest& request, Era era, Sink sink);

  [[nodiscard]] Era era() const { return era_; }
  [[nodiscard]] bool over() const { return over_; }
  // The client asked to hear how far it is.
  [[nodiscard]] bool wants_progress() const { return token_.has_value(); }

  void Answer(boost::json::object result);
  // A result that the client may keep for a while, for itself alone.
  void AnswerCacheable(boost::json::object result, std::uint64_t ttl_ms);
  void Fail(int code, std::string message, std::optional<boost::json::value> data = {});
  // `progress` grows with each report, whatever is given.
  void Report(double progress, double total, const std::string& message);
  void Cancel() { over_ = true; }

 private:
  const RpcId id_;
  const Era era_;
  const Sink sink_;
  std::optional<boost::json::value> token_;
  double reported_ = -1;
  bool over_ = false;
};

}  // namespace agenttalk::mcp
