#include "api/page/mcp_session.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <boost/system/error_code.hpp>
#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "api/page/access.h"
#include "api/page/gate.h"
#include "api/page/mcp_calls.h"
#include "base/digest.h"
#include "base/visible_text.h"
#include "mcp/message.h"
#include "mcp/protocol.h"
#include "mcp/server/exchange.h"
#include "mcp/server/http_request.h"
#include "mcp/server/server.h"
#include "runtime/hub_home.h"

namespace agenttalk {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using boost::system::error_code;

constexpr auto kWritingTime = std::chrono::seconds(30);  // for a client to read what is sent
constexpr auto kSilence = std::chrono::seconds(10);      // until a stream is begun, and between its comments
constexpr std::size_t kMostQueued = std::size_t{4} << 20U;
constexpr std::size_t kMostRemembered = 1000;  // requests that may be cancelled
constexpr unsigned kDone = 200;
constexpr unsigned kAccepted = 202;

std::optional<std::string> HeaderOf(const McpPost& post, std::string_view name) {
  const auto found = post.find(beast::string_view(name.data(), name.size()));
  if (found == post.end()) return std::nullopt;
  return std::string(found->value().data(), found->value().size());
}

template <typename Stream>
class McpSession : public std::enable_shared_from_this<McpSession<Stream>> {
 public:
  McpSession(Stream stream, McpPost post, std::shared_ptr<PageGate> gate, PageRole role)
      : stream_(std::move(stream)),
        post_(std::move(post)),
        gate_(std::move(gate)),
        role_(role),
        timer_(stream_.get_executor()),
        streams_(HeaderOf(post_, "Accept").value_or("").contains("text/event-stream")),
        client_(HeaderOf(post_, "Mcp-Session-Id").value_or(std::string())) {}
  ~McpSession() { gate_->Leave(); }
  McpSession(const McpSession&) = delete;
  McpSession& operator=(const McpSession&) = delete;

  void Begin() {
    auto read = mcp::ReadHttp(
        {HeaderOf(post_, "MCP-Protocol-Version"), HeaderOf(post_, "Mcp-Method"), HeaderOf(post_, "Mcp-Name")},
        post_.body(), gate_->largest_body());
    if (const auto* answer = std::get_if<mcp::HttpAnswer>(&read)) {
      Respond(answer->status, answer->body ? mcp::RpcText(*answer->body) : std::string());
    } else if (const auto* cancel = std::get_if<mcp::HttpCancel>(&read)) {
      Cancel(cancel->id);
    } else {
      Handle(std::get<mcp::HttpRequest>(read));
    }
  }

 private:
  // Requests are told apart by session, which only clients of the legacy era have.
  [[nodiscard]] std::string KeyOf(const mcp::RpcId& id) const {
    return client_.empty() ? std::string()
                           : fmt::format("{} {}", client_, mcp::RpcText(mcp::RpcRequest{id, "", {}}));
  }

  void Cancel(const mcp::RpcId& id) {
    auto& requests = gate_->mcp_requests();
    if (const auto found = requests.find(KeyOf(id)); found != requests.end()) {
      if (const auto exchange = found->second.lock()) exchange->Cancel();
      requests.erase(found);
    }
    Respond(kAccepted, {});
  }

  void Handle(const mcp::HttpRequest& read) {
    const mcp::Server server(std::make_shared<McpCalls>(gate_, role_));
    // A name for the session that nothing is kept under: it survives a restart of the hub.
    if (read.era == mcp::Era::kLegacy && read.request.method == mcp::kInitialize) {
      if (auto bytes = RandomBytes(16)) new_session_ = Sha256(*bytes).Hex().substr(0, 32);
    }
    auto self = this->shared_from_this();
    auto exchange =
        server.Handle(read.request, read.era,
                      {.notify = [self](const mcp::RpcNotification& news) { self->Send(mcp::RpcText(news)); },
                       .answer =
                           [self, era = read.era](const mcp::RpcResponse& response) {
                             self->Finish(mcp::HttpStatusOf(response, era), mcp::RpcText(response));
                           }});
    if (exchange->over()) return;
    Remember(KeyOf(read.request.id), exchange);
    exchange_ = std::move(exchange);
    beast::get_lowest_layer(stream_).expires_never();
    WatchForEnd();
    KeepAlive();
  }

  void Remember(const std::string& key, const std::shared_ptr<mcp::Exchange>& exchange) {
    auto& requests = gate_->mcp_requests();
    if (key.empty()) return;
    if (requests.size() >= kMostRemembered)
      std::erase_if(requests, [](const auto& entry) { return entry.second.expired(); });
    if (requests.size() < kMostRemembered) requests[key] = exchange;
  }

