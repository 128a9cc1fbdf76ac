#include "llm/curl_client.h"

#include <curl/curl.h>
#include <sys/epoll.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/reactor.h"
#include "base/time.h"
#include "base/timer.h"
#include "llm/http_client.h"
#include "llm/model_errors.h"

namespace agenttalk {
namespace {

constexpr Duration kConnectTimeout = std::chrono::seconds(15);
constexpr std::size_t kMostHeaders = 200;
constexpr long kBufferBytes = 16 * 1024;

void InitialiseOnce() {
  static const CURLcode kInitialised = curl_global_init(CURL_GLOBAL_DEFAULT);
  CHECK(kInitialised == CURLE_OK);
}

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

std::string FirstVariable(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (std::string value = Variable(name); !value.empty()) return value;
  }
  return {};
}

// libcurl knows the others; in capitals it leaves this one out, which matters to programs that a web server
// starts, and not to us.
std::string HttpProxyInCapitals() {
  return FirstVariable({"http_proxy", "all_proxy", "ALL_PROXY"}).empty() ? Variable("HTTP_PROXY")
                                                                         : std::string();
}

// A model server on this machine is not behind the proxy.
std::string NoProxy() {
  const std::string hosts = FirstVariable({"no_proxy", "NO_PROXY"});
  if (hosts == "*") return hosts;
  return hosts + (hosts.empty() ? "" : ",") + "localhost,127.0.0.1,::1";
}

HttpFailure FailureOf(CURLcode code) {
  switch (static_cast<int>(code)) {  // of the hundred there are, those that mean something here
    case CURLE_OK:
      return HttpFailure::kNone;
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ENGINE_INITFAILED:
    case CURLE_BAD_FUNCTION_ARGUMENT:
      return HttpFailure::kUnusable;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_CONNECT:
    case CURLE_PROXY:
      return HttpFailure::kNotReached;
    case CURLE_OPERATION_TIMEDOUT:
      return HttpFailure::kTimeout;
    default:
      return HttpFailure::kCut;
  }
}

bool IsAboutCertificates(CURLcode code) {
  return code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE;
}

std::string_view TrimSpace(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  text.remove_prefix(begin);
  return text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
}

}  // namespace

class CurlClient::Transfer final : public HttpCall {
 public:
  Transfer(CurlClient& client, HttpRequest request, HttpListener& listener)
      : client_(client), request_(std::move(request)), listener_(listener), easy_(curl_easy_init()) {
    CHECK(easy_ != nullptr);
    SetOptions();
    CHECK(curl_multi_add_handle(client_.multi_, easy_) == CURLM_OK);
  }

  ~Transfer() override {
    curl_multi_remove_handle(client_.multi_, easy_);
    curl_easy_cleanup(easy_);
    curl_slist_free_all(headers_);
  }

  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  // The listener may destroy this object.
  void Finished(CURLcode code) {
    HttpEnd end;
    end.failure = stopped_ ? HttpFailure::kStopped : FailureOf(code);
    if (code != CURLE_OK) end.message = error_[0] != '\0' ? error_.data() : curl_easy_strerror(code);
    if (code == CURLE_OPERATION_TIMEDOUT && !IsConnected()) end.failure = HttpFailure::kNotReached;
    if (IsAboutCertificates(code)) {
      end.message += "; name the certificates to trust with ca_file, SSL_CERT_FILE or SSL_CERT_DIR";
    }
    End(end);
  }

 private:
  friend struct CurlClient::Callbacks;

  template <typename Value>
  void Set(CURLoption option, Value value) {
    CHECK(curl_easy_setopt(easy_, option, value) == CURLE_OK);
  }

  // Whether the handshake was done.
  bool IsConnected() {
    curl_off_t moment = 0;
    curl_easy_getinfo(easy_, CURLINFO_PRETRANSFER_TIME_T, &moment);
    return moment > 0;
  }

  void SetOptions();
  void SetCertificates();
  void SetBody();
  void SetHeaders();

  void End(const HttpEnd& end) {
    idle_timer_.reset();
    curl_multi_remove_handle(client_.multi_, easy_);
    listener_.OnEnd(end);
  }

