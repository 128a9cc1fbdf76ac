#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "base/time.h"
#include "llm/model_provider.h"
#include "model/request/model_request.h"

namespace agenttalk {

// Passes calls on and hands every outcome to `write` as a line of a cassette. A call that is cancelled leaves
// none, unless its time was over: then it is recorded as what it was, too late.
class RecordingProvider final : public ModelProvider {
 public:
  using WriteLine = std::function<void(std::string_view line)>;  // without its line feed
  using Now = std::function<Timestamp()>;

  // This object must outlive its calls.
  RecordingProvider(std::shared_ptr<ModelProvider> inner, WriteLine write, Now now);

  [[nodiscard]] std::unique_ptr<ModelCall> Ask(ModelRequest request, Done done) override;
  void MayHaveAsked(std::uint64_t tokens) override { inner_->MayHaveAsked(tokens); }

 private:
  struct Entry;
  class Watched;

  void Write(Entry& entry, Duration elapsed);

  const std::shared_ptr<ModelProvider> inner_;
  WriteLine write_;
  Now now_;
};

}  // namespace agenttalk