  // The client sends nothing more: what becomes readable is its end.
  void WatchForEnd() {
    beast::get_lowest_layer(stream_).socket().async_wait(
        asio::ip::tcp::socket::wait_read, [self = this->weak_from_this()](const error_code& error) {
          const auto session = self.lock();
          if (!session || error) return;
          char byte = 0;
          const int socket = beast::get_lowest_layer(session->stream_).socket().native_handle();
          if (::recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) <= 0) session->Abandon();
        });
  }

  void Abandon() {
    timer_.cancel();
    ended_ = true;
    if (const auto exchange = std::exchange(exchange_, nullptr)) exchange->Cancel();
    beast::get_lowest_layer(stream_).close();
  }

  void KeepAlive() {
    timer_.expires_after(kSilence);
    timer_.async_wait([self = this->weak_from_this()](const error_code& error) {
      const auto session = self.lock();
      if (error || !session || session->ended_) return;
      if (session->streams_) session->Push(":\n\n");
      session->KeepAlive();
    });
  }

  void Send(const std::string& message) {
    if (!ended_ && streams_) Push(fmt::format("event: message\ndata: {}\n\n", VisibleText(message)));
  }

  void Finish(unsigned status, const std::string& message) {
    if (ended_) return;
    timer_.cancel();
    exchange_.reset();
    if (!streaming_) return Respond(status, message);
    Send(message);
    ended_ = true;
    if (!writing_) Close();
  }

  void Respond(unsigned status, const std::string& body) {
    ended_ = true;
    response_.emplace(static_cast<http::status>(status), 11);
    if (status == kDone || !body.empty()) response_->set(http::field::content_type, "application/json");
    response_->set(http::field::cache_control, "no-store");
    response_->set("X-Content-Type-Options", "nosniff");
    if (!new_session_.empty()) response_->set("Mcp-Session-Id", new_session_);
    response_->keep_alive(false);
    response_->body() = VisibleText(body);
    response_->prepare_payload();
    beast::get_lowest_layer(stream_).expires_after(kWritingTime);
    http::async_write(stream_, *response_,
                      [self = this->shared_from_this()](const error_code& error, std::size_t /*size*/) {
                        if (!error) self->Close();
                      });
  }

  void Push(std::string bytes) {
    if (!std::exchange(streaming_, true)) {
      bytes.insert(0,
                   "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n"
                   "Connection: close\r\nX-Accel-Buffering: no\r\nX-Content-Type-Options: nosniff\r\n\r\n");
    }
    queued_ += bytes.size();
    queue_.push_back(std::move(bytes));
    if (queued_ > kMostQueued) return Abandon();  // the client does not read
    if (!writing_) WriteNext();
  }

  void WriteNext() {
    writing_ = true;
    beast::get_lowest_layer(stream_).expires_after(kWritingTime);
    asio::async_write(stream_, asio::buffer(queue_.front()),
                      [self = this->shared_from_this()](const error_code& error, std::size_t /*size*/) {
                        self->writing_ = false;
                        if (error) return self->Abandon();
                        beast::get_lowest_layer(self->stream_).expires_never();
                        self->queued_ -= self->queue_.front().size();
                        self->queue_.pop_front();
                        if (!self->queue_.empty()) return self->WriteNext();
                        if (self->ended_) self->Close();
                      });
  }

  void Close() {
    if constexpr (std::is_same_v<Stream, beast::tcp_stream>) {
      error_code ignored;
      stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
    } else {
      beast::get_lowest_layer(stream_).expires_after(kWritingTime);
      stream_.async_shutdown([self = this->shared_from_this()](const error_code& /*error*/) {});
    }
  }

  Stream stream_;
  const McpPost post_;
  const std::shared_ptr<PageGate> gate_;
  const PageRole role_;
  asio::steady_timer timer_;
  const bool streams_;  // the client reads streams
  const std::string client_;
  std::string new_session_;
  std::shared_ptr<mcp::Exchange> exchange_;
  std::optional<http::response<http::string_body>> response_;
  std::deque<std::string> queue_;
  std::size_t queued_ = 0;
  bool streaming_ = false;
  bool writing_ = false;
  bool ended_ = false;
};

template <typename Stream>
void Serve(Stream stream, McpPost post, std::shared_ptr<PageGate> gate, PageRole role) {
  if (!gate->Enter()) return;
  std::make_shared<McpSession<Stream>>(std::move(stream), std::move(post), std::move(gate), role)->Begin();
}

}  // namespace

void ServeMcp(beast::tcp_stream stream, McpPost post, std::shared_ptr<PageGate> gate, PageRole role) {
  Serve(std::move(stream), std::move(post), std::move(gate), role);
}

void ServeMcp(beast::ssl_stream<beast::tcp_stream> stream, McpPost post, std::shared_ptr<PageGate> gate,
              PageRole role) {
  Serve(std::move(stream), std::move(post), std::move(gate), role);
}

}  // namespace agenttalk
