#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/time.h"
#include "llm/model_errors.h"
#include "model/events/failed_try.h"
#include "model/request/model_request.h"

// Asking a model. Everything happens on the loop's thread.
namespace agenttalk {

struct ModelReply {
  ModelOutcome outcome;
  // The reply counts only after this time on the caller's clock; providers never sleep. Zero for real ones.
  Duration after{};
  // What the provider says of its limits.
  RateHint rate = {};
  bool streamed = false;                     // it came in pieces
  std::vector<FailedTry> failed_tries = {};  // that were repeated
};

// A call that is under way. Destroying it cancels: the callback is not called any more.
class ModelCall {
 public:
  ModelCall() = default;
  virtual ~ModelCall() = default;
  ModelCall(const ModelCall&) = delete;
  ModelCall& operator=(const ModelCall&) = delete;

  // Nothing of it is under way at a server.
  [[nodiscard]] virtual bool waits() const { return false; }
  // Gives up a call that waits. It is never answered.
  virtual void Withdraw() {}
};

class ModelProvider {
 public:
  using Done = std::function<void(ModelReply)>;

  virtual ~ModelProvider() = default;

  // Asks; `done` is called exactly once unless the call is cancelled. A provider that answers in process
  // calls `done` before it returns, and returns null. `request.timeout` bounds the call.
  [[nodiscard]] virtual std::unique_ptr<ModelCall> Ask(ModelRequest request, Done done) = 0;

  // A process that is gone may have asked something of that many tokens, as late as a moment ago. Told before
  // anything is asked, for who keeps to limits.
  virtual void MayHaveAsked(std::uint64_t /*tokens*/) {}
};

}  // namespace agenttalk
