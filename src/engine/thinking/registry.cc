#include "engine/thinking/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/issue.h"
#include "base/json.h"
#include "base/json_pointer.h"
#include "base/language.h"
#include "base/suggestion.h"
#include "base/utf8.h"
#include "model/reading/object_reader.h"
#include "model/words/catalogue.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

constexpr std::string_view kAny = ":any";
constexpr std::size_t kLongestId = 128;

bool TakesList(ArgumentKind kind) {
  return kind == ArgumentKind::kTasks || kind == ArgumentKind::kAgents;
}

bool IsGranted(const std::vector<std::string>& list, const std::string& wanted) {
  return std::ranges::find(list, wanted) != list.end();
}

// Reads one argument; what is wrong is reported at its own place.
class ArgumentReader {
 public:
  ArgumentReader(const ArgumentSpec& spec, std::string path, std::vector<Issue>& errors)
      : spec_(spec), path_(std::move(path)), errors_(errors) {}

  std::optional<std::vector<std::string>> Read(const json::value& value) {
    const std::size_t before = errors_.size();
    std::vector<std::string> values;
    if (TakesList(spec_.kind) && value.is_array()) {
      ReadList(value.get_array(), values);
    } else if (spec_.kind == ArgumentKind::kTasks) {
      Refuse(ErrorCode::kTypeMismatch, path_,
             fmt::format("{} must be a list of task ids, not {}", spec_.name, KindName(value)));
    } else {
      ReadItem(value, path_, values);
    }
    if (errors_.size() != before) return std::nullopt;
    return values;
  }

 private:
  void ReadList(const json::array& items, std::vector<std::string>& values) {
    if (items.size() > spec_.longest) {
      Refuse(ErrorCode::kTooLarge, path_,
             fmt::format("{} has {} entries; {} are allowed", spec_.name, items.size(), spec_.longest));
      return;
    }
    if (items.empty() && spec_.kind == ArgumentKind::kAgents) {
      Refuse(ErrorCode::kValueInvalid, path_, fmt::format("{} names nobody", spec_.name));
    }
    for (std::size_t i = 0; i < items.size(); ++i) {
      ReadItem(items[i], fmt::format("{}/{}", path_, i), values);
    }
  }

  void ReadItem(const json::value& value, const std::string& path, std::vector<std::string>& values) {
    if (!value.is_string()) {
      Refuse(ErrorCode::kTypeMismatch, path,
             fmt::format("{} must be a string, not {}", spec_.name, KindName(value)));
      return;
    }
    const std::string_view text = value.get_string();
    if (spec_.kind != ArgumentKind::kText) {
      if (!IsSafeName(text)) {
        Refuse(ErrorCode::kNameUnsafe, path, fmt::format("this cannot be {}", What()),
               "an id has letters, digits, '.', '_' and '-', begins with a letter or digit, and is no path");
        return;
      }
    } else if (IsBlank(text)) {
      Refuse(ErrorCode::kValueInvalid, path, fmt::format("{} is empty", spec_.name));
    } else if (text.size() > spec_.longest) {
      Refuse(ErrorCode::kTooLarge, path,
             fmt::format("{} has {} bytes; {} are allowed", spec_.name, text.size(), spec_.longest));
    }
    values.emplace_back(text);
  }

  [[nodiscard]] std::string_view What() const {
    const bool agent = spec_.kind == ArgumentKind::kAgent || spec_.kind == ArgumentKind::kAgents;
    return agent ? "the id of an agent" : "the id of a task";
  }
  void Refuse(ErrorCode code, std::string path, std::string message, std::string hint = {}) {
    errors_.push_back({code, std::move(path), std::move(message), std::move(hint), 0});
  }

  const ArgumentSpec& spec_;
  const std::string path_;
  std::vector<Issue>& errors_;
};

json::object SchemaOf(const ArgumentSpec& argument) {
  const json::object id{{"type", "string"},
                        {"pattern", "^[A-Za-z0-9][A-Za-z0-9._-]*$"},
                        {"minLength", 1},
                        {"maxLength", kLongestId}};
  json::object schema;
  if (argument.kind == ArgumentKind::kText) {
    schema = {{"type", "string"}, {"minLength", 1}, {"maxLength", argument.longest}};
  } else if (argument.kind == ArgumentKind::kTasks) {
    schema = {{"type", "array"}, {"items", id}, {"maxItems", argument.longest}};
  } else if (argument.kind == ArgumentKind::kAgents) {
    const json::object list{
        {"type", "array"}, {"items", id}, {"minItems", 1}, {"maxItems", argument.longest}};
    schema = {{"anyOf", json::array{id, list}}};
  } else {
    schema = id;
  }
  if (!argument.description.empty()) schema["description"] = argument.description;
  return schema;
}

}  // namespace

