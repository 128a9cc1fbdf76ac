// The rounds that continue a conversation: a repair after an answer that could not be used, and the results
// of tools. Declared in composer.h beside the request they continue.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "base/digest.h"
#include "base/error_code.h"
#include "base/issue.h"
#include "model/content/content.h"
#include "model/request/model_request.h"
#include "model/request/stored_request.h"
#include "prompts/composer.h"
#include "prompts/content_key.h"
#include "prompts/phrases.h"
#include "prompts/prompt_writer.h"

namespace agenttalk {
namespace {

constexpr std::size_t kExpectedText = 512;

StoredRequest Continue(const StoredRequest& parent, const Content& parent_content, std::uint32_t attempt) {
  StoredRequest request;
  request.ids = parent.ids;
  request.ids.attempt = attempt;
  request.provider = parent.provider;
  request.model = parent.model;
  request.parameters = parent.parameters;
  request.system = parent.system;
  request.tools = parent.tools;
  request.answer_schema = parent.answer_schema;
  request.timeout = parent.timeout;
  request.parent = parent_content;
  request.contract = parent.contract;
  return request;
}

StoredMessage AssistantMessage(const Content& answer) {
  StoredMessage message;
  message.role = Role::kAssistant;
  if (!answer.empty()) message.parts.push_back({{}, answer, {}});
  return message;
}

StoredMessage UserMessage(PromptWriter& out) {
  return {Role::kUser, out.Take(), {}, {}, false};
}

Digest ToolRoundKey(const ToolRoundInput& input) {
  ContentKey key("agenttalk.tool_round.1", kExpectedText);
  key.Hash(input.parent->reuse_key).Hash(input.answer.digest).Number(input.native ? 1 : 0);
  for (const ToolOutcome& outcome : input.outcomes) {
    key.Text(outcome.call.id).Text(outcome.call.name).Text(outcome.call.arguments);
    key.Hash(outcome.output.digest).Number(outcome.failed ? 1 : 0);
  }
  return key.Finish();
}

void AddNativeResults(StoredRequest& request, const ToolRoundInput& input) {
  StoredMessage& assistant = request.messages.emplace_back(AssistantMessage(input.answer));
  for (const ToolOutcome& outcome : input.outcomes) assistant.tool_calls.push_back(outcome.call);
  for (const ToolOutcome& outcome : input.outcomes) {
    StoredMessage result;
    result.role = Role::kTool;
    result.parts.push_back({{}, outcome.output, {}});
    result.tool_call_id = outcome.call.id;
    result.tool_failed = outcome.failed;
    request.messages.push_back(std::move(result));
  }
}

void AddTextResults(StoredRequest& request, const ToolRoundInput& input, std::string_view fence) {
  const Phrases& words = PhrasesOf(input.language);
  PromptWriter out(kExpectedText);
  out.Text(words.tool_results).Text(fence).Text(words.inputs_rule);
  for (const ToolOutcome& outcome : input.outcomes) {
    out.Text(words.tool_result).Quoted(outcome.call.name);
    out.Text(outcome.failed ? words.tool_failed : "")
        .Text(":\n")
        .Fenced(outcome.output, outcome.call.name, fence);
  }
  const bool failed = std::ranges::any_of(input.outcomes, &ToolOutcome::failed);
  if (failed && !input.alternatives.empty()) {
    out.Text(words.alternatives);
    for (const std::string& one : input.alternatives) out.Text("- ").Line(one);
  }
  request.messages.push_back(AssistantMessage(input.answer));
  request.messages.push_back(UserMessage(out));
}

}  // namespace

StoredRequest ComposeRepair(const RepairInput& input) {
  const Phrases& words = PhrasesOf(input.language);
  ContentKey key("agenttalk.repair.1", kExpectedText);
  key.Hash(input.parent->reuse_key).Hash(input.answer.digest);
  PromptWriter out(kExpectedText);
  out.Text(words.repair);
  for (const Issue& error : input.errors) {
    out.Text("- ").Text(ToString(error.code));
    if (!error.path.empty()) out.Text(" ").Text(error.path);
    out.Text(": ").Text(error.message);
    if (!error.hint.empty()) out.Text(" (").Text(error.hint).Text(")");
    out.Text("\n");
    key.Text(ToString(error.code)).Text(error.path).Text(error.message).Text(error.hint);
  }
  out.Text(words.repair_rule);

  StoredRequest request = Continue(*input.parent, input.parent_content, input.attempt);
  request.reuse_key = key.Finish();
  request.idempotency_key = MarkCall(input.fence_key, request.reuse_key, request.ids).idempotency_key;
  request.messages.push_back(AssistantMessage(input.answer));
  request.messages.push_back(UserMessage(out));
  return request;
}

StoredRequest ComposeNews(const NewsInput& input) {
  const Phrases& words = PhrasesOf(input.language);
  ContentKey key("agenttalk.news.1", kExpectedText);
  key.Hash(input.parent->reuse_key).Hash(input.answer.digest).Number(input.notes.size());
  for (const PromptNote& note : input.notes) key.Text(note.label).Hash(note.text.digest);
  StoredRequest request = Continue(*input.parent, input.parent_content, input.attempt);
  request.reuse_key = key.Finish();
  CallMarks marks = MarkCall(input.fence_key, request.reuse_key, request.ids);
  request.idempotency_key = std::move(marks.idempotency_key);
  PromptWriter out(kExpectedText);
  out.Text(words.news).Text(marks.fence).Text(words.memory_rule);
  WriteNotes(out, input.notes, marks.fence);
  out.Text(words.news_request);
  request.messages.push_back(AssistantMessage(input.answer));
  request.messages.push_back(UserMessage(out));
  return request;
}

StoredRequest ComposeToolRound(const ToolRoundInput& input) {
  StoredRequest request = Continue(*input.parent, input.parent_content, input.attempt);
  request.reuse_key = ToolRoundKey(input);
  CallMarks marks = MarkCall(input.fence_key, request.reuse_key, request.ids);
  request.idempotency_key = std::move(marks.idempotency_key);
  if (input.native) {
    AddNativeResults(request, input);
  } else {
    AddTextResults(request, input, marks.fence);
  }
  return request;
}

}  // namespace agenttalk
