#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "base/reactor.h"
#include "base/timer.h"
#include "llm/http_client.h"

namespace agenttalk {

// libcurl's multi interface on a Reactor: any number of exchanges on one thread. Certificates are verified,
// by the system's store or by SSL_CERT_FILE. Proxies come from the usual variables (https_proxy, no_proxy,
// …), but never stand before this machine itself.
class CurlClient final : public HttpClient {
 public:
  // The reactor outlives the client, and the client its calls.
  explicit CurlClient(Reactor& reactor);
  ~CurlClient() override;
  CurlClient(const CurlClient&) = delete;
  CurlClient& operator=(const CurlClient&) = delete;

  [[nodiscard]] std::unique_ptr<HttpCall> Send(HttpRequest request, HttpListener& listener) override;

 private:
  class Transfer;
  struct Callbacks;

  void WatchSocket(int socket, int what);
  void SetTimer(long milliseconds);
  void Act(int socket, int events);
  void TakeFinished();

  Reactor& reactor_;
  void* multi_;  // CURLM
  std::map<int, std::unique_ptr<Registration>> sockets_;
  std::unique_ptr<Registration> timer_;
  const std::string no_proxy_;
  const std::string http_proxy_;          // empty: what libcurl finds
  const std::string certificates_;        // empty: the system's
  const std::string certificate_folder_;  // empty: the system's
};

}  // namespace agenttalk
