#include "llm/wire_parts.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "llm/json_access.h"
#include "llm/wire_format.h"
#include "model/model_request.h"

namespace agenttalk {

namespace json = boost::json;

std::uint32_t MaxTokens(const ModelRequest& request, const WireOptions& options) {
  return request.parameters.max_tokens != 0 ? request.parameters.max_tokens : options.max_tokens;
}

std::optional<double> Temperature(const ModelRequest& request, const WireOptions& options) {
  return request.parameters.temperature ? request.parameters.temperature : options.temperature;
}

std::string ModelOf(const ModelRequest& request, const WireOptions& options) {
  return request.model.empty() ? options.model : request.model;
}

std::string SystemText(const ModelRequest& request, bool schema_is_given) {
  if (schema_is_given || request.answer_schema.empty()) return request.system;
  std::string text = request.system;
  if (!text.empty()) text += "\n\n";
  text += "Answer with one JSON object that follows this JSON Schema, and nothing else:\n";
  return text + request.answer_schema;
}

json::object ObjectOf(std::string_view text) {
  auto value = ParseJson(text, {.max_bytes = text.size()});
  if (!value || !value->is_object()) return {};
  return std::move(value->as_object());
}

std::vector<std::string> TextsIn(const json::object& body, std::string_view list, std::string_view key) {
  std::vector<std::string> texts;
  const json::array* items = ArrayAt(body, list);
  if (items == nullptr) return texts;
  for (const json::value& item : *items) {
    const json::object* object = item.if_object();
    if (object != nullptr && !TextAt(*object, key).empty()) texts.emplace_back(TextAt(*object, key));
  }
  return texts;
}

void AddIdempotencyKey(const ModelRequest& request, WireCall& call) {
  if (!request.idempotency_key.empty()) {
    call.headers.push_back({"idempotency-key", request.idempotency_key});
  }
}

json::array FunctionTools(const std::vector<ToolSpec>& tools) {
  json::array list;
  for (const ToolSpec& tool : tools) {
    list.push_back(json::object{{"type", "function"},
                                {"function",
                                 {{"name", tool.name},
                                  {"description", tool.description},
                                  {"parameters", ObjectOf(tool.input_schema)}}}});
  }
  return list;
}

}  // namespace agenttalk
