#include "llm/answer_draft.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string_view>
#include <utility>

#include "base/surrogates.h"
#include "llm/model_errors.h"
#include "model/request/model_request.h"

namespace agenttalk {
namespace {

constexpr std::size_t kMostTools = 256;

}  // namespace

void AnswerDraft::Count(std::size_t bytes) {
  bytes_ += bytes;
  if (bytes_ > max_bytes_) Fail(TooLarge(max_bytes_));
}

void AnswerDraft::AddText(std::string_view text) {
  if (failed()) return;
  Count(text.size());
  if (!failed()) answer.text += text;
}

ToolCall& AnswerDraft::Tool(std::uint64_t place) {
  if (tools_.size() >= kMostTools && !tools_.contains(place)) {
    Fail(BadResponse(fmt::format("the model asked for more than {} tools at once", kMostTools)));
    return tools_.rbegin()->second;
  }
  return tools_[place];
}

void AnswerDraft::AddArguments(ToolCall& tool, std::string_view text) {
  if (failed()) return;
  Count(text.size());
  if (!failed()) tool.arguments += text;
}

void AnswerDraft::Stop(StopReason reason) {
  stopped_ = true;
  answer.stop_reason = reason;
}

void AnswerDraft::Fail(ModelError error) {
  if (!error_) error_ = std::move(error);
}

ModelOutcome AnswerDraft::Finish() {
  if (error_) return std::unexpected(std::move(*error_));
  if (!ended_ && !stopped_) return std::unexpected(CutOff("the answer broke off before its end"));
  answer.text = JoinHalves(std::move(answer.text));
  for (auto& [place, tool] : tools_) {
    tool.arguments = JoinHalves(std::move(tool.arguments));
    if (tool.arguments.empty()) tool.arguments = "{}";
    answer.tool_calls.push_back(std::move(tool));
  }
  // Some servers say "stop" although they ask for tools.
  if (!answer.tool_calls.empty() && answer.stop_reason == StopReason::kEnd) {
    answer.stop_reason = StopReason::kToolCalls;
  }
  return std::move(answer);
}

}  // namespace agenttalk
