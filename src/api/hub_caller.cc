#include "api/hub_caller.h"

#include <fmt/format.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
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
using Clock = std::chrono::steady_clock;

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

// In this process.
Result<json::value> CallHere(const fs::path& directory, const std::string& method,
                             const json::object& parameters) {
  const bool reads = TRY(HubService::IsReading(method));
  HubOptions options;
  options.mode = reads ? HubMode::kRead : HubMode::kControl;
  const std::unique_ptr<Hub> hub = TRY(Hub::Open(directory, std::move(options)));
  HubService service(*hub);
  std::optional<Result<json::value>> result;
  const auto take = [&](Result<json::value> value) { result = std::move(value); };
  if (reads) {
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

// One call. Kept alive by what it waits for.
class OneCall : public std::enable_shared_from_this<OneCall> {
 public:
  OneCall(boost::asio::io_context& loop, fs::path hub, std::string method, json::object parameters,
          HubCaller::Done done)
      : hub_(std::move(hub)),
        method_(std::move(method)),
        parameters_(std::move(parameters)),
        done_(std::move(done)),
        socket_(loop),
        timer_(loop),
        until_(Clock::now() + kPatience) {}

  // A server that is not there, or goes away before it has answered: it is done here.
  void Try() {
    const auto address = SocketAddress::For(SocketOf(hub_));
    if (!address) return DoHere();
    error_code error;
    socket_ = stream_protocol::socket(socket_.get_executor());
    socket_.connect(stream_protocol::endpoint(address->path()), error);
    if (error) return DoHere();
    request_ = {http::verb::post, "/v1/" + method_, 11};
    request_.set(http::field::host, "agenttalk");
    request_.set(http::field::content_type, "application/json");
    request_.body() = CompactJson(parameters_);
    request_.prepare_payload();
    http::async_write(socket_, request_,
                      [self = shared_from_this()](const error_code& failed, std::size_t /*size*/) {
                        if (failed) return self->DoHere();
                        self->Read();
                      });
  }

 private:
  void Read() {
    parser_.emplace();
    parser_->body_limit(boost::none);
    http::async_read(socket_, buffer_, *parser_,
                     [self = shared_from_this()](const error_code& failed, std::size_t /*size*/) {
                       if (failed) return self->DoHere();
                       self->Finish(ReadAnswer(self->parser_->get()), HubCaller::Where::kServer);
                     });
  }

  void DoHere() { Finish(CallHere(hub_, method_, parameters_), HubCaller::Where::kHere); }

  void Finish(Result<json::value> result, HubCaller::Where where) {
    const bool locked = !result && result.error().code == ErrorCode::kHubLocked;
    if (!locked || Clock::now() > until_) return done_(std::move(result), where);
    buffer_.clear();
    timer_.expires_after(kPause);
    timer_.async_wait([self = shared_from_this()](const error_code& stopped) {
      if (!stopped) self->Try();
    });
  }

  const fs::path hub_;
  const std::string method_;
  const json::object parameters_;
  const HubCaller::Done done_;
  stream_protocol::socket socket_;
  boost::asio::steady_timer timer_;
  const Clock::time_point until_;
  http::request<http::string_body> request_;
  std::optional<http::response_parser<http::string_body>> parser_;
  boost::beast::flat_buffer buffer_;
};

}  // namespace

void HubCaller::Call(const std::string& method, json::object parameters, Done done) {
  const auto reads = HubService::IsReading(method);
  if (!reads) return done(std::unexpected(reads.error()), Where::kHere);
  if (!*reads) parameters["client_id"] = NewClientId();
  std::make_shared<OneCall>(loop_, hub_, method, std::move(parameters), std::move(done))->Try();
}

}  // namespace agenttalk
