// Anthropic's Messages API, version 2023-06-01.
#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "llm/answer_draft.h"
#include "llm/json_access.h"
#include "llm/model_errors.h"
#include "llm/wire_format.h"
#include "llm/wire_parts.h"
#include "model/config/model_parameters.h"
#include "model/request/model_request.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

constexpr std::uint32_t kDefaultMaxTokens = 8192;  // the API has no default of its own
constexpr std::int64_t kLeastThinking = 1024;      // it refuses less

StopReason ReadStopReason(std::string_view text) {
  if (text == "end_turn" || text == "stop_sequence") return StopReason::kEnd;
  if (text == "max_tokens" || text == "model_context_window_exceeded") return StopReason::kMaxTokens;
  if (text == "tool_use") return StopReason::kToolCalls;
  if (text == "refusal") return StopReason::kRefusal;
  return StopReason::kOther;
}

// A part of the input is counted apart here; ours counts all of it as input.
class UsageCounter {
 public:
  static void Read(const json::object& usage, Usage& into) {
    Usage sum = into;
    std::uint64_t plain = into.input_tokens - into.cache_read_tokens - into.cache_write_tokens;
    ReadCount(usage, "input_tokens", plain);
    ReadCount(usage, "cache_read_input_tokens", sum.cache_read_tokens);
    ReadCount(usage, "cache_creation_input_tokens", sum.cache_write_tokens);
    ReadCount(usage, "output_tokens", sum.output_tokens);
    sum.input_tokens = plain + sum.cache_read_tokens + sum.cache_write_tokens;
    into = sum;
  }
};

json::array AssistantContent(const ChatMessage& message) {
  json::array content;
  if (!message.text.empty()) content.push_back(json::object{{"type", "text"}, {"text", message.text}});
  for (const ToolCall& call : message.tool_calls) {
    content.push_back(json::object{
        {"type", "tool_use"}, {"id", call.id}, {"name", call.name}, {"input", ObjectOf(call.arguments)}});
  }
  return content;
}

json::object ToolResult(const ChatMessage& message) {
  json::object result{
      {"type", "tool_result"}, {"tool_use_id", message.tool_call_id}, {"content", message.text}};
  if (message.tool_failed) result["is_error"] = true;
  return result;
}

// All results of a round must stand in one message.
json::array Messages(const ModelRequest& request) {
  json::array messages;
  bool in_results = false;
  for (const ChatMessage& message : request.messages) {
    if (message.role == Role::kTool) {
      if (!in_results) messages.push_back(json::object{{"role", "user"}, {"content", json::array()}});
      messages.back().as_object()["content"].as_array().push_back(ToolResult(message));
    } else if (message.role == Role::kAssistant && !message.tool_calls.empty()) {
      messages.push_back(json::object{{"role", "assistant"}, {"content", AssistantContent(message)}});
    } else {
      messages.push_back(json::object{{"role", ToString(message.role)}, {"content", message.text}});
    }
    in_results = message.role == Role::kTool;
  }
  return messages;
}

// Ranges in a schema are refused as a whole; the prompt says them.
void DropRanges(json::value& schema) {
  if (json::array* list = schema.if_array()) {
    for (json::value& item : *list) DropRanges(item);
  }
  json::object* object = schema.if_object();
  if (object == nullptr) return;
  const json::value* type = object->if_contains("type");
  if (type != nullptr && type->is_string()) {
    object->erase("minimum");
    object->erase("maximum");
  }
  for (auto& member : *object) DropRanges(member.value());
}

json::object ToolChoice(const std::string& choice) {
  if (choice == "auto" || choice == "none") return {{"type", choice}};
  if (choice == "required") return {{"type", "any"}};
  return {{"type", "tool"}, {"name", choice}};
}

// What the model thought would have to be sent back with the tools' results, and is not kept: it thinks until
// it calls its first tool.
bool HasToolRounds(const ModelRequest& request) {
  return std::ranges::any_of(request.messages,
                             [](const ChatMessage& one) { return !one.tool_calls.empty(); });
}

