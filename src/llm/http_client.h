#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/time.h"
#include "llm/model_errors.h"
#include "llm/wire_format.h"

// Moving bytes to and from a model server.
namespace agenttalk {

struct HttpRequest {
  WireCall call;
  Duration timeout{};        // of the whole exchange; 0: none
  Duration idle_timeout{};   // without a byte of the body, once it has begun; 0: none
  std::string ca_file = {};  // certificates to trust; empty: the usual ones
};

enum class HttpFailure : std::uint8_t {
  kNone,
  kUnusable,    // it cannot work as it is configured: the URL, the certificate
  kNotReached,  // nobody answered
  kCut,         // the connection broke
  kTimeout,
  kIdle,
  kStopped,  // the listener wanted no more
};

struct HttpEnd {
  HttpFailure failure = HttpFailure::kNone;
  std::string message;  // for people; may hold what was sent, so redact
};

// Told in this order; nothing after OnEnd. OnHead and OnBody must not touch the call or the client.
class HttpListener {
 public:
  virtual ~HttpListener() = default;
  virtual void OnHead(int status, const HttpHeaders& headers) = 0;
  // False: no more is wanted.
  virtual bool OnBody(std::string_view bytes) = 0;
  virtual void OnEnd(const HttpEnd& end) = 0;
};

// An exchange that is under way. Destroying it cancels; that may be done inside OnEnd.
class HttpCall {
 public:
  HttpCall() = default;
  virtual ~HttpCall() = default;
  HttpCall(const HttpCall&) = delete;
  HttpCall& operator=(const HttpCall&) = delete;
};

class HttpClient {
 public:
  virtual ~HttpClient() = default;
  // POST with the call's body, or GET when it has none. Redirects are not followed: they would carry the key
  // elsewhere. The listener is not called from within this function, and must outlive the call.
  [[nodiscard]] virtual std::unique_ptr<HttpCall> Send(HttpRequest request, HttpListener& listener) = 0;
};

}  // namespace agenttalk
