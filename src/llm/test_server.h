#pragma once

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <atomic>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/socket_base.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

// A server on the loopback interface that answers with exactly the bytes it is told, at the pace it is told.
// Beast reads the requests; responses are written as they are, for most of what must be tested is no proper
// HTTP. It has a thread of its own.
namespace agenttalk {

// What is done with a connection after a request was read.
struct Act {
  enum class Kind : std::uint8_t { kWrite, kPause, kReset, kHang };
  Kind kind = Kind::kWrite;
  std::string bytes;
  std::chrono::microseconds pause{};
};

struct SeenRequest {
  std::string method;
  std::string target;
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;

  [[nodiscard]] std::string Header(std::string_view name) const {
    for (const auto& [key, value] : headers) {
      if (key == name) return value;
    }
    return {};
  }
};

// A key and a certificate for 127.0.0.1 that nobody but its maker trusts.
struct TestCertificate {
  std::string key;
  std::string certificate;

  static TestCertificate Make() {
    EVP_PKEY* key = EVP_EC_gen("P-256");
    X509* x509 = X509_new();
    ASN1_INTEGER_set(X509_get_serialNumber(x509), 1);
    X509_gmtime_adj(X509_getm_notBefore(x509), -60);
    X509_gmtime_adj(X509_getm_notAfter(x509), 3600);
    X509_set_version(x509, 2);
    X509_set_pubkey(x509, key);
    X509_NAME* name = X509_get_subject_name(x509);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>("test"), -1,
                               -1, 0);
    X509_set_issuer_name(x509, name);
    X509V3_CTX context;
    X509V3_set_ctx(&context, x509, x509, nullptr, nullptr, 0);
    X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, NID_subject_alt_name, "IP:127.0.0.1");
    X509_add_ext(x509, extension, -1);
    X509_EXTENSION_free(extension);
    X509_sign(x509, key, EVP_sha256());
    TestCertificate made;
    made.key =
        Pem([key](BIO* bio) { PEM_write_bio_PrivateKey(bio, key, nullptr, nullptr, 0, nullptr, nullptr); });
    made.certificate = Pem([x509](BIO* bio) { PEM_write_bio_X509(bio, x509); });
    X509_free(x509);
    EVP_PKEY_free(key);
    return made;
  }

 private:
  static std::string Pem(const std::function<void(BIO*)>& write) {
    BIO* bio = BIO_new(BIO_s_mem());
    write(bio);
    char* bytes = nullptr;
    const auto size = BIO_get_mem_data(bio, &bytes);
    std::string text(bytes, static_cast<std::size_t>(size));
    BIO_free(bio);
    return text;
  }
};

class TestServer {
 public:
  using Answer = std::function<std::vector<Act>(const SeenRequest&)>;

  explicit TestServer(Answer answer, const TestCertificate* certificate = nullptr)
      : answer_(std::move(answer)), acceptor_(loop_, {boost::asio::ip::make_address("127.0.0.1"), 0}) {
    acceptor_.listen(4096);
    if (certificate != nullptr) {
      tls_ = std::make_unique<boost::asio::ssl::context>(boost::asio::ssl::context::tls_server);
      tls_->use_certificate_chain(boost::asio::buffer(certificate->certificate));
      tls_->use_private_key(boost::asio::buffer(certificate->key), boost::asio::ssl::context::pem);
    }
    boost::asio::co_spawn(loop_, Accept(), boost::asio::detached);
    thread_ = std::thread([this] { loop_.run(); });
  }

  ~TestServer() {
    loop_.stop();
    thread_.join();
  }

  TestServer(const TestServer&) = delete;
  TestServer& operator=(const TestServer&) = delete;

  [[nodiscard]] std::string url(std::string_view scheme = "http") const {
    return std::string(scheme) + "://127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port());
  }
  [[nodiscard]] std::uint64_t bytes_written() const { return written_; }
  std::vector<SeenRequest> TakeSeen() {
    const std::lock_guard lock(mutex_);
    return std::exchange(seen_, {});
  }

 private:
  using Tcp = boost::asio::ip::tcp;
  template <typename T>
  using Awaitable = boost::asio::awaitable<T>;

  Awaitable<void> Accept() {
    while (true) {
      Tcp::socket socket = co_await acceptor_.async_accept(boost::asio::use_awaitable);
      socket.set_option(Tcp::no_delay(true));
      if (tls_) {
        boost::asio::co_spawn(loop_, ServeTls(std::move(socket)), boost::asio::detached);
      } else {
        boost::asio::co_spawn(loop_, ServePlain(std::move(socket)), boost::asio::detached);
      }
    }
  }

  Awaitable<void> ServePlain(Tcp::socket socket) {
    try {
      co_await Serve(socket, socket);
    } catch (const std::exception&) {
      ++broken_;  // the client went away, which is its right
    }
  }

  Awaitable<void> ServeTls(Tcp::socket socket) {
    boost::asio::ssl::stream<Tcp::socket> stream(std::move(socket), *tls_);
    try {
      co_await stream.async_handshake(boost::asio::ssl::stream_base::server, boost::asio::use_awaitable);
      co_await Serve(stream, stream.next_layer());
    } catch (const std::exception&) {
      ++broken_;  // a client that does not trust us ends here
    }
  }

  template <typename Stream>
  Awaitable<void> Serve(Stream& stream, Tcp::socket& socket) {
    boost::beast::flat_buffer buffer;
    while (true) {
      boost::beast::http::request<boost::beast::http::string_body> request;
      co_await boost::beast::http::async_read(stream, buffer, request, boost::asio::use_awaitable);
      SeenRequest seen{
          std::string(request.method_string()), std::string(request.target()), request.body(), {}};
      for (const auto& field : request) {
        std::string name(field.name_string());
        for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        seen.headers.emplace_back(std::move(name), std::string(field.value()));
      }
      const std::vector<Act> acts = answer_(seen);
      {
        const std::lock_guard lock(mutex_);
        seen_.push_back(std::move(seen));
      }
      for (const Act& act : acts) {
        if (act.kind == Act::Kind::kReset) {
          socket.set_option(boost::asio::socket_base::linger(true, 0));
          socket.close();
          co_return;
        }
        if (act.kind == Act::Kind::kWrite) {
          co_await boost::asio::async_write(stream, boost::asio::buffer(act.bytes),
                                            boost::asio::use_awaitable);
          written_ += act.bytes.size();
          continue;
        }
        boost::asio::steady_timer timer(loop_,
                                        act.kind == Act::Kind::kHang ? std::chrono::hours(1) : act.pause);
        co_await timer.async_wait(boost::asio::use_awaitable);
      }
      if (!request.keep_alive()) co_return;
    }
  }

  const Answer answer_;
  boost::asio::io_context loop_{1};
  Tcp::acceptor acceptor_;
  std::unique_ptr<boost::asio::ssl::context> tls_;
  std::atomic<std::uint64_t> written_ = 0;
  std::uint64_t broken_ = 0;
  std::mutex mutex_;  // guards seen_
  std::vector<SeenRequest> seen_;
  std::thread thread_;
};

}  // namespace agenttalk
