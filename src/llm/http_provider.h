#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "base/time.h"
#include "llm/http_client.h"
#include "llm/model_provider.h"
#include "llm/wire_format.h"
#include "model/request/model_request.h"

namespace agenttalk {

struct HttpProviderOptions {
  Duration timeout{};       // of one call; 0: the request's alone
  Duration idle_timeout{};  // of a stream; 0: none
  std::size_t max_answer_bytes = std::size_t{4} << 20U;
  std::string key_hint;      // where the key comes from, for errors
  std::string ca_file = {};  // certificates to trust instead of the usual ones
};

// Asks a server, once for each call: pacing and repeating are PacedProvider's. A server that refuses the
// answer's schema or the name of the token limit is asked again at once in another way, and, if it answers
// then, in that way from then on.
class HttpProvider final : public ModelProvider {
 public:
  using Now = std::function<Timestamp()>;

  // The client outlives the provider, and the provider its calls.
  HttpProvider(HttpClient& client, std::unique_ptr<WireFormat> format, HttpProviderOptions options, Now now);

  [[nodiscard]] std::unique_ptr<ModelCall> Ask(ModelRequest request, Done done) override;
  // What the server has been found to need so far.
  [[nodiscard]] const Concessions& concessions() const { return concessions_; }

 private:
  class Call;

  void Remember(const Concessions& made);

  HttpClient& client_;
  const std::unique_ptr<WireFormat> format_;
  const HttpProviderOptions options_;
  const Now now_;
  Concessions concessions_;
};

}  // namespace agenttalk
