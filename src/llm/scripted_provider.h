#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "llm/model_provider.h"
#include "llm/script.h"
#include "model/request/model_request.h"

namespace agenttalk {

// Answers from a script, for offline runs, tests and demos. The first entry wins whose conditions all hold
// and whose uses are not spent. Usage is an estimate of four bytes a token.
class ScriptedProvider final : public ModelProvider {
 public:
  // `uses[i]` is how often entry i has been used, as the journal tells by the `script_entry` of the recorded
  // answers and errors; a shorter list is filled up with zeros.
  explicit ScriptedProvider(Script script, std::vector<std::uint64_t> uses = {});

  [[nodiscard]] std::unique_ptr<ModelCall> Ask(ModelRequest request, Done done) override;

  [[nodiscard]] const Script& script() const { return script_; }
  // How often each entry has been used, by calls whose outcome is not recorded yet as well.
  [[nodiscard]] const std::vector<std::uint64_t>& uses() const { return uses_; }

 private:
  [[nodiscard]] bool IsSpent(std::size_t entry) const;
  ModelReply Reply(const ModelRequest& request);

  Script script_;
  std::vector<std::uint64_t> uses_;
};

}  // namespace agenttalk
