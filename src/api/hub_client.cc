#include "api/hub_client.h"

#include <fmt/format.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <boost/json.hpp>
#include <boost/system/error_code.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "api/hub_service.h"
#include "api/socket_address.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/json.h"
#include "runtime/hub.h"
#include "runtime/hub_home.h"

namespace agenttalk {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
namespace http = boost::beast::http;
using boost::asio::local::stream_protocol;
using boost::system::error_code;

// How long another short possession of the hub is waited for.
constexpr auto kPatience = std::chrono::seconds(10);
constexpr auto kPause = std::chrono::milliseconds(20);

std::string NewClientId() {
  std::random_device device;
  const auto word = [&] { return static_cast<std::uint64_t>(device()) << 32U | device(); };
  return fmt::format("{:016x}{:016x}", word(), word());
}

std::string Field(const json::object& object, const char* name) {
  const json::value* found = object.if_contains(name);
  return found != nullptr && found->is_string() ? std::string(found->as_string()) : std::string();
}

Result<json::value> ReadAnswer(const http::response<http::string_body>& response) {
  json::value value = TRY(ParseJson(response.body(), {std::numeric_limits<std::size_t>::max(), 64}));
  if (response.result() == http::status::ok) return value;
  const json::object* object = value.if_object();
  const json::value* error = object == nullptr ? nullptr : object->if_contains("error");
  if (error == nullptr || !error->is_object())
    return Fail(ErrorCode::kIo, "the server's answer cannot be read");
  if (object->contains("errors")) return value;
  const json::object& what = error->as_object();
  return Fail(CodeNamed(Field(what, "code")).value_or(ErrorCode::kInternal), Field(what, "message"),
              Field(what, "hint"));
}

// Nothing: there is no server, or it went away before it answered.
std::optional<Result<json::value>> CallServer(const fs::path& hub, const std::string& method,
                                              const std::string& body) {
  const auto address = SocketAddress::For(SocketOf(hub));
  if (!address) return std::nullopt;
  boost::asio::io_context context;
  stream_protocol::socket socket(context);
  error_code error;
  socket.connect(stream_protocol::endpoint(address->path()), error);
  if (error) return std::nullopt;
  http::request<http::string_body> request(http::verb::post, "/v1/" + method, 11);
  request.set(http::field::host, "agenttalk");
  request.set(http::field::content_type, "application/json");
  request.body() = body;
  request.prepare_payload();
  http::write(socket, request, error);
  if (error) return std::nullopt;
  http::response_parser<http::string_body> parser;
  parser.body_limit(boost::none);
  boost::beast::flat_buffer buffer;
  http::read(socket, buffer, parser, error);
  if (error) return std::nullopt;
  return ReadAnswer(parser.get());
}

}  // namespace

Result<json::value> HubClient::CallHere(const std::string& method, const json::object& parameters) {
  HubOptions options;
  options.mode = TRY(HubService::IsReading(method)) ? HubMode::kRead : HubMode::kControl;
  const std::unique_ptr<Hub> hub = TRY(Hub::Open(hub_, std::move(options)));
  HubService service(*hub);
  std::optional<Result<json::value>> result;
  const auto take = [&](Result<json::value> value) { result = std::move(value); };
  if (TRY(HubService::IsReading(method))) {
    service.Call(method, parameters, take);
    return *std::move(result);
  }
  bool asked = false;
  TRY(hub->ServeUntil([&] {
    if (!std::exchange(asked, true)) service.Call(method, parameters, take);
    return result.has_value();
  }));
  if (!result) return Fail(ErrorCode::kDiskFull, "nothing can be recorded", "make space, then try again");
  return *std::move(result);
}

Result<json::value> HubClient::Call(const std::string& method, json::object parameters) {
  if (!TRY(HubService::IsReading(method))) parameters["client_id"] = NewClientId();
  const std::string body = CompactJson(parameters);
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (true) {
    auto answer = CallServer(hub_, method, body);
    auto result = answer ? *std::move(answer) : CallHere(method, parameters);
    const bool locked = !result && result.error().code == ErrorCode::kHubLocked;
    if (!locked || std::chrono::steady_clock::now() > until) return result;
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace agenttalk
