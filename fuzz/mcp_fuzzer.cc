// What MCP clients and servers send: a message that is read means the same when it is written and read again;
// a line leads to lines that are messages themselves, whatever it holds; and an address of a resource is read
// back.
#include <algorithm>
#include <boost/json.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/error.h"
#include "base/error_code.h"
#include "mcp/message.h"
#include "mcp/server/http_request.h"
#include "mcp/server/hub_calls.h"
#include "mcp/server/resources.h"
#include "mcp/server/server.h"
#include "mcp/server/stdio_session.h"

namespace agenttalk::mcp {
namespace {

constexpr std::size_t kLargest = std::size_t{1} << 16U;

// Knows nothing and never takes its time.
class EmptyHub final : public HubCalls {
 public:
  [[nodiscard]] bool Allows(std::string_view /*method*/) const override { return true; }
  void Call(const std::string& /*method*/, boost::json::object /*parameters*/, Done done) override {
    done(Fail(ErrorCode::kPlanUnknown, "there is no such plan"));
  }
  void Advance(const std::string& /*plan*/) override {}
  [[nodiscard]] std::optional<Error> Obstacle(const std::string& /*plan*/) const override {
    return std::nullopt;
  }
  void Later(std::chrono::milliseconds /*time*/, std::function<void()> /*then*/) override {}
  [[nodiscard]] std::chrono::steady_clock::time_point Now() const override { return {}; }
};

void CheckMessage(std::string_view text) {
  const auto message = ParseRpc(text, kLargest);
  if (!message) {
    CHECK(message.error().error() != nullptr);
    return;
  }
  const std::string written = RpcText(*message);
  CHECK(!written.contains('\n'));
  const auto again = ParseRpc(written, 4 * kLargest);
  CHECK(again && RpcText(*again) == written);
}

void CheckSession(std::string_view text) {
  StdioSession session(Server(std::make_shared<EmptyHub>()), kLargest, [](const std::string& line) {
    CHECK(!line.contains('\n'));
    CHECK(ParseRpc(line, 16 * kLargest).has_value());
  });
  session.Take(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}})");
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    session.Take(line);
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  CHECK(!session.busy());
}

void CheckAddress(std::string_view text) {
  const auto name = ParseUri(text);
  if (!name) return;
  const auto again = ParseUri(UriOf(*name));
  CHECK(again && again->plan == name->plan && again->file == name->file && again->version == name->version);
}

}  // namespace
}  // namespace agenttalk::mcp

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  agenttalk::mcp::CheckMessage(text);
  agenttalk::mcp::CheckSession(text);
  agenttalk::mcp::CheckAddress(text);
  agenttalk::mcp::ReadHttp({std::string("2026-07-28"), std::string(text.substr(0, 20)), std::string(text)},
                           text, 1U << 16U);
  return 0;
}
