#pragma once

#include <boost/json/fwd.hpp>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace agenttalk::mcp {

// The hub that an MCP server is for, as the server sees it: the methods of the control interface
// (docs/formats/api.md) and whatever time they take. Everything happens on one loop.
class HubCalls {
 public:
  using Done = std::function<void(Result<boost::json::value>)>;

  HubCalls() = default;
  HubCalls(const HubCalls&) = delete;
  HubCalls& operator=(const HubCalls&) = delete;
  virtual ~HubCalls() = default;

  // Whether whoever asks may call the method at all.
  [[nodiscard]] virtual bool Allows(std::string_view method) const = 0;
  // `done` is called once; it may be before this returns.
  virtual void Call(const std::string& method, boost::json::object parameters, Done done) = 0;

  // Something was asked of the plan: if no process works on it, start one, where that is this side's to do.
  virtual void Advance(const std::string& plan) = 0;
  // Why the process that Advance started did not work on the plan; nothing: it does, or did.
  [[nodiscard]] virtual std::optional<Error> Obstacle(const std::string& plan) const = 0;

  virtual void Later(std::chrono::milliseconds time, std::function<void()> then) = 0;
  [[nodiscard]] virtual std::chrono::steady_clock::time_point Now() const = 0;
};

}  // namespace agenttalk::mcp
