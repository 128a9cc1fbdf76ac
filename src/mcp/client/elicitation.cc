#include "mcp/client/elicitation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/json.hpp>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/utf8.h"
#include "base/visible_text.h"
#include "mcp/message.h"

namespace agenttalk::mcp {
namespace {

namespace json = boost::json;

constexpr std::size_t kLongestText = 2000;
constexpr std::size_t kMostFields = 50;

std::string Clean(std::string_view text, std::size_t longest = kLongestText) {
  return VisibleText(Utf8Prefix(text, longest));
}

// Whether a character begins with this byte of UTF-8.
bool IsStart(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
}

std::string_view Trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

const json::object* FieldsOf(const json::object& params) {
  const json::object* schema = ObjectIn(params, "requestedSchema");
  return schema == nullptr ? nullptr : ObjectIn(*schema, "properties");
}

bool IsRequired(const json::object& params, std::string_view field) {
  const json::object* schema = ObjectIn(params, "requestedSchema");
  const json::value* required = schema == nullptr ? nullptr : schema->if_contains("required");
  if (required == nullptr || !required->is_array()) return false;
  return std::ranges::any_of(required->as_array(), [&](const json::value& one) {
    return one.is_string() && std::string_view(one.as_string()) == field;
  });
}

// The values that a field may have; none: any.
std::vector<std::string> ChoicesOf(const json::object& field) {
  std::vector<std::string> choices;
  const json::object* items = ObjectIn(field, "items");
  for (const json::object* place : {&field, items}) {
    if (place == nullptr) continue;
    if (const json::value* list = place->if_contains("enum"); list != nullptr && list->is_array()) {
      for (const json::value& one : list->as_array())
        if (one.is_string()) choices.emplace_back(one.as_string());
    }
    for (const char* key : {"oneOf", "anyOf"}) {
      const json::value* list = place->if_contains(key);
      if (list == nullptr || !list->is_array()) continue;
      for (const json::value& one : list->as_array()) {
        if (const json::object* choice = one.if_object())
          if (auto value = StringIn(*choice, "const")) choices.push_back(*std::move(value));
      }
    }
  }
  return choices;
}

std::string FieldText(const json::object& params, std::string_view name, const json::object& field) {
  std::string text =
      fmt::format("- {} ({}{})", Clean(name, 100), Clean(StringIn(field, "type").value_or("text"), 20),
                  IsRequired(params, name) ? ", required" : "");
  const std::string about = StringIn(field, "description").value_or(StringIn(field, "title").value_or(""));
  if (!about.empty()) text += ": " + Clean(about, 300);
  if (const auto choices = ChoicesOf(field); !choices.empty())
    text += fmt::format(" [one of: {}]", Clean(fmt::format("{}", fmt::join(choices, ", ")), 500));
  if (const json::value* standard = field.if_contains("default"))
    text += fmt::format(" [default: {}]", Clean(CompactJson(*standard), 200));
  return text + "\n";
}

using Value = std::expected<json::value, std::string>;

Value ToNumber(std::string_view name, std::string_view text, bool whole) {
  if (whole) {
    std::int64_t number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    if (read.ec == std::errc() && read.ptr == text.data() + text.size()) return number;
  } else {
    double number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    if (read.ec == std::errc() && read.ptr == text.data() + text.size()) return number;
  }
  return std::unexpected(
      fmt::format("{}: \"{}\" is not a {}", name, text, whole ? "whole number" : "number"));
}

Value ToBoolean(std::string_view name, std::string_view text) {
  for (const char* yes : {"true", "yes", "y", "on", "1", "是"})
    if (text == yes) return true;
  for (const char* no : {"false", "no", "n", "off", "0", "否"})
    if (text == no) return false;
  return std::unexpected(fmt::format("{}: answer yes or no", name));
}

// A person's words as a value of the field's type.
Value FromText(std::string_view name, const json::object& field, std::string_view text) {
  const std::string type = StringIn(field, "type").value_or("string");
  if (type == "integer" || type == "number") return ToNumber(name, text, type == "integer");
  if (type == "boolean") return ToBoolean(name, text);
  if (type != "array") return json::value(text);
  json::array list;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    if (const std::string_view one = Trim(text.substr(0, comma)); !one.empty()) list.emplace_back(one);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return list;
}

std::optional<std::string> CheckNumber(std::string_view name, const json::object& field,
                                       const json::value& value) {
  const auto number = AsDouble(value);
  const auto bound = [&](const char* key) {
    const json::value* limit = field.if_contains(key);
    return limit == nullptr ? std::nullopt : AsDouble(*limit);
  };
  if (!number) return fmt::format("{}: a number is wanted", name);
  if (StringIn(field, "type") == "integer" && !AsInteger(value))
    return fmt::format("{}: a whole number is wanted", name);
  if (const auto least = bound("minimum"); least && *number < *least)
    return fmt::format("{}: at least {}", name, *least);
  if (const auto most = bound("maximum"); most && *number > *most)
    return fmt::format("{}: at most {}", name, *most);
  return std::nullopt;
}

std::optional<std::string> CheckText(std::string_view name, const json::object& field,
                                     std::string_view text) {
  const auto bound = [&](const char* key) {
    const json::value* limit = field.if_contains(key);
    return limit == nullptr ? std::nullopt : AsInteger(*limit);
  };
  const auto length = static_cast<std::int64_t>(std::ranges::count_if(text, IsStart));
  if (const auto least = bound("minLength"); least && length < *least)
    return fmt::format("{}: at least {} characters", name, *least);
  if (const auto most = bound("maxLength"); most && length > *most)
    return fmt::format("{}: at most {} characters", name, *most);
  const auto choices = ChoicesOf(field);
  if (!choices.empty() && std::ranges::find(choices, text) == choices.end())
    return fmt::format("{}: one of {}", name, fmt::join(choices, ", "));
  return std::nullopt;
}

std::optional<std::string> Check(std::string_view name, const json::object& field, const json::value& value) {
  const std::string type = StringIn(field, "type").value_or("string");
  if (type == "integer" || type == "number") return CheckNumber(name, field, value);
  if (type == "boolean")
    return value.is_bool() ? std::nullopt : std::optional(fmt::format("{}: true or false is wanted", name));
  if (type == "array") {
    if (!value.is_array()) return fmt::format("{}: a list is wanted", name);
    for (const json::value& one : value.as_array()) {
      if (!one.is_string()) return fmt::format("{}: a list of texts is wanted", name);
      if (auto problem = CheckText(name, field, one.as_string())) return problem;
    }
    return std::nullopt;
  }
  if (!value.is_string()) return fmt::format("{}: a text is wanted", name);
  return CheckText(name, field, value.as_string());
}

std::expected<json::object, std::string> FromLines(const json::object& fields, std::string_view text) {
  json::object content;
  if (fields.size() == 1) {
    const auto& only = *fields.begin();
    const std::string prefix = std::string(only.key()) + ":";
    if (text.starts_with(prefix)) text = Trim(text.substr(prefix.size()));
    const json::object* field = only.value().if_object();
    auto value = FromText(only.key(), field == nullptr ? json::object() : *field, text);
    if (!value) return std::unexpected(std::move(value).error());
    content[only.key()] = std::move(*value);
    return content;
  }
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = Trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) continue;
    const std::size_t colon = line.find(':');
    const std::string_view name = Trim(line.substr(0, colon));
    const json::value* field = fields.if_contains(name);
    if (colon == std::string_view::npos || field == nullptr)
      return std::unexpected(fmt::format(
          "write a line `field: value` for each field; there is no field \"{}\"", Clean(name, 100)));
    auto value = FromText(name, field->is_object() ? field->as_object() : json::object(),
                          Trim(line.substr(colon + 1)));
    if (!value) return std::unexpected(std::move(value).error());
    content[name] = std::move(*value);
  }
  return content;
}

