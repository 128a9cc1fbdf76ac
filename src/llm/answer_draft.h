#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "model/request/model_request.h"

namespace agenttalk {

// An answer while it is being read. Vendors' formats put into it what they find, in any order; it watches the
// size and knows whether the answer is whole.
class AnswerDraft {
 public:
  explicit AnswerDraft(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  ModelAnswer answer;

  void AddText(std::string_view text);
  // The tool call at this place of the answer, made if need be. Never null: beyond a sane number of calls the
  // draft fails and the last one is given.
  ToolCall& Tool(std::uint64_t place);
  void AddArguments(ToolCall& tool, std::string_view text);
  [[nodiscard]] std::size_t tools() const { return tools_.size(); }

  // The provider said why it stopped.
  void Stop(StopReason reason);
  // The provider said that nothing more will come.
  void End() { ended_ = true; }
  void Fail(ModelError error);

  // Nothing that may still come can change the outcome for the worse.
  [[nodiscard]] bool complete() const { return ended_ || error_.has_value(); }
  [[nodiscard]] bool failed() const { return error_.has_value(); }
  [[nodiscard]] bool stopped() const { return stopped_; }
  // The outcome, now that no more bytes come: a DISCONNECT when the answer is not whole.
  [[nodiscard]] ModelOutcome Finish();

 private:
  void Count(std::size_t bytes);

  const std::size_t max_bytes_;
  std::size_t bytes_ = 0;
  std::map<std::uint64_t, ToolCall> tools_;
  std::optional<ModelError> error_;
  bool stopped_ = false;
  bool ended_ = false;
};

}  // namespace agenttalk
