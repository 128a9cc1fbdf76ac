#include "runtime/history/transcript.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/digest.h"
#include "base/error.h"
#include "base/ids.h"
#include "base/time.h"
#include "model/events/event.h"
#include "model/request/model_request.h"
#include "model/request/stored_request.h"
#include "runtime/history/command_history.h"
#include "runtime/history/command_record.h"
#include "runtime/history/command_view.h"
#include "runtime/history/event_words.h"
#include "runtime/history/plain_words.h"

namespace agenttalk {
namespace {

// A fence that the text cannot close.
std::string FenceFor(std::string_view text) {
  std::size_t longest = 2;
  std::size_t run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return std::string(longest + 1, '`');
}

std::string Capitalized(std::string_view word) {
  std::string text(word);
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

class TranscriptWriter {
 public:
  TranscriptWriter(const PlanId& plan, const CommandHistory& command, const ContentLoader& load)
      : plan_(plan), command_(command), load_(load), text_(TextsOf(load)) {}

  std::string Write() {
    Head();
    for (const AttemptHistory& attempt : command_.attempts) Attempt(attempt);
    Decisions();
    Ending();
    return std::move(out_);
  }

 private:
  template <typename... Values>
  void Line(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Values>(values)...);
    out_ += '\n';
  }
  void Block(std::string_view title, std::string_view text) {
    const std::string fence = FenceFor(text);
    Line("\n**{}**\n", title);
    Line("{}", fence);
    out_ += text;
    if (text.empty() || text.back() != '\n') out_ += '\n';
    Line("{}", fence);
  }
  void Files(std::string_view title, const std::vector<NamedContent>& files) {
    if (files.empty()) return;
    Line("\n{}:\n", title);
    for (const NamedContent& file : files) {
      Line("- {} ({}, sha256 {})", CleanText(file.name), SizeWords(file.content.size),
           file.content.digest.Hex());
    }
  }

  void Head();
  void Attempt(const AttemptHistory& attempt);
  void ModelCall(const CallHistory& call);
  void Request(const CallHistory& call);
  void ToolCallPart(const CallHistory& call);
  void Outcome(const CallHistory& call);
  void Message(const ChatMessage& message);
  void Decisions();
  void Ending();

  const PlanId& plan_;
  const CommandHistory& command_;
  const ContentLoader& load_;
  const TextOfContent text_;
  std::set<Digest> shown_;  // requests that were shown in full or as a continuation
  std::string out_;
};

void TranscriptWriter::Head() {
  const std::string title = command_.task.empty() ? command_.id.str() : command_.task.str();
  Line("# {}: {}", title, command_.agent.str());
  Line("");
  Line("- plan: {}", plan_.str());
  Line("- command: {}", command_.id.str());
  Line("- state: {}", command_.state);
  Line("- received: {}", ToRfc3339(command_.received));
  Line("- ended: {}", ToRfc3339(command_.ended));
  Line("- calls: {}, {}", CountOf(command_.CountCalls(true), "model call", "model calls"),
       CountOf(command_.CountCalls(false), "tool call", "tool calls"));
  if (const std::string cost = CostWords(command_.cost); !cost.empty()) Line("- cost: {}", cost);
  std::vector<NamedContent> inputs;
  for (const BoundInput& input : command_.inputs) inputs.push_back({input.name, input.content});
  Files("Inputs", inputs);
  for (const std::string& name : command_.missing) Line("\nMissing: {}", CleanText(name));
  const CommandBrief brief = BriefOf(command_, load_);
  Line("\n## What was asked");
  Block("Prompt", CleanText(brief.prompt));
  if (!brief.score_criteria.empty()) Block("Score criteria", CleanText(brief.score_criteria));
  if (!brief.rework_reason.empty()) {
    Block(fmt::format("Rework, round {}", brief.rework_round), CleanText(brief.rework_reason));
  }
}

void TranscriptWriter::Attempt(const AttemptHistory& attempt) {
  Line("\n## Attempt {}: {}", attempt.number, attempt.outcome);
  if (attempt.error) Line("\n{}", OneLine(ErrorWords(attempt.error, attempt.message), 1000));
  for (const CallHistory& call : attempt.calls) {
    if (call.is_model) {
      ModelCall(call);
    } else {
      ToolCallPart(call);
    }
  }
}

void TranscriptWriter::Message(const ChatMessage& message) {
  const std::string who = message.role == Role::kTool
                              ? (message.tool_failed ? "Tool result (failed)" : "Tool result")
                              : Capitalized(ToString(message.role));
  Block(who, CleanText(message.text));
  for (const ToolCall& call : message.tool_calls) {
    Block(fmt::format("{} calls {}", who, call.name), CleanText(call.arguments));
  }
}

// In full, or only what is new when it continues a request that was shown.
void TranscriptWriter::Request(const CallHistory& call) {
  if (!shown_.insert(call.request.digest).second) {
    Line("\nThe same request as before.");
    return;
  }
  const auto bytes = load_(call.request);
  auto stored = bytes ? DecodeRequest(**bytes) : std::unexpected(bytes.error());
  if (!stored) {
    Line("\nThe request cannot be read: {}", stored.error().message);
    return;
  }
  Line("\nProvider {}{}", stored->provider, stored->model.empty() ? "" : ", model " + stored->model);
  const bool continues = !stored->parent.empty() && shown_.contains(stored->parent.digest);
  if (continues) {
    stored->parent = {};
    stored->tools = {};
  }
  const auto request = Expand(*std::move(stored), load_);
  if (!request) {
    Line("\nThe request cannot be read: {}", request.error().message);
    return;
  }
  if (!continues) {
    Block("System", CleanText(request->system));
    for (const ToolSpec& tool : request->tools) Line("\nTool offered: {}", tool.name);
  }
  for (const ChatMessage& message : request->messages) Message(message);
}

void TranscriptWriter::Outcome(const CallHistory& call) {
  for (const FailedTry& one : call.failed_tries) {
    Line("\nA try after {} failed: {}", ToText(std::chrono::milliseconds(one.at_ms)),
         OneLine(CleanText(one.message), 1000));
  }
  for (const Timestamp at : call.restarts) {
    Line("\nMade again at {}: the program ended before an outcome was recorded.", ToRfc3339(at));
  }
  if (call.error) Line("\nFailed: {}", OneLine(ErrorWords(call.error, call.message), 1000));
  if (call.ended == Timestamp{}) Line("\nNo outcome was recorded.");
}

void TranscriptWriter::ModelCall(const CallHistory& call) {
  Line("\n### Call {}: model", call.call);
  Request(call);
  Outcome(call);
  if (!call.answer.empty()) Block("Answer", text_(call.answer));
  if (call.ended != Timestamp{}) {
    const std::string cost = CostWords(call.cost);
    Line("\nTook {}{}.", ToText(call.ended - call.started), cost.empty() ? "" : ", " + cost);
  }
  if (call.refused.empty()) return;
  Line("\nThe answer was refused:\n");
  for (const std::string& error : call.refused) Line("- {}", OneLine(error, 1000));
}

void TranscriptWriter::ToolCallPart(const CallHistory& call) {
  Line("\n### Call {}: tool {}", call.call, call.tool);
  Block("Arguments", text_(call.request));
  Outcome(call);
  if (!call.answer.empty()) Block("Output", text_(call.answer));
  if (call.ended != Timestamp{}) Line("\nTook {}.", ToText(call.ended - call.started));
  Files("Files that it left", call.files);
}

void TranscriptWriter::Decisions() {
  if (command_.decisions.empty()) return;
  Line("\n## What was decided\n");
  for (const DecisionHistory& one : command_.decisions) Line("- {}", EventWords(one.event, text_));
}

void TranscriptWriter::Ending() {
  Line("\n## Result");
  if (command_.error)
    Line("\n{}: {}", command_.state, OneLine(ErrorWords(command_.error, command_.message), 1000));
  if (command_.reused) Line("\nThe answer was recorded before and used again.");
  if (command_.score) Line("\nScore: {}", NumberWords(*command_.score));
  if (!command_.score_explanation.empty()) Block("Why this score", CleanText(command_.score_explanation));
  if (!command_.result.empty()) Block("Result", text_(command_.result));
  Files("Outputs", command_.outputs);
  const RenderedMessage message = RenderMessage(plan_, command_, text_);
  const bool is_result = message.text && !command_.result.empty() && *message.text == text_(command_.result);
  if (message.text && !is_result) Block("Message", *message.text);
  for (const SentMessage& sent : command_.messages) Line("\nSent to {}: {}", sent.to.str(), sent.message_id);
}

}  // namespace

std::string TranscriptText(const PlanId& plan, const CommandHistory& command, const ContentLoader& load) {
  return TranscriptWriter(plan, command, load).Write();
}

}  // namespace agenttalk