  // Looked at when it could have passed; not moved with every byte.
  void WatchIdle(MonotonicTime when) {
    idle_timer_ = client_.reactor_.At(when, [this] {
      const MonotonicTime due = last_byte_ + request_.idle_timeout;
      if (client_.reactor_.Now() >= due) {
        End({HttpFailure::kIdle, "nothing came"});
      } else {
        WatchIdle(due);
      }
    });
  }

  void TakeHeaderLine(std::string_view line) {
    line = TrimSpace(line);
    if (line.starts_with("HTTP/")) received_.clear();
    if (line.empty()) {
      TakeHead();
      return;
    }
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || received_.size() >= kMostHeaders) return;
    std::string name(line.substr(0, colon));
    std::ranges::transform(name, name.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    received_.push_back({std::move(name), std::string(TrimSpace(line.substr(colon + 1)))});
  }

  void TakeHead() {
    long status = 0;
    curl_easy_getinfo(easy_, CURLINFO_RESPONSE_CODE, &status);
    if (status < 200) return;
    listener_.OnHead(static_cast<int>(status), received_);
    last_byte_ = client_.reactor_.Now();
    if (request_.idle_timeout > Duration{}) WatchIdle(last_byte_ + request_.idle_timeout);
  }

  bool TakeBody(std::string_view bytes) {
    last_byte_ = client_.reactor_.Now();
    stopped_ = stopped_ || !listener_.OnBody(bytes);
    return !stopped_;
  }

  CurlClient& client_;
  const HttpRequest request_;
  HttpListener& listener_;
  CURL* easy_;
  curl_slist* headers_ = nullptr;
  std::array<char, CURL_ERROR_SIZE> error_{};
  HttpHeaders received_;
  MonotonicTime last_byte_{};
  std::unique_ptr<Registration> idle_timer_;
  bool stopped_ = false;
};

// What libcurl calls.
struct CurlClient::Callbacks {
  static std::size_t Header(char* bytes, std::size_t size, std::size_t count, void* transfer) {
    static_cast<Transfer*>(transfer)->TakeHeaderLine({bytes, size * count});
    return size * count;
  }
  static std::size_t Body(char* bytes, std::size_t size, std::size_t count, void* transfer) {
    return static_cast<Transfer*>(transfer)->TakeBody({bytes, size * count}) ? size * count : 0;
  }
  static int Socket(CURL* /*easy*/, curl_socket_t socket, int what, void* client, void* /*unused*/) {
    static_cast<CurlClient*>(client)->WatchSocket(socket, what);
    return 0;
  }
  static int Timer(CURLM* /*multi*/, long milliseconds, void* client) {
    static_cast<CurlClient*>(client)->SetTimer(milliseconds);
    return 0;
  }
};

void CurlClient::Transfer::SetOptions() {
  Set(CURLOPT_URL, request_.call.url.c_str());
  Set(CURLOPT_PRIVATE, this);
  Set(CURLOPT_ERRORBUFFER, error_.data());
  Set(CURLOPT_NOSIGNAL, 1L);
  Set(CURLOPT_PROTOCOLS_STR, "http,https");
  Set(CURLOPT_FOLLOWLOCATION, 0L);
  Set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  Set(CURLOPT_NOPROXY, client_.no_proxy_.c_str());
  if (!client_.http_proxy_.empty() && request_.call.url.starts_with("http://")) {
    Set(CURLOPT_PROXY, client_.http_proxy_.c_str());
  }
  SetCertificates();
  Set(CURLOPT_ACCEPT_ENCODING, "");
  Set(CURLOPT_USERAGENT, "agenttalk/" AGENTTALK_VERSION);
  Set(CURLOPT_BUFFERSIZE, kBufferBytes);
  Set(CURLOPT_TCP_KEEPALIVE, 1L);
  Set(CURLOPT_HEADERFUNCTION, &Callbacks::Header);
  Set(CURLOPT_HEADERDATA, this);
  Set(CURLOPT_WRITEFUNCTION, &Callbacks::Body);
  Set(CURLOPT_WRITEDATA, this);
  const auto milliseconds = [](Duration duration) {
    return static_cast<long>(std::chrono::ceil<std::chrono::milliseconds>(duration).count());
  };
  Set(CURLOPT_CONNECTTIMEOUT_MS, milliseconds(kConnectTimeout));
  if (request_.timeout > Duration{}) Set(CURLOPT_TIMEOUT_MS, milliseconds(request_.timeout));
  SetBody();
  SetHeaders();
}

