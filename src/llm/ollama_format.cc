// Ollama's own protocol: /api/chat with lines of JSON, /api/tags for the list of models.
#include <fmt/format.h>

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

StopReason ReadDoneReason(std::string_view text) {
  if (text.empty() || text == "stop") return StopReason::kEnd;
  return text == "length" ? StopReason::kMaxTokens : StopReason::kOther;
}

// Results are named by their tool here, not by the call's id.
std::string ToolNameOf(const ModelRequest& request, std::string_view call_id) {
  for (const ChatMessage& message : request.messages) {
    const auto found = std::ranges::find(message.tool_calls, call_id, &ToolCall::id);
    if (found != message.tool_calls.end()) return found->name;
  }
  return {};
}

json::object MessageOf(const ModelRequest& request, const ChatMessage& message) {
  json::object object{{"role", ToString(message.role)}, {"content", message.text}};
  if (message.role == Role::kTool) object["tool_name"] = ToolNameOf(request, message.tool_call_id);
  if (message.tool_calls.empty()) return object;
  json::array calls;
  for (const ToolCall& call : message.tool_calls) {
    calls.push_back(
        json::object{{"function", {{"name", call.name}, {"arguments", ObjectOf(call.arguments)}}}});
  }
  object["tool_calls"] = std::move(calls);
  return object;
}

class OllamaFormat final : public WireFormat {
 public:
  explicit OllamaFormat(WireOptions options) : options_(std::move(options)) {}

  [[nodiscard]] WireCall Encode(const ModelRequest& request, const Concessions& concessions) const override {
    const SchemaUse schema = UseOfSchema(request, options_, concessions, false);
    const ModelParameters parameters = ParametersOf(request, options_);
    json::array messages;
    const std::string system = SystemText(request, schema);
    if (!system.empty()) messages.push_back(json::object{{"role", "system"}, {"content", system}});
    for (const ChatMessage& message : request.messages) messages.push_back(MessageOf(request, message));
    json::object body{{"model", ModelOf(request, options_)},
                      {"messages", std::move(messages)},
                      {"stream", options_.stream}};
    if (json::object settings = Settings(parameters); !settings.empty())
      body["options"] = std::move(settings);
    if (!parameters.reasoning_effort.empty()) {
      body["think"] = parameters.reasoning_effort;
    } else if (parameters.thinking) {
      body["think"] = *parameters.thinking != 0;
    }
    if (schema == SchemaUse::kGiven) body["format"] = ObjectOf(request.answer_schema);
    // The protocol has no choice of a tool but this one.
    const bool may_call = parameters.tool_choice != "none";
    if (AnnouncesTools(request, options_) && may_call) body["tools"] = FunctionTools(request.tools);
    AddExtraBody(parameters, body);
    return {UrlOf(options_, "/api/chat"), Headers(), json::serialize(body)};
  }

  [[nodiscard]] WireCall ListModels() const override { return {UrlOf(options_, "/api/tags"), Headers(), {}}; }

  [[nodiscard]] std::vector<std::string> ReadModels(const json::object& body) const override {
    return TextsIn(body, "models", "name");
  }

  [[nodiscard]] bool StreamsLines() const override { return true; }

  // One object is a stream of one line.
  void ReadWhole(const json::object& body, AnswerDraft& draft) const override { ReadPiece({}, body, draft); }

  void ReadPiece(std::string_view /*event*/, const json::object& piece, AnswerDraft& draft) const override {
    if (const std::string_view error = TextAt(piece, "error"); !error.empty()) {
      draft.Fail(ReadInnerError("api_error", error));
      return;
    }
    if (!TextAt(piece, "model").empty()) draft.answer.model = TextAt(piece, "model");
    if (const json::object* message = ObjectAt(piece, "message")) ReadMessage(*message, draft);
    const json::value* done = piece.if_contains("done");
    if (done == nullptr || !done->is_bool() || !done->get_bool()) return;
    ReadCount(piece, "prompt_eval_count", draft.answer.usage.input_tokens);
    ReadCount(piece, "eval_count", draft.answer.usage.output_tokens);
    draft.Stop(ReadDoneReason(TextAt(piece, "done_reason")));
    draft.End();
  }

 private:
  [[nodiscard]] HttpHeaders Headers() const {
    HttpHeaders headers = {{"content-type", "application/json"}};
    if (!options_.api_key.empty()) headers.push_back({"authorization", "Bearer " + options_.api_key});
    return HeadersOf(options_, std::move(headers));
  }

  static json::object Settings(const ModelParameters& parameters) {
    json::object settings;
    if (parameters.max_tokens != 0) settings["num_predict"] = parameters.max_tokens;
    if (parameters.temperature) settings["temperature"] = *parameters.temperature;
    if (parameters.top_p) settings["top_p"] = *parameters.top_p;
    if (parameters.seed) settings["seed"] = *parameters.seed;
    if (!parameters.stop.empty())
      settings["stop"] = json::array(parameters.stop.begin(), parameters.stop.end());
    if (parameters.num_ctx != 0) settings["num_ctx"] = parameters.num_ctx;
    return settings;
  }

  static void ReadMessage(const json::object& message, AnswerDraft& draft) {
    draft.AddText(TextAt(message, "content"));
    const json::array* calls = ArrayAt(message, "tool_calls");
    if (calls == nullptr) return;
    for (const json::value& item : *calls) {
      const json::object* call = item.if_object();
      const json::object* function = call == nullptr ? nullptr : ObjectAt(*call, "function");
      if (function == nullptr) continue;
      const std::uint64_t place = draft.tools();
      ToolCall& tool = draft.Tool(place);
      tool.id =
          TextAt(*call, "id").empty() ? fmt::format("call_{}", place + 1) : std::string(TextAt(*call, "id"));
      tool.name = TextAt(*function, "name");
      const json::object* arguments = ObjectAt(*function, "arguments");
      draft.AddArguments(tool, arguments == nullptr ? std::string(TextAt(*function, "arguments"))
                                                    : json::serialize(*arguments));
    }
  }

  const WireOptions options_;
};

}  // namespace

std::unique_ptr<WireFormat> MakeOllamaFormat(WireOptions options) {
  return std::make_unique<OllamaFormat>(std::move(options));
}

}  // namespace agenttalk
