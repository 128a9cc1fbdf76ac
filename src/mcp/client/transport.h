#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "llm/model_errors.h"
#include "mcp/message.h"

// Moving messages to and from an MCP server: a program's pipes, or HTTP.
namespace agenttalk::mcp {

struct OutgoingMessage {
  std::string text;        // one JSON object without line breaks
  std::int64_t id = 0;     // of a request whose answer is waited for; 0: none is
  HttpHeaders headers;     // what HTTP repeats of it
  bool is_legacy = false;  // over HTTP: a stream that breaks off can be continued
};

enum class FailureKind : std::uint8_t {
  kRefused,      // by an HTTP status
  kNotReached,   // nobody answered: it was not sent
  kCut,          // the connection broke, or the stream ended without the answer
  kGarbage,      // what came is no message
  kSessionLost,  // over HTTP, legacy: the server does not know the session any more, and did nothing
};

struct TransportFailure {
  FailureKind kind = FailureKind::kCut;
  int status = 0;                      // of kRefused
  std::optional<RpcError> error = {};  // what a refusal says in the protocol's own words
  std::string message;                 // for people
};

// Never called from within the transport's functions.
class TransportListener {
 public:
  virtual ~TransportListener() = default;
  // `stream`: the request on whose answer's stream it came; 0: unknown.
  virtual void OnMessage(RpcMessage message, std::int64_t stream) = 0;
  // A line or a body that is no message.
  virtual void OnGarbage(const std::string& what) = 0;
  // The exchange of this request ended without its answer.
  virtual void OnFailure(std::int64_t id, const TransportFailure& failure) = 0;
  // All of it is gone, for instance because the program ended. Nothing comes after.
  virtual void OnClosed(const std::string& why) = 0;
};

class Transport {
 public:
  Transport() = default;
  virtual ~Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  virtual void Send(OutgoingMessage message) = 0;
  // Nobody waits for the answer any more. Over HTTP that ends the exchange, which tells the server.
  virtual void Drop(std::int64_t id) = 0;
  // Opens the stream of what a legacy server says by itself, where that is a stream of its own (HTTP).
  virtual void ListenApart(HttpHeaders headers) = 0;
  [[nodiscard]] virtual bool is_http() const = 0;
};

}  // namespace agenttalk::mcp
