#include "api/page/session.h"

#include <fmt/format.h>

#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <boost/json.hpp>
#include <boost/system/error_code.hpp>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "api/http_reply.h"
#include "api/page/access.h"
#include "api/page/answer_shelf.h"
#include "api/page/assets.h"
#include "api/page/gate.h"
#include "api/page/mcp_calls.h"
#include "api/page/mcp_session.h"
#include "api/page/stream.h"
#include "base/base64.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/json.h"

namespace agenttalk {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace json = boost::json;
using boost::system::error_code;

constexpr std::string_view kMethodPrefix = "/v1/";
constexpr std::string_view kStream = "/v1/stream";
constexpr std::string_view kFile = "/v1/file";
constexpr std::string_view kLogin = "/login";
constexpr auto kPatience = std::chrono::seconds(30);  // for a request, and for its answer to be read
constexpr auto kIdle = std::chrono::seconds(75);      // between two requests
constexpr auto kHeartbeat = std::chrono::seconds(15);
constexpr std::uint32_t kLargestHeader = 16 * 1024;

// Nothing but the page's own script and style may run or load; nothing may frame it.
constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
// What a model or a file said is shown in a frame of its own that may do nothing at all.
constexpr std::string_view kPolicyOfFiles = "sandbox; default-src 'none'";

std::string_view View(beast::string_view text) {
  return {text.data(), text.size()};
}

// The value of a parameter of an address; percent signs are decoded.
std::string QueryValue(std::string_view target, std::string_view name) {
  const auto question = target.find('?');
  std::string_view rest =
      question == std::string_view::npos ? std::string_view() : target.substr(question + 1);
  while (!rest.empty()) {
    const std::string_view one = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(rest.size(), one.size() + 1));
    const auto equals = one.find('=');
    if (one.substr(0, equals) != name || equals == std::string_view::npos) continue;
    std::string value;
    for (std::size_t i = equals + 1; i < one.size(); ++i) {
      unsigned byte = 0;
      const bool coded =
          one[i] == '%' && i + 2 < one.size() + 0 &&
          std::from_chars(one.data() + i + 1, one.data() + i + 3, byte, 16).ptr == one.data() + i + 3;
      value += coded ? static_cast<char>(byte) : one[i];
      if (coded) i += 2;
    }
    return value;
  }
  return {};
}

// Types that a browser shows without running anything of them; everything else is offered as a download.
std::string_view InlineTypeOf(std::string_view name) {
  if (name.ends_with(".png")) return "image/png";
  if (name.ends_with(".jpg") || name.ends_with(".jpeg")) return "image/jpeg";
  if (name.ends_with(".gif")) return "image/gif";
  if (name.ends_with(".webp")) return "image/webp";
  return {};
}

