#pragma once

#include <boost/json/fwd.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "llm/answer_draft.h"
#include "llm/model_errors.h"
#include "model/config/model_parameters.h"
#include "model/request/model_request.h"

// A vendor's protocol as bytes: what is sent for a request, and what a response means. Pure; whoever moves
// the bytes is elsewhere (http_provider.h). One object serves any number of calls at once.
namespace agenttalk {

// What is fixed for a configured provider.
struct WireOptions {
  std::string base_url;        // without a slash at its end
  std::string query;           // of every address, without its "?"
  std::string api_key;         // empty: none is sent
  HttpHeaders headers;         // sent with every request, before those of the protocol
  std::string model;           // where a request names none
  ModelParameters parameters;  // where a request has none
  std::string max_tokens_as;   // the name that an OpenAI-like server has for max_tokens; empty: found out
  bool stream = true;
  bool structured_output = true;
  bool native_tools = true;
};

// A request without its body has method GET.
struct WireCall {
  std::string url;
  HttpHeaders headers;
  std::string body;
};

// What a server has been found to need.
struct Concessions {
  bool no_schema = false;          // it refuses an answer schema; the form is then asked for in words
  bool completion_tokens = false;  // it knows max_tokens as max_completion_tokens

  bool operator==(const Concessions&) const = default;
};

class WireFormat {
 public:
  virtual ~WireFormat() = default;

  [[nodiscard]] virtual WireCall Encode(const ModelRequest& request,
                                        const Concessions& concessions) const = 0;
  // Which models there are: a cheap question that also shows whether the server is there and takes the key.
  [[nodiscard]] virtual WireCall ListModels() const = 0;
  [[nodiscard]] virtual std::vector<std::string> ReadModels(const boost::json::object& body) const = 0;

  // A complete answer in one object.
  virtual void ReadWhole(const boost::json::object& body, AnswerDraft& draft) const = 0;
  // One piece of a stream. `event` is its name where the protocol has names.
  virtual void ReadPiece(std::string_view event, const boost::json::object& piece,
                         AnswerDraft& draft) const = 0;
  // Lines of JSON instead of server-sent events.
  [[nodiscard]] virtual bool StreamsLines() const { return false; }
};

std::unique_ptr<WireFormat> MakeAnthropicFormat(WireOptions options);
std::unique_ptr<WireFormat> MakeOpenaiFormat(WireOptions options);
std::unique_ptr<WireFormat> MakeOllamaFormat(WireOptions options);
std::unique_ptr<WireFormat> MakeResponsesFormat(WireOptions options);

// Reads the body of a successful response as it comes. Whether it is a stream or one object is seen from the
// bytes, for servers ignore `stream` and lie in content-type. Where the bytes are cut makes no difference.
class AnswerReader {
 public:
  AnswerReader(const WireFormat& format, std::size_t max_answer_bytes);
  ~AnswerReader();
  AnswerReader(const AnswerReader&) = delete;
  AnswerReader& operator=(const AnswerReader&) = delete;

  void Feed(std::string_view bytes);
  // The outcome is known whatever comes; a connection that breaks now did no harm.
  [[nodiscard]] bool complete() const { return draft_.complete(); }
  [[nodiscard]] bool failed() const { return draft_.failed(); }
  // It comes in pieces.
  [[nodiscard]] bool streams() const { return streams_; }
  // No more bytes come.
  [[nodiscard]] ModelOutcome Finish();

 private:
  class Body;
  class WholeBody;
  class SseBody;
  class LinesBody;

  void ChooseBody(char first);

  const WireFormat& format_;
  const std::size_t max_bytes_;
  AnswerDraft draft_;
  std::unique_ptr<Body> body_;  // null until the first character that is no white space
  bool streams_ = false;
};

}  // namespace agenttalk