void CurlClient::Transfer::SetCertificates() {
  const std::string& file = request_.ca_file.empty() ? client_.certificates_ : request_.ca_file;
  if (!file.empty()) Set(CURLOPT_CAINFO, file.c_str());
  if (request_.ca_file.empty() && !client_.certificate_folder_.empty()) {
    Set(CURLOPT_CAPATH, client_.certificate_folder_.c_str());
  }
}

void CurlClient::Transfer::SetBody() {
  if (request_.call.body.empty()) return;
  Set(CURLOPT_POST, 1L);
  Set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request_.call.body.size()));
  Set(CURLOPT_POSTFIELDS, request_.call.body.data());
}

void CurlClient::Transfer::SetHeaders() {
  const auto append = [this](const std::string& line) {
    curl_slist* longer = curl_slist_append(headers_, line.c_str());
    CHECK(longer != nullptr);
    headers_ = longer;
  };
  // A colon with nothing behind it would remove the header; this is how libcurl spells an empty one.
  for (const HttpHeader& header : request_.call.headers)
    append(header.value.empty() ? header.name + ";" : header.name + ": " + header.value);
  append("Expect:");  // waiting for "100 Continue" costs a round trip, and a second where it never comes
  Set(CURLOPT_HTTPHEADER, headers_);
}

CurlClient::CurlClient(Reactor& reactor)
    : reactor_(reactor),
      multi_(nullptr),
      no_proxy_(NoProxy()),
      http_proxy_(HttpProxyInCapitals()),
      certificates_(FirstVariable({"SSL_CERT_FILE", "CURL_CA_BUNDLE"})),
      certificate_folder_(Variable("SSL_CERT_DIR")) {
  InitialiseOnce();
  multi_ = curl_multi_init();
  CHECK(multi_ != nullptr);
  curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, &Callbacks::Socket);
  curl_multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
  curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, &Callbacks::Timer);
  curl_multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
}

CurlClient::~CurlClient() {
  curl_multi_cleanup(multi_);
}

std::unique_ptr<HttpCall> CurlClient::Send(HttpRequest request, HttpListener& listener) {
  return std::make_unique<Transfer>(*this, std::move(request), listener);
}

void CurlClient::WatchSocket(int socket, int what) {
  // A watch is made anew: libcurl may have closed the socket and opened another of the same number.
  sockets_.erase(socket);
  if (what == CURL_POLL_REMOVE) return;
  std::uint32_t events = 0;
  if ((what & CURL_POLL_IN) != 0) events |= EPOLLIN;
  if ((what & CURL_POLL_OUT) != 0) events |= EPOLLOUT;
  sockets_[socket] = reactor_.Watch(socket, events, [this, socket](std::uint32_t ready) {
    int act = 0;
    if ((ready & EPOLLIN) != 0) act |= CURL_CSELECT_IN;
    if ((ready & EPOLLOUT) != 0) act |= CURL_CSELECT_OUT;
    if ((ready & (EPOLLERR | EPOLLHUP)) != 0) act |= CURL_CSELECT_ERR;
    Act(socket, act);
  });
}

void CurlClient::SetTimer(long milliseconds) {
  timer_.reset();
  if (milliseconds < 0) return;
  timer_ = reactor_.At(reactor_.Now() + std::chrono::milliseconds(milliseconds),
                       [this] { Act(CURL_SOCKET_TIMEOUT, 0); });
}

void CurlClient::Act(int socket, int events) {
  int running = 0;
  curl_multi_socket_action(multi_, socket, events, &running);
  TakeFinished();
}

void CurlClient::TakeFinished() {
  int left = 0;
  while (CURLMsg* message = curl_multi_info_read(multi_, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    const CURLcode code = message->data.result;
    Transfer* transfer = nullptr;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
    transfer->Finished(code);
  }
}

}  // namespace agenttalk
