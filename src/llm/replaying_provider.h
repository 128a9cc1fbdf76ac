#pragma once

#include <memory>
#include <utility>

#include "llm/cassette.h"
#include "llm/model_provider.h"
#include "model/request/model_request.h"

namespace agenttalk {

// Answers from a cassette, at once. Strict: a request whose content was not recorded fails with what differs.
// Requests must name provider and model as they did when they were recorded, for both are part of the
// content.
class ReplayingProvider final : public ModelProvider {
 public:
  explicit ReplayingProvider(Cassette cassette) : cassette_(std::move(cassette)) {}

  [[nodiscard]] std::unique_ptr<ModelCall> Ask(ModelRequest request, Done done) override;

 private:
  Cassette cassette_;
};

}  // namespace agenttalk