std::expected<json::object, std::string> ReadContent(const json::object& fields, std::string_view text) {
  text = Trim(text);
  if (text.empty()) return json::object();
  if (!text.starts_with('{')) return FromLines(fields, text);
  auto value = ParseJson(text);
  if (!value || !value->is_object()) return std::unexpected("the answer is not a JSON object");
  for (const auto& member : value->as_object()) {
    if (!fields.contains(member.key()))
      return std::unexpected(fmt::format("there is no field \"{}\"", Clean(member.key(), 100)));
  }
  return std::move(value->as_object());
}

}  // namespace

std::string ElicitationText(std::string_view server, std::string_view tool, const json::object& params) {
  std::string text = fmt::format("The MCP server \"{}\" asks while its tool {} runs:\n\n{}\n", server, tool,
                                 Clean(StringIn(params, "message").value_or("")));
  if (StringIn(params, "mode") == "url") {
    return text + fmt::format("\nIt wants you to open this address and continue there:\n{}\n",
                              Clean(StringIn(params, "url").value_or("")));
  }
  const json::object* fields = FieldsOf(params);
  if (fields == nullptr || fields->empty()) return text;
  text += "\nFields:\n";
  std::size_t told = 0;
  for (const auto& member : *fields) {
    if (told++ == kMostFields) break;
    if (const json::object* field = member.value().if_object())
      text += FieldText(params, member.key(), *field);
  }
  return text;
}

std::expected<json::object, std::string> ReadElicitationAnswer(const json::object& params, Reply reply,
                                                               std::string_view text) {
  if (reply == Reply::kDecline) return json::object{{"action", "decline"}};
  if (reply == Reply::kNone && Trim(text).empty()) return json::object{{"action", "cancel"}};
  if (StringIn(params, "mode") == "url") return json::object{{"action", "accept"}};
  const json::object* fields = FieldsOf(params);
  static const json::object kNoFields;
  if (fields == nullptr) fields = &kNoFields;
  auto content = ReadContent(*fields, text);
  if (!content) return std::unexpected(std::move(content).error());
  for (const auto& member : *fields) {
    const json::object* field = member.value().if_object();
    if (field == nullptr) continue;
    const json::value* standard = field->if_contains("default");
    if (!content->contains(member.key()) && standard != nullptr) (*content)[member.key()] = *standard;
    const json::value* value = content->if_contains(member.key());
    if (value == nullptr) {
      if (IsRequired(params, member.key()))
        return std::unexpected(fmt::format("{} is required", Clean(member.key(), 100)));
      continue;
    }
    if (auto problem = Check(Clean(member.key(), 100), *field, *value))
      return std::unexpected(*std::move(problem));
  }
  return json::object{{"action", "accept"}, {"content", std::move(*content)}};
}

}  // namespace agenttalk::mcp
