// OpenAI's Chat Completions, as it is also spoken by vLLM, llama.cpp, LM Studio, OpenRouter and others. They
// leave fields out, add some, and send numbers for texts; whatever can be understood is taken.
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

StopReason ReadFinishReason(std::string_view text) {
  if (text == "stop" || text == "eos" || text == "end_turn") return StopReason::kEnd;
  if (text == "length" || text == "max_tokens") return StopReason::kMaxTokens;
  if (text == "tool_calls" || text == "function_call") return StopReason::kToolCalls;
  if (text == "content_filter") return StopReason::kRefusal;
  return StopReason::kOther;
}

json::object MessageOf(const ChatMessage& message) {
  json::object object{{"role", ToString(message.role)}, {"content", message.text}};
  if (message.role == Role::kTool) object["tool_call_id"] = message.tool_call_id;
  if (message.tool_calls.empty()) return object;
  json::array calls;
  for (const ToolCall& call : message.tool_calls) {
    calls.push_back(json::object{{"id", call.id},
                                 {"type", "function"},
                                 {"function", {{"name", call.name}, {"arguments", call.arguments}}}});
  }
  object["tool_calls"] = std::move(calls);
  if (message.text.empty()) object["content"] = nullptr;
  return object;
}

void ReadUsage(const json::object& body, Usage& usage) {
  const json::object* counts = ObjectAt(body, "usage");
  if (counts == nullptr) return;
  ReadCount(*counts, "prompt_tokens", usage.input_tokens);
  ReadCount(*counts, "completion_tokens", usage.output_tokens);
  if (const json::object* details = ObjectAt(*counts, "prompt_tokens_details")) {
    ReadCount(*details, "cached_tokens", usage.cache_read_tokens);
  }
}

// A text, or a list of parts of which the texts count.
void ReadContent(const json::object& message, AnswerDraft& draft) {
  draft.AddText(TextAt(message, "content"));
  if (const json::array* parts = ArrayAt(message, "content")) {
    for (const json::value& part : *parts) {
      if (const json::object* object = part.if_object()) draft.AddText(TextAt(*object, "text"));
    }
  }
  if (const std::string_view refusal = TextAt(message, "refusal"); !refusal.empty()) {
    draft.AddText(refusal);
    draft.Stop(StopReason::kRefusal);
  }
}

// In a stream a call's name and id come once and its arguments in fragments, all under one index. Where a
// server sends no index, a new id or name begins the next call.
std::uint64_t PlaceOf(const json::object& call, const AnswerDraft& draft) {
  std::uint64_t place = draft.tools() == 0 ? 0 : draft.tools() - 1;
  const json::object* function = ObjectAt(call, "function");
  const bool begins =
      !TextAt(call, "id").empty() || (function != nullptr && !TextAt(*function, "name").empty());
  if (begins) place = draft.tools();
  ReadCount(call, "index", place);
  return place;
}

void ReadToolCalls(const json::object& message, AnswerDraft& draft) {
  const json::array* calls = ArrayAt(message, "tool_calls");
  if (calls == nullptr) return;
  for (const json::value& item : *calls) {
    const json::object* call = item.if_object();
    if (call == nullptr) continue;
    ToolCall& tool = draft.Tool(PlaceOf(*call, draft));
    if (const std::string_view id = TextAt(*call, "id"); !id.empty()) tool.id = id;
    const json::object* function = ObjectAt(*call, "function");
    if (function == nullptr) continue;
    if (const std::string_view name = TextAt(*function, "name"); !name.empty()) tool.name = name;
    draft.AddArguments(tool, TextAt(*function, "arguments"));
    if (const json::object* arguments = ObjectAt(*function, "arguments")) {
      draft.AddArguments(tool, json::serialize(*arguments));
    }
  }
}

// True when it is an error instead of an answer; OpenRouter and others send it with status 200.
bool ReadErrorObject(const json::object& body, AnswerDraft& draft) {
  const json::value* error = body.if_contains("error");
  if (error == nullptr || error->is_null()) return false;
  if (const json::object* object = error->if_object()) {
    std::string type(TextAt(*object, "type"));
    std::uint64_t code = 0;
    ReadCount(*object, "code", code);
    if (code != 0) type = std::to_string(code);
    if (!TextAt(*object, "code").empty()) type = TextAt(*object, "code");
    draft.Fail(ReadInnerError(type, TextAt(*object, "message")));
  } else {
    draft.Fail(ReadInnerError("api_error", TextAt(body, "error")));
  }
  return true;
}

class OpenaiFormat final : public WireFormat {
 public:
  explicit OpenaiFormat(WireOptions options) : options_(std::move(options)) {}