template <typename Stream>
class Session : public std::enable_shared_from_this<Session<Stream>> {
 public:
  Session(Stream stream, std::shared_ptr<PageGate> gate, std::shared_ptr<EventFrames> frames)
      : stream_(std::move(stream)),
        gate_(std::move(gate)),
        frames_(std::move(frames)),
        timer_(stream_.get_executor()) {}
  ~Session() { gate_->Leave(); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void Begin() {
    if constexpr (std::is_same_v<Stream, beast::tcp_stream>) {
      ReadHeader(kPatience);
    } else {
      beast::get_lowest_layer(stream_).expires_after(kPatience);
      stream_.async_handshake(asio::ssl::stream_base::server,
                              [self = this->shared_from_this()](const error_code& error) {
                                if (!error) self->ReadHeader(kPatience);
                              });
    }
  }

 private:
  using Request = http::request<http::string_body>;
  using Response = http::response<http::string_body>;

  void ReadHeader(std::chrono::seconds patience) {
    parser_.emplace();
    parser_->header_limit(kLargestHeader);
    parser_->body_limit(boost::none);  // set when it is known who asks
    beast::get_lowest_layer(stream_).expires_after(patience);
    http::async_read_header(stream_, buffer_, *parser_,
                            [self = this->shared_from_this()](const error_code& error, std::size_t /*size*/) {
                              if (!error) self->Look();
                            });
  }

  [[nodiscard]] const Request& request() const { return parser_->get(); }
  [[nodiscard]] std::string_view Header(http::field field) const { return View(request()[field]); }
  [[nodiscard]] std::string_view Target() const { return View(request().target()); }
  [[nodiscard]] std::string_view Path() const { return Target().substr(0, Target().find('?')); }

  // Before the body is read: may this be asked at all?
  void Look() {
    if (!gate_->Spend()) return Refuse(http::status::too_many_requests, "too many requests");
    if (!gate_->origin().KnowsHost(Header(http::field::host)))
      return Refuse(http::status::misdirected_request, "this page is not served under that name");
    const std::string_view origin = Header(http::field::origin);
    if (!origin.empty() && !gate_->origin().KnowsOrigin(origin))
      return Refuse(http::status::forbidden, "a request from another site");
    const std::string_view site = View(request()["Sec-Fetch-Site"]);
    const bool called = Path().starts_with(kMethodPrefix) || Path() == kMcpPath;
    if (called && !site.empty() && site != "same-origin" && site != "none")
      return Refuse(http::status::forbidden, "a request from another site");
    if (Path() == kMcpPath) return LookAtMcp();
    role_ = gate_->RoleOf(Header(http::field::cookie));
    if (Path().starts_with(kMethodPrefix) && !role_)
      return Refuse(http::status::unauthorized, "open the page with the link that `agenttalk ui` prints");
    if (request().method() == http::verb::get) return Get();
    if (request().method() != http::verb::post || !Path().starts_with(kMethodPrefix))
      return Refuse(http::status::method_not_allowed, "ask with GET, or with POST /v1/<method>");
    Post();
  }

  void Get() {
    if (Path() == kStream) return Follow();
    if (Path() == kFile) return Download();
    if (Path() == kLogin) return Login();
    if (Path().starts_with(kMethodPrefix)) return Refuse(http::status::method_not_allowed, "ask with POST");
    const PageAsset* asset = FindAsset(Path());
    if (asset == nullptr) return Refuse(http::status::not_found, "there is no such page");
    Response response(http::status::ok, 11);
    response.set(http::field::content_type,
                 beast::string_view(ContentTypeOf(asset->name).data(), ContentTypeOf(asset->name).size()));
    // Names hold a hash of the content, all but that of the first page.
    response.set(http::field::cache_control,
                 asset->name == "index.html" ? "no-cache" : "public, max-age=31536000, immutable");
    const bool packed = !asset->packed.empty() && Header(http::field::accept_encoding).contains("gzip");
    if (packed) response.set(http::field::content_encoding, "gzip");
    response.set(http::field::vary, "Accept-Encoding");
    response.body() = packed ? asset->packed : asset->content;
    Write(std::move(response), kPolicy);
  }

  void Login() {
    const auto session = gate_->Redeem(QueryValue(Target(), "token"));
    if (!session)
      return Refuse(http::status::forbidden,
                    "this link was used, or is too old: `agenttalk ui` prints a new one");
    Response response(http::status::see_other, 11);
    response.set(http::field::location, "/");
    const bool tls = gate_->origin().url().starts_with("https");
    response.set(
        http::field::set_cookie,
        fmt::format("{}={}; Path=/; Max-Age={}; HttpOnly; SameSite=Strict{}", gate_->CookieName(), *session,
                    std::chrono::duration_cast<std::chrono::seconds>(PageAccess::kSessionLife).count(),
                    tls ? "; Secure" : ""));
    Write(std::move(response), kPolicy);
  }

  void Post() {
    const std::string_view method = Path().substr(kMethodPrefix.size());
    if (Header(http::field::origin).empty())
      return Refuse(http::status::forbidden, "a request without its origin");
    if (!Header(http::field::content_type).starts_with("application/json"))
      return Refuse(http::status::unsupported_media_type, "send application/json");
    if (!gate_->Allows(method, *role_))
      return Refuse(http::status::forbidden, fmt::format("the page may not call {}", method));
    // The parser looks at the announced length when it reads the header, which is before anybody knew who
    // asks.
    if (const auto length = parser_->content_length(); length && *length > gate_->largest_body())
      return Refuse(http::status::payload_too_large, "the request is too large");
    parser_->body_limit(gate_->largest_body());
    http::async_read(stream_, buffer_, *parser_,
                     [self = this->shared_from_this()](const error_code& error, std::size_t /*size*/) {
                       if (error == http::error::body_limit) {
                         self->Refuse(http::status::payload_too_large, "the request is too large");
                       } else if (!error) {
                         self->CallMethod();
                       }
                     });
  }

  // A program shows a token; a browser, which sends cookies by itself, has to say where it comes from.
  void LookAtMcp() {
    const std::string_view token = BearerToken(Header(http::field::authorization));
    role_ = token.empty() ? gate_->RoleOf(Header(http::field::cookie)) : gate_->RoleOfToken(token);
    if (!role_ || (token.empty() && Header(http::field::origin).empty()))
      return Refuse(http::status::unauthorized,
                    "send Authorization: Bearer with a token that `agenttalk mcp --token` prints");
    if (request().method() != http::verb::post)
      return Refuse(http::status::method_not_allowed, "this server takes POST only");
    if (!Header(http::field::content_type).starts_with("application/json"))
      return Refuse(http::status::unsupported_media_type, "send application/json");
    parser_->body_limit(gate_->largest_body());
    http::async_read(stream_, buffer_, *parser_,
                     [self = this->shared_from_this()](const error_code& error, std::size_t /*size*/) {
                       if (error == http::error::body_limit) {
                         self->Refuse(http::status::payload_too_large, "the request is too large");
                       } else if (!error) {
                         ServeMcp(std::move(self->stream_), self->parser_->release(), self->gate_,
                                  *self->role_);
                       }
                     });
  }

  void CallMethod() {
    const std::string method(Path().substr(kMethodPrefix.size()));
    if (auto kept = KeptAnswer(method)) return Reply(http::status::ok, *kept);
    auto parameters = ReadParameters(request().body(), gate_->largest_body());
    if (!parameters) return Answer(std::unexpected(parameters.error()));
    beast::get_lowest_layer(stream_).expires_never();
    gate_->Call(method, *parameters,
                [self = this->shared_from_this(), method,
                 through = gate_->committed()](const Result<json::value>& result) {
                  if (result && StatusOf(result) == http::status::ok && AnswerShelf::Holds(method)) {
                    self->ReplyAndKeep(method, through, BodyOf(result));
                  } else {
                    self->Answer(result);
                  }
                });
  }

  // What another page was told, if that is enough for this one.
  [[nodiscard]] AnswerShelf::Text KeptAnswer(std::string_view method) const {
    std::uint64_t seen = 0;
    const std::string text = QueryValue(Target(), "seen");
    std::from_chars(text.data(), text.data() + text.size(), seen);
    if (seen == 0 || !AnswerShelf::Holds(method)) return nullptr;
    return gate_->answers().Find(method, request().body(), seen, std::chrono::steady_clock::now());
  }

  void ReplyAndKeep(std::string_view method, std::uint64_t through, std::string body) {
    const auto text = std::make_shared<const std::string>(std::move(body));
    gate_->answers().Keep(method, request().body(), through, text, std::chrono::steady_clock::now());
    Reply(http::status::ok, *text);
  }

  void Answer(const Result<json::value>& result) { Reply(StatusOf(result), BodyOf(result)); }

  void Reply(http::status status, std::string body) {
    Response response(status, 11);
    response.set(http::field::content_type, "application/json");
    response.set(http::field::cache_control, "no-store");
    response.body() = std::move(body);
    Write(std::move(response), kPolicy);
  }

  // An output or input of a plan, as `show --file` gives it.
  void Download() {
    json::object parameters{{"plan_id", QueryValue(Target(), "plan")},
                            {"name", QueryValue(Target(), "name")}};
    if (auto version = QueryValue(Target(), "version"); !version.empty()) parameters["version"] = version;
    const std::string name = QueryValue(Target(), "name");
    gate_->Call("file", parameters, [self = this->shared_from_this(), name](Result<json::value> result) {
      if (!result) return self->Answer(result);
      auto bytes = DecodeBase64(std::string_view(result->at("content_base64").as_string()));
      Response response(http::status::ok, 11);
      const std::string_view type = InlineTypeOf(name);
      response.set(http::field::content_type, type.empty() ? "application/octet-stream" : std::string(type));
      if (type.empty()) response.set(http::field::content_disposition, "attachment");
      response.set(http::field::cache_control, "no-store");
      response.body() = bytes.value_or(std::string());
      self->Write(std::move(response), kPolicyOfFiles);
    });
  }

  void Refuse(http::status status, std::string_view why) {
    Response response(status, 11);
    response.set(http::field::content_type, "application/json");
    if (status == http::status::unauthorized) response.set(http::field::www_authenticate, "Bearer");
    if (status == http::status::method_not_allowed && Path() == kMcpPath)
      response.set(http::field::allow, "POST");
    response.body() =
        json::serialize(json::object{{"error", {{"code", "REFUSED"}, {"message", why}, {"hint", ""}}}});
    closes_ = !parser_->is_done();  // what was not read of the request must not be taken for the next one
    Write(std::move(response), kPolicy);
  }

  void Write(Response response, std::string_view policy) {
    response.set("Content-Security-Policy", beast::string_view(policy.data(), policy.size()));
    response.set("X-Content-Type-Options", "nosniff");
    response.set("Referrer-Policy", "no-referrer");
    response.set("Cross-Origin-Opener-Policy", "same-origin");
    response.set("Cross-Origin-Resource-Policy", "same-origin");
    response.keep_alive(request().keep_alive() && !closes_);
    response.prepare_payload();
    response_ = std::move(response);
    beast::get_lowest_layer(stream_).expires_after(kPatience);
    http::async_write(stream_, *response_,
                      [self = this->shared_from_this()](const error_code& error, std::size_t /*size*/) {
                        if (!error && self->response_->keep_alive()) self->ReadHeader(kIdle);
                      });
  }

  // ---- events ----

  void Follow() {
    std::uint64_t seen = 0;
    std::string_view text = View(request()["Last-Event-ID"]);
    const std::string given = QueryValue(Target(), "after");
    if (text.empty()) text = given;
    std::from_chars(text.data(), text.data() + text.size(), seen);
    pending_ = std::make_shared<const std::string>(
        fmt::format("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: "
                    "no-store\r\nConnection: close\r\n"
                    "X-Content-Type-Options: nosniff\r\nContent-Security-Policy: {}\r\n\r\nretry: 1000\n\n{}",
                    kPolicy, *frames_->Catch(seen)));
    frames_->Join(this->weak_from_this(),
                  [this](const std::shared_ptr<const std::string>& frame) { Push(frame); });
    WritePending();
  }

  // One frame is under way at most; a page that is still reading it is told to ask again afterwards.
  void Push(const std::shared_ptr<const std::string>& frame) {
    if (writing_) {
      behind_ = true;
      return;
    }
    pending_ = frame;
    WritePending();
  }

  void WritePending() {
    writing_ = true;
    timer_.cancel();
    beast::get_lowest_layer(stream_).expires_after(kPatience);
    asio::async_write(stream_, asio::buffer(*pending_),
                      [self = this->shared_from_this()](const error_code& error, std::size_t /*size*/) {
                        self->writing_ = false;
                        if (error) return self->EndStream();
                        beast::get_lowest_layer(self->stream_).expires_never();
                        if (std::exchange(self->behind_, false)) {
                          self->Push(self->frames_->CatchUp());
                        } else {
                          self->Beat();
                        }
                      });
  }

  // A comment now and then, so that a page that is gone is noticed. The timer also keeps the session.
  void Beat() {
    timer_.expires_after(kHeartbeat);
    timer_.async_wait([self = this->shared_from_this()](const error_code& error) {
      if (!error && !self->writing_) self->Push(std::make_shared<const std::string>(":\n\n"));
    });
  }

  void EndStream() {
    timer_.cancel();
    beast::get_lowest_layer(stream_).close();
  }

  Stream stream_;
  std::shared_ptr<PageGate> gate_;
  std::shared_ptr<EventFrames> frames_;
  asio::steady_timer timer_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  std::optional<Response> response_;
  std::optional<PageRole> role_;  // of whoever sent the request
  bool closes_ = false;
  std::shared_ptr<const std::string> pending_;
  bool writing_ = false;
  bool behind_ = false;
};

}  // namespace

void ServePageSession(beast::tcp_stream stream, std::shared_ptr<PageGate> gate,
                      std::shared_ptr<EventFrames> frames) {
  std::make_shared<Session<beast::tcp_stream>>(std::move(stream), std::move(gate), std::move(frames))
      ->Begin();
}

void ServePageSession(beast::ssl_stream<beast::tcp_stream> stream, std::shared_ptr<PageGate> gate,
                      std::shared_ptr<EventFrames> frames) {
  std::make_shared<Session<beast::ssl_stream<beast::tcp_stream>>>(std::move(stream), std::move(gate),
                                                                  std::move(frames))
      ->Begin();
}

}  // namespace agenttalk
