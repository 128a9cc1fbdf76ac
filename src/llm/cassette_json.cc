// The lines of a cassette.
#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/issue.h"
#include "base/json.h"
#include "base/redact.h"
#include "base/time.h"
#include "base/utf8.h"
#include "llm/cassette.h"
#include "model/config/model_parameters.h"
#include "model/reading/object_reader.h"
#include "model/request/model_request.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

constexpr std::size_t kMaxLine = std::size_t{64} << 20;

// A line must be JSON whatever a program said that plays a model.
std::string MakeUtf8(std::string text) {
  if (!IsUtf8(text)) {
    std::ranges::replace_if(text, [](char c) { return static_cast<std::uint8_t>(c) >= 0x80; }, '?');
  }
  return text;
}

json::array ToJson(const std::vector<ToolCall>& calls) {
  json::array list;
  for (const ToolCall& call : calls) {
    list.push_back(
        json::object{{"id", call.id}, {"name", call.name}, {"arguments", MakeUtf8(call.arguments)}});
  }
  return list;
}

json::object ToJson(const ChatMessage& message) {
  json::object object{{"role", ToString(message.role)}, {"text", MakeUtf8(message.text)}};
  if (!message.tool_calls.empty()) object["tool_calls"] = ToJson(message.tool_calls);
  if (!message.tool_call_id.empty()) object["tool_call_id"] = message.tool_call_id;
  if (message.tool_failed) object["tool_failed"] = true;
  return object;
}

json::object ToJson(const ModelRequest& request) {
  json::object object{{"stage", ToString(request.ids.stage)},
                      {"attempt", request.ids.attempt},
                      {"provider", request.provider},
                      {"model", request.model},
                      {"system", MakeUtf8(request.system)}};
  if (!request.ids.agent.empty()) object["agent"] = request.ids.agent.str();
  if (!request.ids.command.empty()) object["command"] = request.ids.command.str();
  if (!request.ids.task.empty()) object["task"] = request.ids.task.str();
  AddParameters(object, request.parameters);
  if (!request.answer_schema.empty()) object["answer_schema"] = request.answer_schema;
  json::array messages;
  for (const ChatMessage& message : request.messages) messages.push_back(ToJson(message));
  object["messages"] = std::move(messages);
  json::array tools;
  for (const ToolSpec& tool : request.tools) {
    tools.push_back(json::object{
        {"name", tool.name}, {"description", tool.description}, {"input_schema", tool.input_schema}});
  }
  if (!tools.empty()) object["tools"] = std::move(tools);
  return object;
}

json::object ToJson(const ModelAnswer& answer) {
  json::object usage{{"input_tokens", answer.usage.input_tokens},
                     {"output_tokens", answer.usage.output_tokens}};
  if (answer.usage.cache_read_tokens != 0) usage["cache_read_tokens"] = answer.usage.cache_read_tokens;
  if (answer.usage.cache_write_tokens != 0) usage["cache_write_tokens"] = answer.usage.cache_write_tokens;
  json::object object{{"text", MakeUtf8(Redact(answer.text))},
                      {"model", answer.model},
                      {"stop_reason", ToString(answer.stop_reason)},
                      {"usage", std::move(usage)}};
  if (!answer.tool_calls.empty()) object["tool_calls"] = ToJson(answer.tool_calls);
  if (!answer.provider_request_id.empty()) object["provider_request_id"] = answer.provider_request_id;
  if (answer.cost_usd) object["cost_usd"] = *answer.cost_usd;
  return object;
}

std::int64_t Milliseconds(Duration duration) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
}

json::object ToJson(const ModelError& error) {
  json::object object{{"kind", ToString(error.kind)},
                      {"message", MakeUtf8(Redact(error.message))},
                      {"retryable", error.retryable}};
  if (error.http_status != 0) object["http_status"] = error.http_status;
  if (error.retry_after) object["retry_after_ms"] = Milliseconds(*error.retry_after);
  return object;
}

// Spellings of an enumeration whose values count up from 0, for ObjectReader::Choice.
template <typename Enum, std::size_t N>
std::array<std::pair<std::string_view, Enum>, N> ChoicesUpTo() {
  std::array<std::pair<std::string_view, Enum>, N> choices;
  for (std::size_t i = 0; i < N; ++i) choices[i] = {ToString(static_cast<Enum>(i)), static_cast<Enum>(i)};
  return choices;
}

const auto kStages = ChoicesUpTo<Stage, kStageRows.size()>();
const auto kRoles = ChoicesUpTo<Role, 3>();
const auto kStopReasons = ChoicesUpTo<StopReason, 5>();
const auto kErrorKinds = ChoicesUpTo<ModelErrorKind, 6>();

void ReadToolCalls(ObjectReader& reader, std::vector<ToolCall>& calls) {
  reader.Objects("tool_calls", [&](ObjectReader& item) {
    ToolCall& call = calls.emplace_back();
    item.String("id", call.id);
    item.String(Field("name").Required(), call.name);
    item.String("arguments", call.arguments);
  });
}

