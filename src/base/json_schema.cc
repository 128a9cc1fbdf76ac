#include "base/json_schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <boost/regex.hpp>
#include <cstddef>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ecma_pattern.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/issue.h"
#include "base/json_pointer.h"
#include "base/json_schema_keywords.h"
#include "base/json_schema_parts.h"
#include "base/suggestion.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

constexpr std::size_t kMostSchemas = 20'000;
constexpr int kDeepest = 128;

// Reads a whole schema once: whether every keyword has a value that it can have, where references lead, and
// what will not be checked.
class SchemaLoader {
 public:
  explicit SchemaLoader(JsonSchema::Parts& parts) : parts_(parts) {}

  Result<void> Load() {
    if (const auto* object = parts_.root.if_object()) ReadDialect(*object);
    Walk(parts_.root, "", 0);
    // What a reference leads to may be where no keyword has a schema, and refer to more.
    while (!error_ && !open_.empty()) Resolve(std::exchange(open_, {}));
    if (error_) return std::unexpected(*std::move(error_));
    return {};
  }

 private:
  struct Reference {
    const json::object* from;
    std::string text;
    std::string place;
  };

  void ReadDialect(const json::object& root) {
    const json::value* schema = root.if_contains("$schema");
    if (schema == nullptr || !schema->is_string()) return;
    std::string_view name = schema->get_string();
    if (name.ends_with('#')) name.remove_suffix(1);
    const bool old = name.ends_with("//json-schema.org/draft-07/schema") ||
                     name.ends_with("//json-schema.org/draft-06/schema");
    parts_.ignores_siblings = old;
    if (old || name.ends_with("//json-schema.org/draft/2020-12/schema") ||
        name.ends_with("//json-schema.org/draft/2019-09/schema"))
      return;
    AddGap("/$schema",
           fmt::format("\"{}\" is not one of the dialects known here (2020-12, 2019-09, draft 7, draft 6)",
                       name));
  }

  void Walk(const json::value& schema, const std::string& place, int depth) {
    if (error_ || schema.is_bool() || !walked_.insert(&schema).second) return;
    if (!schema.is_object()) {
      Refuse(place, "a schema is an object, true or false");
      return;
    }
    if (depth > kDeepest || walked_.size() > kMostSchemas) {
      Refuse(place, "the schema is too large or nests too deeply");
      return;
    }
    const json::object& object = schema.get_object();
    if (const json::value* ref = object.if_contains("$ref"); ref != nullptr && ref->is_string())
      open_.push_back({&object, std::string(ref->get_string()), place + "/$ref"});
    for (const auto& [key, value] : object) WalkKeyword(object, key, value, place, depth);
  }

  void WalkKeyword(const json::object& schema, std::string_view key, const json::value& value,
                   const std::string& place, int depth) {
    std::string here = place;
    AppendPointer(here, key);
    const auto known = SchemaKeywords().find(key);
    if (known == SchemaKeywords().end()) {
      NoticeUnknown(key, here);
      return;
    }
    switch (known->second) {
      case KeywordValue::kSchema:
        if (key.starts_with("unevaluated")) parts_.tracks = true;
        Walk(value, here, depth + 1);
        return;
      case KeywordValue::kSchemaOrList:
        if (!value.is_array()) {
          Walk(value, here, depth + 1);
          return;
        }
        [[fallthrough]];
      case KeywordValue::kSchemas:
        WalkList(value, here, depth);
        return;
      case KeywordValue::kNamedSchemas:
      case KeywordValue::kPatternSchemas:
      case KeywordValue::kSchemaOrNames:
        WalkNamed(known->second, value, here, depth);
        return;
      case KeywordValue::kUnchecked:
        AddGap(here, fmt::format("\"{}\" is not checked", key));
        return;
      case KeywordValue::kPattern:
        if (value.is_string()) {
          Compile(value.get_string(), here);
        } else {
          Refuse(here, "must be a string");
        }
        return;
      case KeywordValue::kNames:
      case KeywordValue::kNamesByName:
      case KeywordValue::kType:
      case KeywordValue::kNumber:
      case KeywordValue::kPositive:
      case KeywordValue::kCount:
      case KeywordValue::kFlag:
      case KeywordValue::kList:
      case KeywordValue::kText:
      case KeywordValue::kAnything:
        if (const char* wanted = WantedInstead(known->second, value)) {
          Refuse(here, fmt::format("must be {}", wanted));
        } else {
          NoticeName(schema, key, value, place);
        }
    }
  }

  // What references may lead to.
  void NoticeName(const json::object& schema, std::string_view key, const json::value& value,
                  const std::string& place) {
    if (key == "$vocabulary") AddGap(place + "/$vocabulary", "\"$vocabulary\" is not understood");
    if (!value.is_string()) return;
    const std::string name(value.get_string());
    if (key == "$anchor" || key == "$dynamicAnchor") anchors_.try_emplace(name, place);
    if (key != "$id") return;
    if (name.starts_with('#')) {
      anchors_.try_emplace(name.substr(1), place);
    } else if (&schema != parts_.root.if_object()) {
      has_inner_names_ = true;
      AddGap(place + "/$id", "a \"$id\" inside of a schema is not understood");
    }
  }

  void WalkList(const json::value& value, const std::string& place, int depth) {
    if (!value.is_array()) {
      Refuse(place, "must be a list of schemas");
      return;
    }
    for (std::size_t i = 0; i < value.get_array().size(); ++i)
      Walk(value.get_array()[i], fmt::format("{}/{}", place, i), depth + 1);
  }

