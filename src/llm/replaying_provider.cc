#include "llm/replaying_provider.h"

#include <expected>
#include <memory>
#include <utility>

#include "llm/cassette.h"
#include "llm/model_provider.h"
#include "model/request/model_request.h"

namespace agenttalk {

std::unique_ptr<ModelCall> ReplayingProvider::Ask(ModelRequest request, Done done) {
  const CassetteRecord* record = cassette_.Find(request.reuse_key, request.ids.attempt, request.ids.command);
  if (record != nullptr) {
    done({record->outcome, {}});
    return nullptr;
  }
  ModelError error;
  error.kind = ModelErrorKind::kNoAnswer;
  error.message = cassette_.ExplainMiss(request);
  done({std::unexpected(std::move(error)), {}});
  return nullptr;
}

}  // namespace agenttalk
