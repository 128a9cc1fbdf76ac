#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/time.h"
#include "base/timer.h"
#include "llm/http_client.h"
#include "llm/model_errors.h"
#include "mcp/client/transport.h"

namespace agenttalk::mcp {

struct ServerAddress {
  std::string url;
  HttpHeaders headers = {};  // sent with every request
  std::string ca_file = {};
  std::size_t largest_message = std::size_t{32} << 20U;
};

// A server behind an address (Streamable HTTP): every message is a POST, whose answer is one message or a
// stream of them. A legacy server's stream that broke off is continued by a GET.
class HttpTransport final : public Transport {
 public:
  // They outlive it.
  HttpTransport(HttpClient& http, TimerService& timers, ServerAddress address, TransportListener& listener);
  ~HttpTransport() override;

  void Send(OutgoingMessage message) override;
  void Drop(std::int64_t id) override;
  void ListenApart(HttpHeaders headers) override;
  [[nodiscard]] bool is_http() const override { return true; }

 private:
  class Exchange;
  friend class Exchange;

  // Runs it on the loop, when the HTTP client may be used again.
  void Later(std::function<void()> work);
  void RunLater();
  void Remove(std::uint64_t number);
  [[nodiscard]] HttpHeaders HeadersWith(const HttpHeaders& more) const;

  HttpClient& http_;
  TimerService& timers_;
  const ServerAddress address_;
  TransportListener& listener_;
  std::string session_;  // a legacy server's
  std::uint64_t exchanges_made_ = 0;
  std::map<std::uint64_t, std::unique_ptr<Exchange>> exchanges_;
  std::vector<std::function<void()>> later_;
  std::unique_ptr<Registration> later_timer_;
};

}  // namespace agenttalk::mcp
