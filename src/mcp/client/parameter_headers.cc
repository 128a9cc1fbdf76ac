#include "mcp/client/parameter_headers.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/base64.h"
#include "base/json.h"
#include "llm/model_errors.h"

namespace agenttalk::mcp {
namespace {

namespace json = boost::json;

constexpr std::string_view kMark = "x-mcp-header";
constexpr std::int64_t kSafeInteger = (std::int64_t{1} << 53) - 1;

// RFC 9110, "token".
bool IsToken(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
  });
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return lower;
}

class Search {
 public:
  // `reachable`: by members alone, so that the argument's place is known.
  void Visit(const json::value& value, bool reachable) {
    if (const json::array* list = value.if_array()) {
      for (const json::value& one : *list) Visit(one, false);
    }
    const json::object* schema = value.if_object();
    if (schema == nullptr || !problem.empty()) return;
    if (const json::value* mark = schema->if_contains(kMark)) Take(*mark, *schema, reachable);
    for (const auto& member : *schema) {
      const std::string_view key = member.key();
      // Data, not schemas.
      if (key == kMark || key == "enum" || key == "const" || key == "default" || key == "examples") continue;
      if (key == "properties" && member.value().is_object()) {
        for (const auto& property : member.value().as_object()) {
          path_.emplace_back(property.key());
          Visit(property.value(), reachable);
          path_.pop_back();
        }
      } else if (member.value().is_structured()) {
        Visit(member.value(), false);
      }
    }
  }

  std::vector<ParameterHeader> found;
  std::string problem;

 private:
  void Take(const json::value& mark, const json::object& schema, bool reachable) {
    const json::value* type = schema.if_contains("type");
    const bool primitive =
        type != nullptr && type->is_string() &&
        (type->as_string() == "string" || type->as_string() == "integer" || type->as_string() == "boolean");
    const std::string name = mark.is_string() ? std::string(mark.as_string()) : std::string();
    const bool repeated = std::ranges::any_of(
        found, [&](const ParameterHeader& one) { return Lower(one.name) == Lower(name); });
    if (!IsToken(name)) {
      problem = "x-mcp-header is not the name of a header";
    } else if (!reachable || path_.empty()) {
      problem = fmt::format("x-mcp-header \"{}\" is not at a member of the arguments", name);
    } else if (!primitive) {
      problem = fmt::format("x-mcp-header \"{}\" is not at a string, an integer or a boolean", name);
    } else if (repeated) {
      problem = fmt::format("x-mcp-header \"{}\" is there twice", name);
    } else {
      found.push_back({name, path_});
    }
  }

  std::vector<std::string> path_;
};

std::optional<std::string> TextOf(const json::value& value) {
  if (value.is_string()) return std::string(value.as_string());
  if (value.is_bool()) return value.as_bool() ? "true" : "false";
  if (const auto number = AsInteger(value); number && *number >= -kSafeInteger && *number <= kSafeInteger)
    return std::to_string(*number);
  return std::nullopt;
}

const json::value* At(const json::object& arguments, const std::vector<std::string>& path) {
  const json::object* object = &arguments;
  const json::value* value = nullptr;
  for (const std::string& member : path) {
    if (object == nullptr) return nullptr;
    value = object->if_contains(member);
    if (value == nullptr) return nullptr;
    object = value->if_object();
  }
  return value;
}

}  // namespace

std::expected<std::vector<ParameterHeader>, std::string> FindParameterHeaders(const json::object& schema) {
  Search search;
  search.Visit(schema, true);
  if (!search.problem.empty()) return std::unexpected(std::move(search.problem));
  return std::move(search.found);
}

HttpHeaders MakeParameterHeaders(const std::vector<ParameterHeader>& marked, const json::object& arguments) {
  HttpHeaders headers;
  for (const ParameterHeader& one : marked) {
    const json::value* value = At(arguments, one.path);
    const auto text = value == nullptr ? std::nullopt : TextOf(*value);
    if (text) headers.push_back({"Mcp-Param-" + one.name, HeaderValue(*text)});
  }
  return headers;
}

std::string HeaderValue(std::string_view text) {
  const bool plain = std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
  const bool padded = !text.empty() && (text.front() == ' ' || text.back() == ' ');
  const bool looks_encoded = text.starts_with("=?base64?") && text.ends_with("?=");
  if (plain && !padded && !looks_encoded) return std::string(text);
  return fmt::format("=?base64?{}?=", EncodeBase64(text));
}

}  // namespace agenttalk::mcp
