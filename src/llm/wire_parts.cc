#include "llm/wire_parts.h"

#include <algorithm>
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
#include "model/config/model_parameters.h"
#include "model/request/model_request.h"

namespace agenttalk {

namespace json = boost::json;

ModelParameters ParametersOf(const ModelRequest& request, const WireOptions& options) {
  return Over(request.parameters, options.parameters);
}

std::string UrlOf(const WireOptions& options, std::string_view path) {
  std::string url = options.base_url + std::string(path);
  if (!options.query.empty()) url += (path.find('?') == std::string_view::npos ? "?" : "&") + options.query;
  return url;
}

HttpHeaders HeadersOf(const WireOptions& options, HttpHeaders own) {
  for (const HttpHeader& header : options.headers) {
    std::erase_if(own, [&](const HttpHeader& one) { return one.name == header.name; });
  }
  own.insert(own.end(), options.headers.begin(), options.headers.end());
  return own;
}

void AddExtraBody(const ModelParameters& parameters, json::object& body) {
  if (parameters.extra_body.empty()) return;
  for (auto& member : ObjectOf(parameters.extra_body)) {
    json::object* known = body.contains(member.key()) ? body[member.key()].if_object() : nullptr;
    if (known == nullptr || !member.value().is_object()) {
      body[member.key()] = std::move(member.value());
      continue;
    }
    for (auto& inner : member.value().get_object()) (*known)[inner.key()] = std::move(inner.value());
  }
}

bool AsksForTool(const ModelRequest& request, const ModelParameters& parameters) {
  if (parameters.tool_choice.empty()) return false;
  if (parameters.tool_choice == "auto" || parameters.tool_choice == "none") return true;
  return std::ranges::none_of(request.messages,
                              [](const ChatMessage& one) { return one.role == Role::kTool; });
}

bool AnnouncesTools(const ModelRequest& request, const WireOptions& options) {
  return options.native_tools && !request.tools.empty();
}

std::string ModelOf(const ModelRequest& request, const WireOptions& options) {
  return request.model.empty() ? options.model : request.model;
}

SchemaUse UseOfSchema(const ModelRequest& request, const WireOptions& options, const Concessions& concessions,
                      bool beside_tools) {
  if (request.answer_schema.empty()) return SchemaUse::kNone;
  const bool tools = AnnouncesTools(request, options);
  const bool given = !concessions.no_schema && options.structured_output;
  if (given && (beside_tools || !tools)) return SchemaUse::kGiven;
  // Who is told to answer with this object and nothing else calls no tools.
  return tools ? SchemaUse::kNone : SchemaUse::kInWords;
}

std::string SystemText(const ModelRequest& request, SchemaUse use) {
  std::string text = request.system;
  if (use != SchemaUse::kInWords) return text;
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

bool HasFixedFields(const json::value& schema) {
  if (const json::array* list = schema.if_array()) return std::ranges::all_of(*list, HasFixedFields);
  const json::object* object = schema.if_object();
  if (object == nullptr) return true;
  if (TextAt(*object, "type") == "object") {
    const json::value* more = object->if_contains("additionalProperties");
    const json::object* properties = ObjectAt(*object, "properties");
    const json::array* required = ArrayAt(*object, "required");
    if (more == nullptr || !more->is_bool() || more->get_bool()) return false;
    if (properties == nullptr || required == nullptr || required->size() != properties->size()) return false;
  }
  return std::ranges::all_of(*object, [](const auto& member) { return HasFixedFields(member.value()); });
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
