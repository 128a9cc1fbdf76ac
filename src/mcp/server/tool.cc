#include "mcp/server/tool.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/base64.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/json.h"
#include "base/suggestion.h"
#include "base/visible_text.h"
#include "mcp/message.h"

namespace agenttalk::mcp {
namespace {

namespace json = boost::json;

constexpr double kLongestWait = 3600;
constexpr double kMostRows = 200;

json::object FileSchema() {
  return {{"type", "object"},
          {"properties",
           {{"name", {{"type", "string"}, {"description", "a file name without folders"}}},
            {"content", {{"type", "string"}, {"description", "its text"}}},
            {"content_base64", {{"type", "string"}, {"description", "its bytes, if it is no text"}}}}},
          {"required", {"name"}},
          {"additionalProperties", false}};
}

json::object SchemaOf(const ToolArgument& argument) {
  json::object schema{{"description", argument.help}};
  switch (argument.kind) {
    case ArgumentKind::kText:
      schema["type"] = "string";
      break;
    case ArgumentKind::kFlag:
      schema["type"] = "boolean";
      break;
    case ArgumentKind::kSeconds:
      schema["type"] = "number";
      schema["minimum"] = 0;
      schema["maximum"] = static_cast<int>(kLongestWait);
      break;
    case ArgumentKind::kCount:
      schema["type"] = "integer";
      schema["minimum"] = 1;
      schema["maximum"] = static_cast<int>(kMostRows);
      break;
    case ArgumentKind::kObject:
      schema["type"] = "object";
      break;
    case ArgumentKind::kFiles:
      schema["type"] = "array";
      schema["items"] = FileSchema();
      break;
  }
  if (!argument.choices.empty())
    schema["enum"] = json::array(argument.choices.begin(), argument.choices.end());
  return schema;
}

Result<void> CheckFiles(const json::value& value) {
  const auto fail = [] {
    return Fail(ErrorCode::kTypeMismatch,
                "files must be a list of {\"name\", \"content\"} or {\"name\", \"content_base64\"}");
  };
  if (!value.is_array()) return fail();
  for (const json::value& item : value.as_array()) {
    const json::object* file = item.if_object();
    if (file == nullptr || !StringIn(*file, "name")) return fail();
    if (StringIn(*file, "content").has_value() == StringIn(*file, "content_base64").has_value())
      return fail();
  }
  return {};
}

Result<void> CheckNumber(const ToolArgument& argument, const json::value& value) {
  const bool counts = argument.kind == ArgumentKind::kCount;
  const auto number = AsDouble(value);
  const double least = counts ? 1 : 0;
  const double most = counts ? kMostRows : kLongestWait;
  if (!number || *number < least || *number > most || (counts && !AsInteger(value))) {
    return Fail(ErrorCode::kValueInvalid,
                fmt::format("{} must be a number from {} to {}", argument.name, least, most));
  }
  return {};
}

Result<void> CheckArgument(const ToolArgument& argument, const json::value& value) {
  const auto mismatch = [&](std::string_view type) {
    return Fail(ErrorCode::kTypeMismatch, fmt::format("{} must be {}", argument.name, type));
  };
  switch (argument.kind) {
    case ArgumentKind::kText:
      if (!value.is_string()) return mismatch("a string");
      break;
    case ArgumentKind::kFlag:
      if (!value.is_bool()) return mismatch("true or false");
      break;
    case ArgumentKind::kSeconds:
    case ArgumentKind::kCount:
      return CheckNumber(argument, value);
    case ArgumentKind::kObject:
      if (!value.is_object()) return mismatch("an object");
      break;
    case ArgumentKind::kFiles:
      return CheckFiles(value);
  }
  if (argument.choices.empty()) return {};
  const std::string_view given(value.as_string());
  if (std::ranges::find(argument.choices, given) != argument.choices.end()) return {};
  return Fail(ErrorCode::kValueInvalid, fmt::format("{} is not a value of {}", given, argument.name),
              fmt::format("one of: {}", fmt::join(argument.choices, ", ")));
}

Result<void> CheckNames(const Tool& tool, const json::object& arguments) {
  std::vector<std::string_view> names;
  for (const ToolArgument& argument : tool.arguments) names.push_back(argument.name);
  for (const auto& member : arguments) {
    const std::string_view key(member.key());
    if (std::ranges::find(names, key) != names.end()) continue;
    std::string hint = DidYouMean(key, names);
    if (hint.empty()) hint = fmt::format("it takes: {}", fmt::join(names, ", "));
    return Fail(ErrorCode::kUnknownField, fmt::format("{} has no argument {}", tool.name, key),
                std::move(hint));
  }
  return {};
}

}  // namespace

std::string ToolCall::Text(std::string_view name) const {
  return StringIn(arguments_, name).value_or(std::string());
}

bool ToolCall::Flag(std::string_view name) const {
  const json::value* found = arguments_.if_contains(name);
  return found != nullptr && found->is_bool() && found->as_bool();
}

double ToolCall::Number(std::string_view name, double otherwise) const {
  const json::value* found = arguments_.if_contains(name);
  return found == nullptr ? otherwise : AsDouble(*found).value_or(otherwise);
}

void ToolCall::Finish(ToolAnswer answer) const {
  // The text is for clients that do not read structured content.
  json::array content{json::object{{"type", "text"}, {"text", VisibleText(CompactJson(answer.content))}}};
  for (json::value& link : answer.links) content.push_back(std::move(link));
  exchange_->Answer({{"content", std::move(content)}, {"structuredContent", std::move(answer.content)}});
}

void ToolCall::Fail(const Error& error) const {
  std::string text = fmt::format("{}: {}", ToString(error.code), error.message);
  if (!error.hint.empty()) text += fmt::format("\nhint: {}", error.hint);
  exchange_->Answer({{"content", json::array{json::object{{"type", "text"}, {"text", VisibleText(text)}}}},
                     {"isError", true}});
}

const Tool* FindTool(std::string_view name) {
  const auto tools = Tools();
  const auto found = std::ranges::find(tools, name, &Tool::name);
  return found == tools.end() ? nullptr : &*found;
}

json::object ToolJson(const Tool& tool) {
  json::object properties;
  json::array required;
  for (const ToolArgument& argument : tool.arguments) {
    properties[argument.name] = SchemaOf(argument);
    if (argument.required) required.emplace_back(argument.name);
  }
  json::object input{{"type", "object"}, {"properties", std::move(properties)}};
  if (!required.empty()) input["required"] = std::move(required);
  input["additionalProperties"] = false;
  json::object answers;
  json::array always;
  for (const auto& [name, type] : tool.answers) {
    answers[name] = json::object{{"type", type}};
    always.emplace_back(name);
  }
  return {{"name", tool.name},
          {"title", tool.title},
          {"description", tool.description},
          {"inputSchema", std::move(input)},
          {"outputSchema",
           {{"type", "object"}, {"properties", std::move(answers)}, {"required", std::move(always)}}},
          {"annotations",
           {{"title", tool.title},
            {"readOnlyHint", tool.reads},
            {"destructiveHint", tool.destroys},
            {"idempotentHint", tool.reads},
            {"openWorldHint", !tool.reads}}}};
}

Result<void> CheckArguments(const Tool& tool, const json::object& arguments) {
  TRY(CheckNames(tool, arguments));
  for (const ToolArgument& argument : tool.arguments) {
    const json::value* value = arguments.if_contains(argument.name);
    if (value != nullptr) {
      TRY(CheckArgument(argument, *value));
    } else if (argument.required) {
      return Fail(ErrorCode::kFieldMissing, fmt::format("{} needs {}", tool.name, argument.name),
                  std::string(argument.help));
    }
  }
  return {};
}

json::array FilesForHub(const json::object& arguments) {
  json::array files;
  const json::value* given = arguments.if_contains("files");
  if (given == nullptr || !given->is_array()) return files;
  for (const json::value& item : given->as_array()) {
    const json::object& file = item.as_object();
    const auto text = StringIn(file, "content");
    files.push_back(json::object{
        {"name", file.at("name")},
        {"content_base64", text ? json::value(EncodeBase64(*text)) : file.at("content_base64")}});
  }
  return files;
}

}  // namespace agenttalk::mcp
