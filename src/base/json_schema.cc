#include "base/json_schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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

#include "base/error.h"
#include "base/error_code.h"
#include "base/issue.h"
#include "base/json.h"
#include "base/json_pointer.h"
#include "base/json_schema_parts.h"
#include "base/suggestion.h"
#include "base/utf8.h"

namespace agenttalk {
namespace {

namespace json = boost::json;
using std::string_view_literals::operator""sv;

// What a keyword's value must be.
enum class Holds : std::uint8_t {
  kSchema,
  kSchemas,         // a list of them
  kSchemaOrList,    // `items` of draft 7 and older
  kNamedSchemas,    // by name
  kSchemaOrNames,   // `dependencies`: by name a schema or a list of names
  kPatternSchemas,  // by pattern
  kNames,
  kNamesByName,
  kType,
  kNumber,
  kPositive,
  kCount,
  kFlag,
  kList,
  kText,
  kPattern,
  kAnything,
  kUnchecked,  // known, and not checked here
};

const std::map<std::string_view, Holds>& Keywords() {
  static const std::map<std::string_view, Holds> kKeywords = {
      {"$anchor", Holds::kText},
      {"$comment", Holds::kAnything},
      {"$defs", Holds::kNamedSchemas},
      {"$dynamicAnchor", Holds::kText},
      {"$dynamicRef", Holds::kUnchecked},
      {"$id", Holds::kText},
      {"$recursiveAnchor", Holds::kAnything},
      {"$recursiveRef", Holds::kUnchecked},
      {"$ref", Holds::kText},
      {"$schema", Holds::kText},
      {"$vocabulary", Holds::kAnything},
      {"additionalItems", Holds::kSchema},
      {"additionalProperties", Holds::kSchema},
      {"allOf", Holds::kSchemas},
      {"anyOf", Holds::kSchemas},
      {"const", Holds::kAnything},
      {"contains", Holds::kSchema},
      {"contentEncoding", Holds::kAnything},
      {"contentMediaType", Holds::kAnything},
      {"contentSchema", Holds::kAnything},
      {"default", Holds::kAnything},
      {"definitions", Holds::kNamedSchemas},
      {"dependencies", Holds::kSchemaOrNames},
      {"dependentRequired", Holds::kNamesByName},
      {"dependentSchemas", Holds::kNamedSchemas},
      {"deprecated", Holds::kAnything},
      {"description", Holds::kAnything},
      {"else", Holds::kSchema},
      {"enum", Holds::kList},
      {"examples", Holds::kAnything},
      {"exclusiveMaximum", Holds::kNumber},
      {"exclusiveMinimum", Holds::kNumber},
      {"format", Holds::kAnything},
      {"if", Holds::kSchema},
      {"items", Holds::kSchemaOrList},
      {"maxContains", Holds::kCount},
      {"maxItems", Holds::kCount},
      {"maxLength", Holds::kCount},
      {"maxProperties", Holds::kCount},
      {"maximum", Holds::kNumber},
      {"minContains", Holds::kCount},
      {"minItems", Holds::kCount},
      {"minLength", Holds::kCount},
      {"minProperties", Holds::kCount},
      {"minimum", Holds::kNumber},
      {"multipleOf", Holds::kPositive},
      {"not", Holds::kSchema},
      {"oneOf", Holds::kSchemas},
      {"pattern", Holds::kPattern},
      {"patternProperties", Holds::kPatternSchemas},
      {"prefixItems", Holds::kSchemas},
      {"properties", Holds::kNamedSchemas},
      {"propertyNames", Holds::kSchema},
      {"readOnly", Holds::kAnything},
      {"required", Holds::kNames},
      {"then", Holds::kSchema},
      {"title", Holds::kAnything},
      {"type", Holds::kType},
      {"unevaluatedItems", Holds::kSchema},
      {"unevaluatedProperties", Holds::kSchema},
      {"uniqueItems", Holds::kFlag},
      {"writeOnly", Holds::kAnything},
  };
  return kKeywords;
}

constexpr std::array kTypes = {"null"sv,   "boolean"sv, "object"sv, "array"sv,
                               "number"sv, "string"sv,  "integer"sv};
constexpr std::size_t kMostSchemas = 20'000;
constexpr int kDeepest = 128;

bool IsTypeName(const json::value& value) {
  return value.is_string() && std::ranges::find(kTypes, std::string_view(value.get_string())) != kTypes.end();
}

bool IsHex(std::string_view digits) {
  return digits.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

bool AreStrings(const json::value& value) {
  return value.is_array() &&
         std::ranges::all_of(value.get_array(), [](const json::value& one) { return one.is_string(); });
}

// What the escapes of ECMA 262 stand for, whatever the locale; inside of brackets.
std::string_view MembersOf(char escape) {
  switch (escape) {
    case 'd':
    case 'D':
      return "0-9";
    case 'w':
    case 'W':
      return "A-Za-z0-9_";
    case 's':
    case 'S':
      return R"(\t\n\v\f\r \x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}\x{FEFF})";
    default:
      return {};
  }
}

// An expression of ECMA 262 in the words of the library: \u0041 is \x{0041}, and \d, \w and \s are lists. In
// brackets \D, \W and \S stay as they are. Nothing: it has \p, whose names differ.
std::optional<std::string> Translated(std::string_view pattern) {
  constexpr std::size_t kDigits = 4;
  std::string out;
  bool in_brackets = false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c != '\\' || i + 1 == pattern.size()) {
      if (c == '[') in_brackets = true;
      if (c == ']') in_brackets = false;
      out += c;
      continue;
    }
    const char escape = pattern[++i];
    if (escape == 'p' || escape == 'P') return std::nullopt;
    const std::string_view digits = pattern.substr(i + 1, kDigits);
    const std::string_view members = MembersOf(escape);
    const bool excludes = escape >= 'A' && escape <= 'Z';
    if (escape == 'u' && digits.size() == kDigits && IsHex(digits)) {
      out += fmt::format("\\x{{{}}}", digits);
      i += kDigits;
    } else if (members.empty() || (in_brackets && excludes)) {
      out += {c, escape};
    } else {
      out += in_brackets ? std::string(members) : fmt::format("[{}{}]", excludes ? "^" : "", members);
    }
  }
  return out;
}

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
    const auto known = Keywords().find(key);
    if (known == Keywords().end()) {
      NoticeUnknown(key, here);
      return;
    }
    switch (known->second) {
      case Holds::kSchema:
        if (key.starts_with("unevaluated")) parts_.tracks = true;
        Walk(value, here, depth + 1);
        return;
      case Holds::kSchemaOrList:
        if (!value.is_array()) {
          Walk(value, here, depth + 1);
          return;
        }
        [[fallthrough]];
      case Holds::kSchemas:
        WalkList(value, here, depth);
        return;
      case Holds::kNamedSchemas:
      case Holds::kPatternSchemas:
      case Holds::kSchemaOrNames:
        WalkNamed(known->second, value, here, depth);
        return;
      case Holds::kUnchecked:
        AddGap(here, fmt::format("\"{}\" is not checked", key));
        return;
      case Holds::kPattern:
        if (value.is_string()) {
          Compile(value.get_string(), here);
        } else {
          Refuse(here, "must be a string");
        }
        return;
      case Holds::kNames:
      case Holds::kNamesByName:
      case Holds::kType:
      case Holds::kNumber:
      case Holds::kPositive:
      case Holds::kCount:
      case Holds::kFlag:
      case Holds::kList:
      case Holds::kText:
      case Holds::kAnything:
        if (const char* wanted = Wrong(known->second, value)) {
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

  void WalkNamed(Holds holds, const json::value& value, const std::string& place, int depth) {
    if (!value.is_object()) {
      Refuse(place, "must be an object");
      return;
    }
    for (const auto& [name, schema] : value.get_object()) {
      std::string here = place;
      AppendPointer(here, name);
      if (holds == Holds::kPatternSchemas) Compile(name, here);
      if (holds == Holds::kSchemaOrNames && schema.is_array()) {
        if (!AreStrings(schema)) Refuse(here, "must be a list of names");
        continue;
      }
      Walk(schema, here, depth + 1);
    }
  }

  // What is wrong with a plain value; null when nothing is.
  static const char* Wrong(Holds holds, const json::value& value) {
    switch (holds) {
      case Holds::kNames:
        return AreStrings(value) ? nullptr : "a list of names";
      case Holds::kNamesByName:
        return value.is_object() &&
                       std::ranges::all_of(value.get_object(),
                                           [](const auto& one) { return AreStrings(one.value()); })
                   ? nullptr
                   : "lists of names by name";
      case Holds::kType:
        return IsTypeName(value) || (value.is_array() && std::ranges::all_of(value.get_array(), IsTypeName))
                   ? nullptr
                   : "null, boolean, object, array, number, string, integer, or a list of these";
      case Holds::kNumber:
        return value.is_number() ? nullptr : "a number";
      case Holds::kPositive:
        return AsDouble(value).value_or(0) > 0 ? nullptr : "a number above 0";
      case Holds::kCount:
        return AsInteger(value).value_or(-1) >= 0 ? nullptr : "a whole number from 0";
      case Holds::kFlag:
        return value.is_bool() ? nullptr : "true or false";
      case Holds::kList:
        return value.is_array() ? nullptr : "a list";
      case Holds::kText:
        return value.is_string() ? nullptr : "a string";
      case Holds::kSchema:
      case Holds::kSchemas:
      case Holds::kSchemaOrList:
      case Holds::kNamedSchemas:
      case Holds::kSchemaOrNames:
      case Holds::kPatternSchemas:
      case Holds::kPattern:
      case Holds::kAnything:
      case Holds::kUnchecked:
        break;
    }
    return nullptr;
  }

  void Compile(std::string_view pattern, const std::string& place) {
    if (parts_.patterns.contains(pattern)) return;
    const auto translated = Translated(pattern);
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
    for (const auto& [name, holds] : Keywords()) names.push_back(name);
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

std::wstring WideText(std::string_view utf8) {
  std::wstring wide;
  while (!utf8.empty()) {
    const std::size_t length = std::max<std::size_t>(1, Utf8SequenceLength(utf8));
    const auto first = static_cast<unsigned char>(utf8.front());
    constexpr std::array<unsigned, 5> kMask = {0xFF, 0x7F, 0x1F, 0x0F, 0x07};
    unsigned code = first & kMask.at(length);
    for (std::size_t i = 1; i < length; ++i)
      code = (code << 6U) | (static_cast<unsigned char>(utf8[i]) & 0x3FU);
    wide += static_cast<wchar_t>(code);
    utf8.remove_prefix(length);
  }
  return wide;
}

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
