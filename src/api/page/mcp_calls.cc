#include "api/page/mcp_calls.h"

#include <fmt/format.h>

#include <boost/asio/steady_timer.hpp>
#include <boost/json.hpp>
#include <boost/system/error_code.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/page/access.h"
#include "base/error.h"
#include "base/error_code.h"

namespace agenttalk {
namespace {

// What the tools call beside what the page may call.
std::optional<PageRole> ToolRoleFor(std::string_view method) {
  if (method == "events") return PageRole::kView;
  if (method == "plan/continue" || method == "send" || method == "command/new") return PageRole::kOperate;
  return RoleFor(method);
}

}  // namespace

bool McpCalls::Allows(std::string_view method) const {
  const auto needed = ToolRoleFor(method);
  return needed.has_value() && *needed <= role_;
}

void McpCalls::Call(const std::string& method, boost::json::object parameters, Done done) {
  if (!Allows(method))
    return done(Fail(ErrorCode::kPermissionDenied, fmt::format("this session may not call {}", method)));
  gate_->Call(method, parameters, std::move(done));
}

void McpCalls::Later(std::chrono::milliseconds time, std::function<void()> then) {
  auto timer = std::make_shared<boost::asio::steady_timer>(gate_->executor(), time);
  timer->async_wait([timer, then = std::move(then)](const boost::system::error_code& error) {
    if (!error) then();
  });
}

}  // namespace agenttalk