const std::string& ThinkingArguments::Text(std::string_view name) const {
  static const std::string kNone;
  const auto found = values_.find(name);
  return found == values_.end() || found->second.empty() ? kNone : found->second.front();
}

const std::vector<std::string>& ThinkingArguments::List(std::string_view name) const {
  static const std::vector<std::string> kNone;
  const auto found = values_.find(name);
  return found == values_.end() ? kNone : found->second;
}

Result<void> ThinkingRegistry::Add(ThinkingSpec spec) {
  if (!IsSafeName(spec.name) || spec.signature.empty() || spec.description.empty() || !spec.handler) {
    return Fail(ErrorCode::kValueInvalid,
                fmt::format("the declaration of the command {} is incomplete", spec.name),
                "a command has a name, a signature, a description and a handler");
  }
  if (Find(spec.name) != nullptr) {
    return Fail(ErrorCode::kAlreadyExists, fmt::format("there is a command {} already", spec.name));
  }
  specs_.push_back(std::move(spec));
  return {};
}

const ThinkingSpec* ThinkingRegistry::Find(std::string_view name) const {
  const auto found = std::ranges::find(specs_, name, &ThinkingSpec::name);
  return found == specs_.end() ? nullptr : &*found;
}

std::vector<const ThinkingSpec*> ThinkingRegistry::AllowedFor(
    const std::vector<std::string>& permissions) const {
  std::vector<const ThinkingSpec*> allowed;
  for (const ThinkingSpec& spec : specs_) {
    if (MayIssue(spec, permissions, false)) allowed.push_back(&spec);
  }
  return allowed;
}

std::string ThinkingRegistry::NearestTo(std::string_view name) const {
  std::vector<std::string_view> names;
  std::ranges::transform(specs_, std::back_inserter(names), &ThinkingSpec::name);
  return std::string(NearestName(name, names));
}

bool MayIssue(const ThinkingSpec& spec, const std::vector<std::string>& permissions, bool on_others_task) {
  if (spec.permission.empty() || IsGranted(permissions, spec.permission + std::string(kAny))) return true;
  return !on_others_task && IsGranted(permissions, spec.permission);
}

ThinkingArguments ReadThinkingArguments(const ThinkingSpec& spec, std::string_view args,
                                        const std::string& root, std::vector<Issue>& errors) {
  ThinkingArguments read;
  const auto parsed = ParseJson(args);
  const json::object* object = parsed ? parsed->if_object() : nullptr;
  if (object == nullptr) {
    errors.push_back({ErrorCode::kTypeMismatch, root, "args must be an object", {}, 0});
    return read;
  }
  for (const ArgumentSpec& argument : spec.arguments) {
    std::string path = root;
    AppendPointer(path, argument.name);
    const json::value* value = object->if_contains(argument.name);
    if (value == nullptr || value->is_null()) {
      if (argument.required) {
        errors.push_back({ErrorCode::kFieldMissing, path, fmt::format("{} is missing", argument.name),
                          fmt::format("the command is {}", spec.signature), 0});
      }
      continue;
    }
    auto values = ArgumentReader(argument, path, errors).Read(*value);
    if (values) read.Set(argument.name, *std::move(values));
  }
  for (const auto& member : *object) {
    const std::string_view key = member.key();
    if (std::ranges::find(spec.arguments, key, &ArgumentSpec::name) != spec.arguments.end()) continue;
    std::string path = root;
    AppendPointer(path, Utf8Prefix(key, kLongestId));
    errors.push_back({ErrorCode::kUnknownField, std::move(path),
                      fmt::format("{} has no such argument", spec.name),
                      fmt::format("the command is {}", spec.signature), 0});
  }
  return read;
}

std::string ArgumentSchema(const ThinkingSpec& spec) {
  json::object properties;
  json::array required;
  for (const ArgumentSpec& argument : spec.arguments) {
    properties[argument.name] = SchemaOf(argument);
    if (argument.required) required.emplace_back(argument.name);
  }
  json::object schema{{"$schema", "http://json-schema.org/draft-07/schema#"},
                      {"title", spec.name},
                      {"description", spec.description},
                      {"type", "object"},
                      {"properties", std::move(properties)},
                      {"additionalProperties", false}};
  if (!required.empty()) schema["required"] = std::move(required);
  return CompactJson(schema);
}

std::string PrepareCommandPrompt(const std::vector<const ThinkingSpec*>& commands, Language language) {
  std::string prompt;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    prompt += fmt::format("{}. {}:\n{}\n\n", i + 1, commands[i]->signature,
                          DescriptionOf(commands[i]->name, language, commands[i]->description));
  }
  return prompt;
}

}  // namespace agenttalk
