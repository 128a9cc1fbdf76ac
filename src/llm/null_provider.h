#pragma once

#include <memory>

#include "llm/model_provider.h"
#include "model/request/model_request.h"

namespace agenttalk {

// Answers {"result":"ok"} at once: for measuring everything else.
class NullProvider final : public ModelProvider {
 public:
  [[nodiscard]] std::unique_ptr<ModelCall> Ask(ModelRequest request, Done done) override;
};

}  // namespace agenttalk
