#include "api/api_server.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

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
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/http_reply.h"
#include "api/hub_service.h"
#include "api/socket_address.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/heap.h"
#include "base/visible_text.h"
#include "model/config/hub_config.h"
#include "runtime/hub.h"
#include "runtime/hub_home.h"

namespace agenttalk {
namespace {

namespace json = boost::json;
namespace http = boost::beast::http;
using boost::asio::local::stream_protocol;
using boost::system::error_code;

constexpr std::string_view kPrefix = "/v1/";
constexpr int kBacklog = 64;
// Who holds more connections open than this is told so; the owner's verbs use one each.
constexpr std::size_t kMostConnections = 256;
// From a request's first byte to its last, and for the answer to be taken.
constexpr auto kTransferTime = std::chrono::seconds(30);
// Read at once; without room for it a request comes in pieces of 512 bytes.
constexpr std::size_t kUsualRequest = 4096;
// A connection that asks nothing any more.
constexpr auto kIdleTime = std::chrono::minutes(10);
// There are no descriptors left: accepting again at once would only fail at once.
constexpr auto kAcceptPause = std::chrono::milliseconds(100);

// One connection: a request, its answer, the next request. Kept alive by what it waits for.
class Session : public std::enable_shared_from_this<Session> {
 public:
  // `place` is held as long as the connection is open.
  Session(stream_protocol::socket socket, std::shared_ptr<HubService> service, std::uint64_t largest_body,
          std::shared_ptr<void> place)
      : socket_(std::move(socket)),
        timer_(socket_.get_executor()),
        service_(std::move(service)),
        largest_body_(largest_body),
        place_(std::move(place)) {
    buffer_.reserve(kUsualRequest);
  }

  void Read() {
    LimitTo(kIdleTime);
    if (buffer_.size() > 0) return ReadRequest();
    socket_.async_wait(stream_protocol::socket::wait_read,
                       [self = shared_from_this()](const error_code& error) {
                         if (!error) self->ReadRequest();
                       });
  }

  void Refuse(ErrorCode code, std::string message) { Fail(code, std::move(message)); }

 private:
  // What is under way ends with an error when the time is over, and with it the connection.
  void LimitTo(std::chrono::steady_clock::duration time) {
    timer_.expires_after(time);
    timer_.async_wait([self = weak_from_this()](const error_code& error) {
      const auto session = self.lock();
      error_code ignored;
      if (!error && session) session->socket_.close(ignored);
    });
  }

  void ReadRequest() {
    LimitTo(kTransferTime);
    parser_.emplace();
    parser_->body_limit(largest_body_);
    http::async_read(socket_, buffer_, *parser_,
                     [self = shared_from_this()](const error_code& error, std::size_t /*size*/) {
                       self->timer_.cancel();
                       if (!error) self->AnswerAndFree();
                       if (error == http::error::body_limit) {
                         self->Fail(ErrorCode::kTooLarge, "the request is too large");
                       }
                     });
  }

  void Fail(ErrorCode code, std::string message) {
    const Result<json::value> failed = std::unexpected(Error{code, std::move(message), {}});
    Write(StatusOf(failed), BodyOf(failed), false);
  }

  // A plan of very many tasks is read in ten times its own size, which nobody needs afterwards.
  void AnswerAndFree() {
    constexpr std::size_t kLarge = 4 * kMebibyte;
    const bool large = parser_->get().body().size() > kLarge;
    Answer();
    if (large) ReturnFreeMemory();
  }

  void Answer() {
    const http::request<http::string_body> request = parser_->release();
    keep_alive_ = request.keep_alive();
    const std::string_view target(request.target().data(), request.target().size());
    if (request.method() != http::verb::post || !target.starts_with(kPrefix)) {
      Fail(ErrorCode::kNotFound, "ask with POST /v1/<method>");
      return;
    }
    auto parameters = ReadParameters(request.body(), largest_body_);
    if (!parameters) {
      Fail(ErrorCode::kJsonInvalid, parameters.error().message);
      return;
    }
    service_->Call(target.substr(kPrefix.size()), *parameters,
                   [self = shared_from_this()](const Result<json::value>& result) {
                     self->Write(StatusOf(result), BodyOf(result), true);
                   });
  }