void ReadMessage(ObjectReader& reader, ChatMessage& message) {
  reader.Choice<Role>(Field("role").Required(), kRoles, message.role);
  reader.String(Field("text").Required(), message.text);
  ReadToolCalls(reader, message.tool_calls);
  reader.String("tool_call_id", message.tool_call_id);
  reader.Boolean("tool_failed", message.tool_failed);
}

void ReadRequest(ObjectReader& reader, ModelRequest& request) {
  reader.Name("agent", request.ids.agent);
  reader.Name("command", request.ids.command);
  reader.Name("task", request.ids.task);
  reader.Choice<Stage>("stage", kStages, request.ids.stage);
  reader.Integer("attempt", {.min = 1}, request.ids.attempt);
  reader.String("provider", request.provider);
  reader.String("model", request.model);
  ReadParameters(reader, request.parameters);
  reader.String("system", request.system);
  reader.String("answer_schema", request.answer_schema);
  reader.Objects("messages", [&](ObjectReader& item) { ReadMessage(item, request.messages.emplace_back()); });
  reader.Objects("tools", [&](ObjectReader& item) {
    ToolSpec& tool = request.tools.emplace_back();
    item.String("name", tool.name);
    item.String("description", tool.description);
    item.String("input_schema", tool.input_schema);
  });
}

void ReadAnswer(ObjectReader& reader, ModelAnswer& answer) {
  reader.String(Field("text").Required(), answer.text);
  reader.String("model", answer.model);
  reader.Choice<StopReason>("stop_reason", kStopReasons, answer.stop_reason);
  reader.String("provider_request_id", answer.provider_request_id);
  double cost = 0;
  if (reader.Number("cost_usd", {.min = 0}, cost)) answer.cost_usd = cost;
  ReadToolCalls(reader, answer.tool_calls);
  reader.Object("usage", [&](ObjectReader& usage) {
    usage.Integer("input_tokens", {.min = 0}, answer.usage.input_tokens);
    usage.Integer("output_tokens", {.min = 0}, answer.usage.output_tokens);
    usage.Integer("cache_read_tokens", {.min = 0}, answer.usage.cache_read_tokens);
    usage.Integer("cache_write_tokens", {.min = 0}, answer.usage.cache_write_tokens);
  });
}

void ReadError(ObjectReader& reader, ModelError& error) {
  reader.Choice<ModelErrorKind>(Field("kind").Required(), kErrorKinds, error.kind);
  reader.Integer("http_status", {.min = 0, .max = 999}, error.http_status);
  reader.Boolean("retryable", error.retryable);
  reader.String("message", error.message);
  std::int64_t retry_after = 0;
  if (reader.Integer("retry_after_ms", {.min = 0, .max = 1'000'000'000}, retry_after)) {
    error.retry_after = std::chrono::milliseconds(retry_after);
  }
}

void ReadRecord(ObjectReader& reader, CassetteRecord& record) {
  reader.Sha256(Field("key").Required(), record.key);
  reader.Object(Field("request").Required(), [&](ObjectReader& item) { ReadRequest(item, record.request); });
  std::int64_t elapsed = 0;
  reader.Integer("elapsed_ms", {.min = 0, .max = 1'000'000'000}, elapsed);
  record.elapsed = std::chrono::milliseconds(elapsed);
  if (reader.Has("answer") == reader.Has("error")) {
    reader.Error("", ErrorCode::kValueInvalid, "must have either \"answer\" or \"error\"");
  }
  ModelError error;
  if (reader.Object("error", [&](ObjectReader& item) { ReadError(item, error); })) {
    record.outcome = std::unexpected(std::move(error));
  }
  reader.Object("answer", [&](ObjectReader& item) { ReadAnswer(item, record.outcome.emplace()); });
}

void AddLine(Issues& issues, int line) {
  for (Issue& issue : issues.errors) {
    if (issue.line == 0) issue.line = line;
  }
}

}  // namespace

std::string EncodeRecord(const CassetteRecord& record) {
  json::object object{{"key", record.key.Hex()},
                      {"request", ToJson(record.request)},
                      {"elapsed_ms", Milliseconds(record.elapsed)}};
  if (record.outcome) {
    object["answer"] = ToJson(*record.outcome);
  } else {
    object["error"] = ToJson(record.outcome.error());
  }
  return CanonicalJson(object);
}

std::expected<Cassette, Issues> Cassette::Parse(std::string_view text) {
  Cassette cassette;
  Issues issues;
  for (int line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view bytes = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (bytes.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const auto value = ParseJson(bytes, {.max_bytes = kMaxLine});
    if (!value) {
      issues.errors.push_back({value.error().code, "", value.error().message, value.error().hint, line});
      continue;
    }
    CassetteRecord record;
    ReadObject(*value, issues, [&](ObjectReader& reader) { ReadRecord(reader, record); });
    AddLine(issues, line);
    cassette.index_[{record.key, record.request.ids.attempt}].push_back(cassette.records_.size());
    cassette.records_.push_back(std::move(record));
  }
  if (!issues.ok()) return std::unexpected(std::move(issues));
  return cassette;
}

}  // namespace agenttalk