void AddThinking(const ModelRequest& request, const ModelParameters& parameters, json::object& body) {
  if (!parameters.thinking) return;
  if (*parameters.thinking == 0) {
    body["thinking"] = {{"type", "disabled"}};
    return;
  }
  if (HasToolRounds(request)) return;
  const auto limit = body["max_tokens"].to_number<std::int64_t>();
  std::int64_t budget = *parameters.thinking;
  if (budget == ModelParameters::kThinkingOn) budget = limit / 2;
  budget = std::max(budget, kLeastThinking);
  // The limit holds what it thinks and what it says.
  if (limit <= budget) body["max_tokens"] = budget + limit;
  body["thinking"] = {{"type", "enabled"}, {"budget_tokens", budget}};
}

class AnthropicFormat final : public WireFormat {
 public:
  explicit AnthropicFormat(WireOptions options) : options_(std::move(options)) {}

  [[nodiscard]] WireCall Encode(const ModelRequest& request, const Concessions& concessions) const override {
    SchemaUse schema = UseOfSchema(request, options_, concessions, true);
    json::value answer = ObjectOf(request.answer_schema);
    DropRanges(answer);
    // A schema with an object of unknown fields is refused as a whole.
    if (schema == SchemaUse::kGiven && !HasFixedFields(answer)) schema = SchemaUse::kNone;
    const ModelParameters parameters = ParametersOf(request, options_);
    const std::uint32_t limit = parameters.max_tokens;
    json::object body{{"model", ModelOf(request, options_)},
                      {"max_tokens", limit == 0 ? kDefaultMaxTokens : limit},
                      {"messages", Messages(request)},
                      {"stream", options_.stream}};
    const std::string system = SystemText(request, schema);
    if (!system.empty()) body["system"] = system;
    AddParameters(parameters, body);
    AddThinking(request, parameters, body);
    json::object output;
    if (schema == SchemaUse::kGiven) {
      output["format"] = {{"type", "json_schema"}, {"schema", std::move(answer)}};
    }
    if (!parameters.reasoning_effort.empty()) output["effort"] = parameters.reasoning_effort;
    if (!output.empty()) body["output_config"] = std::move(output);
    if (AnnouncesTools(request, options_)) {
      json::array tools;
      for (const ToolSpec& tool : request.tools) {
        tools.push_back(json::object{{"name", tool.name},
                                     {"description", tool.description},
                                     {"input_schema", ObjectOf(tool.input_schema)}});
      }
      body["tools"] = std::move(tools);
      if (AsksForTool(request, parameters)) body["tool_choice"] = ToolChoice(parameters.tool_choice);
    }
    AddExtraBody(parameters, body);
    WireCall call{UrlOf(options_, "/v1/messages"), Headers(), json::serialize(body)};
    AddIdempotencyKey(request, call);
    return call;
  }

  [[nodiscard]] WireCall ListModels() const override {
    return {UrlOf(options_, "/v1/models?limit=1000"), Headers(), {}};
  }

  [[nodiscard]] std::vector<std::string> ReadModels(const json::object& body) const override {
    return TextsIn(body, "data", "id");
  }

  void ReadWhole(const json::object& body, AnswerDraft& draft) const override {
    if (TextAt(body, "type") == "error") {
      ReadErrorEvent(body, draft);
      return;
    }
    ReadMessage(body, draft);
    const json::array* content = ArrayAt(body, "content");
    if (content == nullptr) {
      draft.Fail(BadResponse("the answer has no content"));
      return;
    }
    std::uint64_t place = 0;
    for (const json::value& item : *content) {
      if (const json::object* block = item.if_object()) ReadBlock(place, *block, draft);
      ++place;
    }
    draft.Stop(ReadStopReason(TextAt(body, "stop_reason")));
    draft.End();
  }

