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
  std::string key_hint;  // where the key comes from, for errors
};

// Asks a server, once for each call: pacing and repeating are PacedProvider's. A server that refuses the
// answer's schema is asked again at once without it, and, if it answers then, not given one any more.
class HttpProvider final : public ModelProvider {
 public:
  using Now = std::function<Timestamp()>;

  // The client outlives the provider, and the provider its calls.
  HttpProvider(HttpClient& client, std::unique_ptr<WireFormat> format, HttpProviderOptions options, Now now);

  [[nodiscard]] std::unique_ptr<ModelCall> Ask(ModelRequest request, Done done) override;

 private:
  class Call;

  HttpClient& client_;
  const std::unique_ptr<WireFormat> format_;
  const HttpProviderOptions options_;
  const Now now_;
  bool schema_refused_ = false;
};

}  // namespace agenttalk
