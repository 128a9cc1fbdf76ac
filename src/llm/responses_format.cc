// OpenAI's Responses API, as it is also spoken by llama.cpp, vLLM and Azure. Nothing is kept by the server:
// the whole conversation goes along each time.
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

void AddItems(const ChatMessage& message, json::array& items) {
  if (message.role == Role::kTool) {
    items.push_back(json::object{
        {"type", "function_call_output"}, {"call_id", message.tool_call_id}, {"output", message.text}});
    return;
  }
  if (!message.text.empty() || message.tool_calls.empty()) {
    items.push_back(json::object{{"role", ToString(message.role)}, {"content", message.text}});
  }
  for (const ToolCall& call : message.tool_calls) {
    items.push_back(json::object{
        {"type", "function_call"}, {"call_id", call.id}, {"name", call.name}, {"arguments", call.arguments}});
  }
}

class ResponsesFormat final : public WireFormat {
 public:
  explicit ResponsesFormat(WireOptions options) : options_(std::move(options)) {}

  [[nodiscard]] WireCall Encode(const ModelRequest& request, const Concessions& concessions) const override {
    const SchemaUse schema = UseOfSchema(request, options_, concessions, true);
    const ModelParameters parameters = ParametersOf(request, options_);
    json::array items;
    for (const ChatMessage& message : request.messages) AddItems(message, items);
    json::object body{{"model", ModelOf(request, options_)},
                      {"input", std::move(items)},
                      {"stream", options_.stream},
                      {"store", false}};
    const std::string system = SystemText(request, schema);
    if (!system.empty()) body["instructions"] = system;
    if (parameters.max_tokens != 0) body["max_output_tokens"] = parameters.max_tokens;
    if (parameters.temperature) body["temperature"] = *parameters.temperature;
    if (parameters.top_p) body["top_p"] = *parameters.top_p;
    if (!parameters.reasoning_effort.empty()) body["reasoning"] = {{"effort", parameters.reasoning_effort}};
    if (schema == SchemaUse::kGiven) body["text"] = AnswerFormat(request);
    if (AnnouncesTools(request, options_)) {
      body["tools"] = Tools(request.tools);
      if (AsksForTool(request, parameters)) body["tool_choice"] = ToolChoice(parameters.tool_choice);
    }
    AddExtraBody(parameters, body);
    WireCall call{UrlOf(options_, "/responses"), Headers(), json::serialize(body)};
    AddIdempotencyKey(request, call);
    return call;
  }

  [[nodiscard]] WireCall ListModels() const override { return {UrlOf(options_, "/models"), Headers(), {}}; }

  [[nodiscard]] std::vector<std::string> ReadModels(const json::object& body) const override {
    return TextsIn(body, "data", "id");
  }

  void ReadWhole(const json::object& body, AnswerDraft& draft) const override {
    ReadOutput(body, draft);
    ReadEnd(body, draft);
    if (!draft.failed() && ArrayAt(body, "output") == nullptr) {
      draft.Fail(BadResponse("the answer has no output"));
    }
  }

  void ReadPiece(std::string_view event, const json::object& piece, AnswerDraft& draft) const override {
    const std::string_view type = TextAt(piece, "type").empty() ? event : TextAt(piece, "type");
    std::uint64_t place = 0;
    ReadCount(piece, "output_index", place);
    if (type == "response.output_text.delta") {
      draft.AddText(TextAt(piece, "delta"));
    } else if (type == "response.refusal.delta") {
      draft.AddText(TextAt(piece, "delta"));
      draft.Stop(StopReason::kRefusal);
    } else if (type == "response.output_item.added") {
      if (const json::object* item = ObjectAt(piece, "item")) BeginItem(place, *item, draft);
    } else if (type == "response.function_call_arguments.delta") {
      draft.AddArguments(draft.Tool(place), TextAt(piece, "delta"));
    } else if (type == "response.completed" || type == "response.incomplete" || type == "response.failed") {
      const json::object* response = ObjectAt(piece, "response");
      const json::object& told = response == nullptr ? piece : *response;
      // Servers are seen that stream no pieces of a short answer.
      if (draft.answer.text.empty() && draft.tools() == 0) ReadOutput(told, draft);
      ReadEnd(told, draft);
    } else if (type == "error") {
      ReadFailure(ObjectAt(piece, "error") == nullptr ? piece : *ObjectAt(piece, "error"), draft);
    }
  }