  void Write(http::status status, std::string body, bool may_stay) {
    response_.emplace(status, 11);
    response_->set(http::field::content_type, "application/json");
    response_->keep_alive(may_stay && keep_alive_);
    response_->body() = VisibleText(body);
    response_->prepare_payload();
    LimitTo(kTransferTime);
    http::async_write(socket_, *response_,
                      [self = shared_from_this()](const error_code& error, std::size_t /*size*/) {
                        self->timer_.cancel();
                        if (!error && self->response_->keep_alive()) self->Read();
                      });
  }

  stream_protocol::socket socket_;
  boost::asio::steady_timer timer_;
  std::shared_ptr<HubService> service_;
  const std::uint64_t largest_body_;
  std::shared_ptr<void> place_;
  boost::beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  std::optional<http::response<http::string_body>> response_;
  bool keep_alive_ = false;
};

// Base64 makes four letters of three bytes.
std::uint64_t LargestBody(const HubLimits& limits) {
  return limits.max_input_bytes / 3 * 4 + kMebibyte;
}

}  // namespace

struct ApiServer::State : std::enable_shared_from_this<State> {
  State(Hub& hub, PageMethods page)
      : acceptor(hub.loop()),
        pause(hub.loop()),
        service(std::make_shared<HubService>(hub, std::move(page), true)),
        file(SocketOf(hub.directory())),
        largest_body(LargestBody(hub.team().config.limits)) {}

  void Accept() {
    acceptor.async_accept(
        [self = shared_from_this()](const error_code& error, stream_protocol::socket socket) {
          if (!self->acceptor.is_open()) return;
          if (error) return self->AcceptLater();
          self->Welcome(std::move(socket));
          self->Accept();
        });
  }

  void AcceptLater() {
    pause.expires_after(kAcceptPause);
    pause.async_wait([self = shared_from_this()](const error_code& error) {
      if (!error && self->acceptor.is_open()) self->Accept();
    });
  }

  void Welcome(stream_protocol::socket socket) {
    const bool full = static_cast<std::size_t>(places.use_count()) > kMostConnections;
    const auto session = std::make_shared<Session>(std::move(socket), service, largest_body, places);
    if (full) return session->Refuse(ErrorCode::kHubLocked, "too many connections are open");
    session->Read();
  }

  stream_protocol::acceptor acceptor;
  boost::asio::steady_timer pause;
  std::shared_ptr<HubService> service;
  std::shared_ptr<void> places = std::make_shared<int>();  // every connection holds one reference
  std::filesystem::path file;
  std::uint64_t largest_body;
};

ApiServer::ApiServer(std::shared_ptr<State> state) : state_(std::move(state)) {}

ApiServer::~ApiServer() {
  error_code ignored;
  state_->acceptor.close(ignored);
  state_->pause.cancel();
  ::unlink(state_->file.c_str());
}

Result<std::unique_ptr<ApiServer>> ApiServer::Open(Hub& hub, PageMethods page) {
  auto state = std::make_shared<State>(hub, std::move(page));
  ::unlink(state->file.c_str());
  const SocketAddress address = TRY(SocketAddress::For(state->file));
  error_code error;
  state->acceptor.open(stream_protocol(), error);
  // Nobody but the owner may connect, from the first moment on.
  const mode_t old = ::umask(0177);
  if (!error) state->acceptor.bind(stream_protocol::endpoint(address.path()), error);
  ::umask(old);
  if (!error) state->acceptor.listen(kBacklog, error);
  if (error) {
    return agenttalk::Fail(ErrorCode::kIo, fmt::format("{}: {}", state->file.string(), error.message()));
  }
  state->Accept();
  return std::unique_ptr<ApiServer>(new ApiServer(std::move(state)));
}

}  // namespace agenttalk