  [[nodiscard]] WireCall Encode(const ModelRequest& request, const Concessions& concessions) const override {
    const SchemaUse schema = UseOfSchema(request, options_, concessions, IsOpenaiItself());
    const ModelParameters parameters = ParametersOf(request, options_);
    json::array messages;
    const std::string system = SystemText(request, schema);
    if (!system.empty()) messages.push_back(json::object{{"role", "system"}, {"content", system}});
    for (const ChatMessage& message : request.messages) messages.push_back(MessageOf(message));
    json::object body{{"messages", std::move(messages)}, {"stream", options_.stream}};
    if (const std::string model = ModelOf(request, options_); !model.empty()) body["model"] = model;
    if (options_.stream) body["stream_options"] = {{"include_usage", true}};
    if (parameters.max_tokens != 0) body[LimitName(concessions)] = parameters.max_tokens;
    AddParameters(parameters, body);
    if (schema == SchemaUse::kGiven) body["response_format"] = AnswerFormat(request);
    if (AnnouncesTools(request, options_)) {
      body["tools"] = FunctionTools(request.tools);
      if (AsksForTool(request, parameters)) body["tool_choice"] = ToolChoice(parameters.tool_choice);
    }
    AddExtraBody(parameters, body);
    WireCall call{UrlOf(options_, "/chat/completions"), Headers(), json::serialize(body)};
    AddIdempotencyKey(request, call);
    return call;
  }

  [[nodiscard]] WireCall ListModels() const override { return {UrlOf(options_, "/models"), Headers(), {}}; }

  [[nodiscard]] std::vector<std::string> ReadModels(const json::object& body) const override {
    return TextsIn(body, "data", "id");
  }

  void ReadWhole(const json::object& body, AnswerDraft& draft) const override {
    if (ReadErrorObject(body, draft)) return;
    ReadChoice(body, "message", draft);
    if (!draft.stopped() && draft.answer.text.empty() && draft.tools() == 0) {
      draft.Fail(BadResponse("the answer has no choices"));
    }
    draft.End();
  }

  void ReadPiece(std::string_view /*event*/, const json::object& piece, AnswerDraft& draft) const override {
    if (ReadErrorObject(piece, draft)) return;
    // Some servers answer a stream request with events that hold whole messages.
    ReadChoice(piece, "delta", draft);
  }

 private:
  [[nodiscard]] HttpHeaders Headers() const {
    HttpHeaders headers = {{"content-type", "application/json"}};
    if (!options_.api_key.empty()) headers.push_back({"authorization", "Bearer " + options_.api_key});
    return HeadersOf(options_, std::move(headers));
  }

  void AddParameters(const ModelParameters& parameters, json::object& body) const {
    if (parameters.temperature) body["temperature"] = *parameters.temperature;
    if (parameters.top_p) body["top_p"] = *parameters.top_p;
    if (parameters.seed) body["seed"] = *parameters.seed;
    if (!parameters.stop.empty()) body["stop"] = json::array(parameters.stop.begin(), parameters.stop.end());
    if (!parameters.reasoning_effort.empty()) body["reasoning_effort"] = parameters.reasoning_effort;
    // vLLM, llama.cpp, SGLang and others hand this to the model's template; OpenAI itself knows no such
    // thing.
    if (parameters.thinking && !IsOpenaiItself()) {
      body["chat_template_kwargs"] = {{"enable_thinking", *parameters.thinking != 0}};
    }
  }

  static json::value ToolChoice(const std::string& choice) {
    if (choice == "auto" || choice == "none" || choice == "required") return json::value(choice);
    return {{"type", "function"}, {"function", {{"name", choice}}}};
  }

  static json::object AnswerFormat(const ModelRequest& request) {
    json::object schema = ObjectOf(request.answer_schema);
    const bool strict = HasFixedFields(schema);
    json::object named{{"name", "answer"}, {"schema", std::move(schema)}};
    if (strict) named["strict"] = true;
    return {{"type", "json_schema"}, {"json_schema", std::move(named)}};
  }

  [[nodiscard]] bool IsOpenaiItself() const {
    return options_.base_url.find("api.openai.com") != std::string::npos;
  }

  // OpenAI's newer models refuse the old name, wherever they are served, and most other servers know only
  // that one. Who refuses it is told the new one (http_provider.cc).
  [[nodiscard]] std::string_view LimitName(const Concessions& concessions) const {
    if (!options_.max_tokens_as.empty()) return options_.max_tokens_as;
    return IsOpenaiItself() || concessions.completion_tokens ? "max_completion_tokens" : "max_tokens";
  }

  static void ReadChoice(const json::object& body, std::string_view part, AnswerDraft& draft) {
    if (!TextAt(body, "id").empty()) draft.answer.provider_request_id = TextAt(body, "id");
    if (!TextAt(body, "model").empty()) draft.answer.model = TextAt(body, "model");
    ReadUsage(body, draft.answer.usage);
    const json::array* choices = ArrayAt(body, "choices");
    const json::object* choice =
        choices == nullptr || choices->empty() ? nullptr : choices->front().if_object();
    if (choice == nullptr) return;
    if (const json::object* message = ObjectAt(*choice, part)) {
      ReadContent(*message, draft);
      ReadToolCalls(*message, draft);
    }
    const std::string_view reason = TextAt(*choice, "finish_reason");
    // A refusal in words comes with the reason "stop".
    if (!reason.empty() && draft.answer.stop_reason != StopReason::kRefusal)
      draft.Stop(ReadFinishReason(reason));
  }

  const WireOptions options_;
};

}  // namespace

std::unique_ptr<WireFormat> MakeOpenaiFormat(WireOptions options) {
  return std::make_unique<OpenaiFormat>(std::move(options));
}

}  // namespace agenttalk