 private:
  [[nodiscard]] HttpHeaders Headers() const {
    HttpHeaders headers = {{"content-type", "application/json"}};
    if (!options_.api_key.empty()) headers.push_back({"authorization", "Bearer " + options_.api_key});
    return HeadersOf(options_, std::move(headers));
  }

  static json::object AnswerFormat(const ModelRequest& request) {
    json::object schema = ObjectOf(request.answer_schema);
    const bool strict = HasFixedFields(schema);
    return {
        {"format",
         {{"type", "json_schema"}, {"name", "answer"}, {"schema", std::move(schema)}, {"strict", strict}}}};
  }

  static json::array Tools(const std::vector<ToolSpec>& tools) {
    json::array list;
    for (const ToolSpec& tool : tools) {
      list.push_back(json::object{{"type", "function"},
                                  {"name", tool.name},
                                  {"description", tool.description},
                                  {"parameters", ObjectOf(tool.input_schema)},
                                  {"strict", false}});
    }
    return list;
  }

  static json::value ToolChoice(const std::string& choice) {
    if (choice == "auto" || choice == "none" || choice == "required") return json::value(choice);
    return {{"type", "function"}, {"name", choice}};
  }

  static void BeginItem(std::uint64_t place, const json::object& item, AnswerDraft& draft) {
    if (TextAt(item, "type") != "function_call") return;
    ToolCall& tool = draft.Tool(place);
    tool.id = TextAt(item, "call_id");
    tool.name = TextAt(item, "name");
    draft.AddArguments(tool, TextAt(item, "arguments"));
  }

  static void ReadOutput(const json::object& response, AnswerDraft& draft) {
    const json::array* output = ArrayAt(response, "output");
    if (output == nullptr) return;
    std::uint64_t place = 0;
    for (const json::value& one : *output) {
      const json::object* item = one.if_object();
      if (item != nullptr) BeginItem(place, *item, draft);
      ++place;
      const json::array* content = item == nullptr ? nullptr : ArrayAt(*item, "content");
      if (content == nullptr || TextAt(*item, "type") == "reasoning") continue;
      for (const json::value& part : *content) {
        const json::object* object = part.if_object();
        if (object == nullptr) continue;
        draft.AddText(TextAt(*object, "text"));
        if (const std::string_view refusal = TextAt(*object, "refusal"); !refusal.empty()) {
          draft.AddText(refusal);
          draft.Stop(StopReason::kRefusal);
        }
      }
    }
  }

  static void ReadEnd(const json::object& response, AnswerDraft& draft) {
    if (const json::object* error = ObjectAt(response, "error")) {
      ReadFailure(*error, draft);
      return;
    }
    draft.answer.provider_request_id = TextAt(response, "id");
    if (!TextAt(response, "model").empty()) draft.answer.model = TextAt(response, "model");
    if (const json::object* usage = ObjectAt(response, "usage")) {
      ReadCount(*usage, "input_tokens", draft.answer.usage.input_tokens);
      ReadCount(*usage, "output_tokens", draft.answer.usage.output_tokens);
      if (const json::object* details = ObjectAt(*usage, "input_tokens_details")) {
        ReadCount(*details, "cached_tokens", draft.answer.usage.cache_read_tokens);
      }
    }
    const std::string_view status = TextAt(response, "status");
    if (status == "failed" || status == "cancelled") {
      draft.Fail(ReadInnerError("api_error", "the response has failed"));
      return;
    }
    const json::object* incomplete = ObjectAt(response, "incomplete_details");
    const std::string_view reason =
        incomplete == nullptr ? std::string_view() : TextAt(*incomplete, "reason");
    if (draft.answer.stop_reason != StopReason::kRefusal) {
      draft.Stop(reason == "content_filter"                  ? StopReason::kRefusal
                 : !reason.empty() || status == "incomplete" ? StopReason::kMaxTokens
                                                             : StopReason::kEnd);
    }
    draft.End();
  }

  static void ReadFailure(const json::object& error, AnswerDraft& draft) {
    std::string_view code = TextAt(error, "code");
    if (code == "rate_limit_exceeded") code = "rate_limit_error";
    if (code == "server_error" || code.empty()) code = "api_error";
    draft.Fail(ReadInnerError(code, TextAt(error, "message")));
  }

  const WireOptions options_;
};

}  // namespace

std::unique_ptr<WireFormat> MakeResponsesFormat(WireOptions options) {
  return std::make_unique<ResponsesFormat>(std::move(options));
}

}  // namespace agenttalk