  void ReadPiece(std::string_view event, const json::object& piece, AnswerDraft& draft) const override {
    // The type stands in the data too, and some gateways drop the event's name.
    const std::string_view type = TextAt(piece, "type").empty() ? event : TextAt(piece, "type");
    std::uint64_t place = 0;
    ReadCount(piece, "index", place);
    if (type == "message_start") {
      if (const json::object* message = ObjectAt(piece, "message")) ReadMessage(*message, draft);
    } else if (type == "content_block_start") {
      if (const json::object* block = ObjectAt(piece, "content_block")) ReadBlock(place, *block, draft);
    } else if (type == "content_block_delta") {
      if (const json::object* delta = ObjectAt(piece, "delta")) ReadDelta(place, *delta, draft);
    } else if (type == "message_delta") {
      ReadMessageDelta(piece, draft);
    } else if (type == "message_stop") {
      draft.End();
    } else if (type == "error") {
      ReadErrorEvent(piece, draft);
    }
  }

 private:
  [[nodiscard]] HttpHeaders Headers() const {
    HttpHeaders headers = {{"anthropic-version", "2023-06-01"}, {"content-type", "application/json"}};
    if (!options_.api_key.empty()) headers.push_back({"x-api-key", options_.api_key});
    return HeadersOf(options_, std::move(headers));
  }

  static void AddParameters(const ModelParameters& parameters, json::object& body) {
    if (parameters.temperature) body["temperature"] = *parameters.temperature;
    if (parameters.top_p) body["top_p"] = *parameters.top_p;
    if (!parameters.stop.empty()) {
      body["stop_sequences"] = json::array(parameters.stop.begin(), parameters.stop.end());
    }
  }

  static void ReadMessage(const json::object& message, AnswerDraft& draft) {
    draft.answer.provider_request_id = TextAt(message, "id");
    draft.answer.model = TextAt(message, "model");
    if (const json::object* usage = ObjectAt(message, "usage"))
      UsageCounter::Read(*usage, draft.answer.usage);
  }

  // Thinking is not part of an answer; blocks of other types are for tools that we do not announce.
  static void ReadBlock(std::uint64_t place, const json::object& block, AnswerDraft& draft) {
    const std::string_view type = TextAt(block, "type");
    if (type == "text") draft.AddText(TextAt(block, "text"));
    if (type != "tool_use") return;
    ToolCall& tool = draft.Tool(place);
    tool.id = TextAt(block, "id");
    tool.name = TextAt(block, "name");
    // In a stream it is empty here, and the arguments follow as text.
    const json::object* input = ObjectAt(block, "input");
    if (input != nullptr && !input->empty()) draft.AddArguments(tool, json::serialize(*input));
  }

  static void ReadDelta(std::uint64_t place, const json::object& delta, AnswerDraft& draft) {
    const std::string_view type = TextAt(delta, "type");
    if (type == "text_delta") draft.AddText(TextAt(delta, "text"));
    if (type == "input_json_delta") draft.AddArguments(draft.Tool(place), TextAt(delta, "partial_json"));
  }

  static void ReadMessageDelta(const json::object& piece, AnswerDraft& draft) {
    if (const json::object* usage = ObjectAt(piece, "usage")) UsageCounter::Read(*usage, draft.answer.usage);
    const json::object* delta = ObjectAt(piece, "delta");
    if (delta != nullptr && !TextAt(*delta, "stop_reason").empty()) {
      draft.Stop(ReadStopReason(TextAt(*delta, "stop_reason")));
    }
  }

  static void ReadErrorEvent(const json::object& event, AnswerDraft& draft) {
    const json::object* error = ObjectAt(event, "error");
    const json::object& told = error == nullptr ? event : *error;
    draft.Fail(ReadInnerError(TextAt(told, "type"), TextAt(told, "message")));
  }

  const WireOptions options_;
};

}  // namespace

std::unique_ptr<WireFormat> MakeAnthropicFormat(WireOptions options) {
  return std::make_unique<AnthropicFormat>(std::move(options));
}

}  // namespace agenttalk
