#include "api/page/server.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream_base.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/ssl.hpp>
#include <boost/json.hpp>
#include <boost/system/error_code.hpp>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/hub_service.h"
#include "api/page/access.h"
#include "api/page/gate.h"
#include "api/page/mcp_calls.h"
#include "api/page/session.h"
#include "api/page/stream.h"
#include "api/parameters.h"
#include "base/error.h"
#include "base/error_code.h"
#include "runtime/hub.h"

namespace agenttalk {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

constexpr int kBacklog = 64;
constexpr auto kAcceptPause = std::chrono::milliseconds(200);

bool IsLoopbackAddress(const std::string& text) {
  error_code error;
  const auto address = asio::ip::make_address(text == "localhost" ? "127.0.0.1" : text, error);
  return !error && address.is_loopback();
}

Result<void> CheckReach(const PageOptions& options) {
  const bool tls = !options.tls_certificate.empty();
  if (tls != !options.tls_key.empty())
    return Fail(ErrorCode::kUsage, "--tls-cert and --tls-key belong together", "give both, or neither");
  if (tls || options.insecure || IsLoopbackAddress(options.address)) return {};
  return Fail(
      ErrorCode::kUsage,
      fmt::format("{} can be reached by others, and plain HTTP shows them everything", options.address),
      "give --tls-cert and --tls-key, or say --insecure-http if a proxy in front of it has TLS");
}

}  // namespace

Result<PageOptions> ParsePageAddress(const std::string& text) {
  PageOptions options;
  if (text.empty()) return options;
  std::string port = text;
  if (const auto colon = text.rfind(':'); colon != std::string::npos) {
    if (colon > 0) options.address = text.substr(0, colon);
    port = text.substr(colon + 1);
  } else if (text.find_first_not_of("0123456789") != std::string::npos) {
    options.address = text;
    return options;
  }
  if (options.address.starts_with('[') && options.address.ends_with(']'))
    options.address = options.address.substr(1, options.address.size() - 2);
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), options.port);
  if (error != std::errc() || end != port.data() + port.size())
    return Fail(ErrorCode::kUsage, fmt::format("{} is not an address with a port", text),
                "for instance 127.0.0.1:7717");
  return options;
}

struct PageServer::State : std::enable_shared_from_this<State> {
  State(Hub& hub, PageOptions wanted)
      : options(std::move(wanted)),
        acceptor(hub.loop()),
        pause(hub.loop()),
        frames(std::make_shared<EventFrames>(hub)),
        gate(std::make_shared<PageGate>(hub, options.read_only)) {}

  Result<void> Listen(Hub& hub);
  Result<void> LoadCertificate();
  void Accept();
  void Take(tcp::socket socket);

  const PageOptions options;
  tcp::acceptor acceptor;
  asio::steady_timer pause;
  std::shared_ptr<EventFrames> frames;
  std::shared_ptr<PageGate> gate;
  std::optional<asio::ssl::context> tls;
};

Result<void> PageServer::State::LoadCertificate() {
  if (options.tls_certificate.empty()) return {};
  tls.emplace(asio::ssl::context::tls_server);
  error_code error;
  tls->use_certificate_chain_file(options.tls_certificate.string(), error);
  if (error)
    return Fail(ErrorCode::kIo, fmt::format("{}: {}", options.tls_certificate.string(), error.message()));
  tls->use_private_key_file(options.tls_key.string(), asio::ssl::context::pem, error);
  if (error) return Fail(ErrorCode::kIo, fmt::format("{}: {}", options.tls_key.string(), error.message()));
  return {};
}

Result<void> PageServer::State::Listen(Hub& hub) {
  error_code error;
  const auto address =
      asio::ip::make_address(options.address == "localhost" ? "127.0.0.1" : options.address, error);
  if (error)
    return Fail(ErrorCode::kUsage, fmt::format("{} is not an address", options.address),
                "for instance 127.0.0.1:7717");
  const tcp::endpoint endpoint(address, options.port);
  acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(asio::socket_base::reuse_address(true), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(kBacklog, error);
  if (error) {
    return Fail(ErrorCode::kIo,
                fmt::format("cannot listen on {}:{}: {}", options.address, options.port, error.message()),
                "choose another port with --http ADDR:PORT");
  }
  return gate->Open(hub, PageOrigin(tls.has_value(), options.address, acceptor.local_endpoint().port()));
}

void PageServer::State::Take(tcp::socket socket) {
  if (!gate->Enter()) return;  // too many connections: this one is closed
  if (tls) {
    ServePageSession(boost::beast::ssl_stream<boost::beast::tcp_stream>(std::move(socket), *tls), gate,
                     frames);
  } else {
    ServePageSession(boost::beast::tcp_stream(std::move(socket)), gate, frames);
  }
}

void PageServer::State::Accept() {
  acceptor.async_accept([self = shared_from_this()](const error_code& error, tcp::socket socket) {
    if (!self->acceptor.is_open()) return;
    if (!error) {
      self->Take(std::move(socket));
      self->Accept();
      return;
    }
    // No descriptors left, for instance: look again in a moment instead of spinning.
    self->pause.expires_after(kAcceptPause);
    self->pause.async_wait([self](const error_code& stopped) {
      if (!stopped) self->Accept();
    });
  });
}

PageServer::PageServer(std::shared_ptr<State> state) : state_(std::move(state)) {}

PageServer::~PageServer() {
  error_code ignored;
  state_->acceptor.close(ignored);
  state_->pause.cancel();
  state_->gate->Close();
}

Result<std::unique_ptr<PageServer>> PageServer::Open(Hub& hub, PageOptions options) {
  TRY(CheckReach(options));
  auto state = std::make_shared<State>(hub, std::move(options));
  TRY(state->LoadCertificate());
  TRY(state->Listen(hub));
  state->frames->Begin();
  state->Accept();
  return std::unique_ptr<PageServer>(new PageServer(std::move(state)));
}

Result<std::string> PageServer::NewLink() {
  return state_->gate->NewLink();
}

PageMethods PageServer::Methods() const {
  return [gate = state_->gate](std::string_view method,
                               const boost::json::object& parameters) -> Result<boost::json::value> {
    if (method == "page/link") return boost::json::object{{"url", TRY(gate->NewLink())}};
    const std::string name = TRY(OptionalText(parameters, "role"));
    const auto role = RoleNamed(name.empty() ? "operate" : name);
    if (!role)
      return Fail(ErrorCode::kValueInvalid, fmt::format("there is no role {}", name),
                  "one of: view, answer, operate");
    return boost::json::object{{"url", gate->origin().url() + std::string(kMcpPath)},
                               {"token", TRY(gate->NewToken(*role))},
                               {"role", RoleName(*role)}};
  };
}

const std::string& PageServer::url() const {
  return state_->gate->origin().url();
}

}  // namespace agenttalk