  void WalkNamed(KeywordValue holds, const json::value& value, const std::string& place, int depth) {
    if (!value.is_object()) {
      Refuse(place, "must be an object");
      return;
    }
    for (const auto& [name, schema] : value.get_object()) {
      std::string here = place;
      AppendPointer(here, name);
      if (holds == KeywordValue::kPatternSchemas) Compile(name, here);
      if (holds == KeywordValue::kSchemaOrNames && schema.is_array()) {
        if (!AreStrings(schema)) Refuse(here, "must be a list of names");
        continue;
      }
      Walk(schema, here, depth + 1);
    }
  }

  void Compile(std::string_view pattern, const std::string& place) {
    if (parts_.patterns.contains(pattern)) return;
    const auto translated = TranslateEcmaPattern(pattern);
    try {
      if (translated) {
        parts_.patterns.emplace(pattern, boost::wregex(WideText(*translated), boost::regex::perl));
        return;
      }
    } catch (const std::exception&) {  // told below
    }
    AddGap(place, fmt::format("the regular expression \"{}\" is not understood", pattern));
  }

  void Resolve(const std::vector<Reference>& references) {
    for (const Reference& one : references) {
      const json::value* target = Find(one);
      if (error_) return;
      if (target == nullptr) continue;
      parts_.refs.emplace(one.from, target);
      Walk(*target, one.text.substr(one.text.find('#') + 1), 0);
    }
  }

  // Null: it is a gap, or an error.
  const json::value* Find(const Reference& one) {
    const std::size_t hash = one.text.find('#');
    const std::string document = one.text.substr(0, hash);
    std::string fragment = hash == std::string::npos ? std::string() : Decoded(one.text.substr(hash + 1));
    if (!document.empty() && document != OwnName()) {
      AddGap(one.place,
             fmt::format("\"{}\" leads out of the schema, which nothing is fetched for", one.text));
      return nullptr;
    }
    if (!fragment.empty() && !fragment.starts_with('/')) {
      const auto anchor = anchors_.find(fragment);
      if (anchor == anchors_.end()) {
        Refuse(one.place, fmt::format("\"{}\" leads nowhere", one.text));
        return nullptr;
      }
      fragment = anchor->second;
    }
    boost::system::error_code failed;
    const json::value* target = parts_.root.find_pointer(fragment, failed);
    // In a schema with a name of its own it would lead elsewhere.
    if (target == nullptr && !has_inner_names_)
      Refuse(one.place, fmt::format("\"{}\" leads nowhere", one.text));
    return target;
  }

  [[nodiscard]] std::string OwnName() const {
    const json::value* id = parts_.root.get_object().if_contains("$id");
    std::string name = id != nullptr && id->is_string() ? std::string(id->get_string()) : std::string();
    if (name.ends_with('#')) name.pop_back();
    return name;
  }

  static std::string Decoded(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const std::string digits(text.substr(std::min(i + 1, text.size()), 2));
      if (text[i] == '%' && digits.size() == 2 && IsHex(digits)) {
        out += static_cast<char>(std::stoi(digits, nullptr, 16));
        i += 2;
      } else {
        out += text[i];
      }
    }
    return out;
  }

  void NoticeUnknown(std::string_view key, const std::string& place) {
    if (key.starts_with("x-")) return;
    std::vector<std::string_view> names;
    for (const auto& [name, holds] : SchemaKeywords()) names.push_back(name);
    parts_.unknown.push_back({ErrorCode::kUnknownField, place,
                              fmt::format("JSON Schema has no keyword \"{}\"", key), DidYouMean(key, names)});
  }

  void AddGap(std::string place, std::string why) {
    parts_.gaps.push_back({ErrorCode::kValueInvalid, std::move(place), std::move(why), {}});
  }
  void Refuse(const std::string& place, const std::string& why) {
    if (!error_) error_ = Error{ErrorCode::kValueInvalid, place.empty() ? why : place + ": " + why, {}};
  }

  JsonSchema::Parts& parts_;
  std::set<const json::value*> walked_;
  std::vector<Reference> open_;
  std::map<std::string, std::string, std::less<>> anchors_;
  bool has_inner_names_ = false;  // a gap, so that nothing is checked by a reference that may mean another
  std::optional<Error> error_;
};

}  // namespace

JsonSchema::JsonSchema(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
JsonSchema::~JsonSchema() = default;
JsonSchema::JsonSchema(JsonSchema&&) noexcept = default;
JsonSchema& JsonSchema::operator=(JsonSchema&&) noexcept = default;

Result<JsonSchema> JsonSchema::Load(json::value schema) {
  auto parts = std::make_unique<Parts>();
  parts->root = std::move(schema);
  TRY(SchemaLoader(*parts).Load());
  return JsonSchema(std::move(parts));
}

const std::vector<Issue>& JsonSchema::gaps() const {
  return parts_->gaps;
}

const std::vector<Issue>& JsonSchema::unknown() const {
  return parts_->unknown;
}

std::vector<Issue> JsonSchema::Check(const json::value& value) const {
  std::vector<Issue> faults;
  if (CheckBySchema(*parts_, value, faults)) faults.clear();
  return faults;
}

std::string ToText(const std::vector<Issue>& issues) {
  std::string text;
  for (const Issue& issue : issues) {
    if (!text.empty()) text += "; ";
    if (!issue.path.empty()) text += issue.path + ": ";
    text += issue.message;
    if (!issue.hint.empty()) text += " (" + issue.hint + ")";
  }
  return text;
}

}  // namespace agenttalk
