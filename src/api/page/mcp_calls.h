#pragma once

#include <boost/json/fwd.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/page/access.h"
#include "api/page/gate.h"
#include "base/error.h"
#include "mcp/server/hub_calls.h"

namespace agenttalk {

// Where the page's listener serves MCP.
inline constexpr std::string_view kMcpPath = "/mcp";

// The hub as a program sees it that came in through the page's gate, in its role.
class McpCalls final : public mcp::HubCalls {
 public:
  McpCalls(std::shared_ptr<PageGate> gate, PageRole role)
      : gate_(std::move(gate)), role_(gate_->Limit(role)) {}

  [[nodiscard]] bool Allows(std::string_view method) const override;
  void Call(const std::string& method, boost::json::object parameters, Done done) override;
  // The process that serves the page does the work.
  void Advance(const std::string& /*plan*/) override {}
  [[nodiscard]] std::optional<Error> Obstacle(const std::string& /*plan*/) const override {
    return std::nullopt;
  }
  void Later(std::chrono::milliseconds time, std::function<void()> then) override;
  [[nodiscard]] std::chrono::steady_clock::time_point Now() const override {
    return std::chrono::steady_clock::now();
  }

 private:
  std::shared_ptr<PageGate> gate_;
  const PageRole role_;
};

}  // namespace agenttalk
