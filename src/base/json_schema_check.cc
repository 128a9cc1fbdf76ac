#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/json.hpp>
#include <boost/regex.hpp>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ecma_pattern.h"
#include "base/error_code.h"
#include "base/issue.h"
#include "base/json.h"
#include "base/json_number.h"
#include "base/json_pointer.h"
#include "base/json_schema.h"
#include "base/json_schema_parts.h"
#include "base/suggestion.h"
#include "base/utf8.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

constexpr std::size_t kMostFaults = 10;
constexpr std::size_t kMostWork = 200'000;
constexpr int kDeepestCheck = 400;

// Where a value is, as a chain up to the document.
struct Spot {
  const Spot* parent = nullptr;
  std::string_view key = {};
  std::size_t index = 0;
  bool is_item = false;

  [[nodiscard]] std::string Pointer() const {
    if (parent == nullptr) return {};
    std::string pointer = parent->Pointer();
    if (is_item) {
      AppendPointer(pointer, index);
    } else {
      AppendPointer(pointer, key);
    }
    return pointer;
  }
};

// The members and items that some keyword has looked at.
struct Seen {
  std::set<std::string_view> members;
  std::set<std::size_t> items;

  void Add(const Seen& other) {
    members.insert(other.members.begin(), other.members.end());
    items.insert(other.items.begin(), other.items.end());
  }
};

std::string_view TypeOf(const json::value& value) {
  switch (value.kind()) {
    case json::kind::null:
      return "null";
    case json::kind::bool_:
      return "boolean";
    case json::kind::object:
      return "object";
    case json::kind::array:
      return "array";
    case json::kind::string:
      return "string";
    default:
      return "number";
  }
}

bool HasType(const json::value& value, std::string_view type) {
  return type == "integer" ? IsWhole(value) : TypeOf(value) == type;
}

std::size_t LengthOf(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

bool IsSame(const json::value& a, const json::value& b) {
  return a.is_number() == b.is_number() && CanonicalJson(a) == CanonicalJson(b);
}

// What is shown of a value in a message.
std::string Shown(const json::value& value) {
  constexpr std::size_t kLongest = 60;
  const std::string text = CompactJson(value);
  return text.size() <= kLongest ? text : std::string(Utf8Prefix(text, kLongest)) + "…";
}

class SchemaCheck {
 public:
  explicit SchemaCheck(const JsonSchema::Parts& parts) : parts_(parts) {}

  bool Run(const json::value& value, std::vector<Issue>& faults) {
    faults_ = &faults;
    const bool fits = Fits(parts_.root, value, {}, nullptr);
    if (stopped_.empty()) return fits;
    faults.assign(1, {ErrorCode::kValueInvalid, {}, stopped_, {}});
    return false;
  }

 private:
  // True: it fits. What was looked at is added to `seen`, where that counts.
  bool Fits(const json::value& schema, const json::value& value, const Spot& spot, Seen* seen) {
    if (schema.is_bool()) {
      if (!schema.get_bool()) Fault(spot, "nothing is allowed here");
      return schema.get_bool();
    }
    if (!stopped_.empty()) return false;
    if (++work_ > kMostWork || depth_ > kDeepestCheck) {
      stopped_ = "the schema takes too much work to check this by it";
      return false;
    }
    ++depth_;
    Seen own;
    const bool fits = FitsObject(schema.get_object(), value, spot, own);
    --depth_;
    if (fits && seen != nullptr && parts_.tracks) seen->Add(own);
    return fits && stopped_.empty();
  }

  // Whether it fits, without saying why not.
  bool FitsQuietly(const json::value& schema, const json::value& value, const Spot& spot, Seen* seen) {
    std::vector<Issue> ignored;
    std::vector<Issue>* said = std::exchange(faults_, &ignored);
    const bool fits = Fits(schema, value, spot, seen);
    faults_ = said;
    return fits;
  }

  bool FitsObject(const json::object& schema, const json::value& value, const Spot& spot, Seen& seen) {
    bool fits = true;
    if (const auto ref = parts_.refs.find(&schema); ref != parts_.refs.end()) {
      fits = Fits(*ref->second, value, spot, &seen);
      if (parts_.ignores_siblings) return fits;
    }
    fits = CheckAny(schema, value, spot) && fits;
    fits = CheckCombinations(schema, value, spot, seen) && fits;
    if (value.is_string()) fits = CheckText(schema, value.get_string(), spot) && fits;
    if (value.is_number()) fits = CheckNumber(schema, value, spot) && fits;
    if (value.is_array()) fits = CheckArray(schema, value.get_array(), spot, seen) && fits;
    if (value.is_object()) fits = CheckMembers(schema, value, spot, seen) && fits;
    return fits;
  }

  bool CheckAny(const json::object& schema, const json::value& value, const Spot& spot) {
    bool fits = true;
    if (const json::value* type = schema.if_contains("type")) {
      std::vector<std::string_view> types;
      if (type->is_string()) types.emplace_back(type->get_string());
      if (type->is_array()) {
        for (const json::value& one : type->get_array()) types.emplace_back(one.get_string());
      }
      if (std::ranges::none_of(types, [&](std::string_view one) { return HasType(value, one); }))
        fits = Fault(spot, fmt::format("must be {}, not {}", fmt::join(types, " or "),
                                       value.is_number() ? Shown(value) : std::string(TypeOf(value))));
    }
    if (const json::value* wanted = schema.if_contains("const"); wanted != nullptr && !IsSame(*wanted, value))
      fits = Fault(spot, "must be " + Shown(*wanted));
    if (const json::value* list = schema.if_contains("enum")) {
      const json::array& values = list->get_array();
      if (std::ranges::none_of(values, [&](const json::value& one) { return IsSame(one, value); }))
        fits = Fault(spot, fmt::format("must be one of {}, not {}", Shown(*list), Shown(value)));
    }
    return fits;
  }

  bool CheckCombinations(const json::object& schema, const json::value& value, const Spot& spot, Seen& seen) {
    bool fits = true;
    if (const json::value* all = schema.if_contains("allOf")) {
      for (const json::value& one : all->get_array()) fits = Fits(one, value, spot, &seen) && fits;
    }
    if (const json::value* any = schema.if_contains("anyOf"))
      fits = CheckAlternatives(any->get_array(), value, spot, seen, false) && fits;
    if (const json::value* one = schema.if_contains("oneOf"))
      fits = CheckAlternatives(one->get_array(), value, spot, seen, true) && fits;
    if (const json::value* no = schema.if_contains("not");
        no != nullptr && FitsQuietly(*no, value, spot, nullptr))
      fits = Fault(spot, "is what the schema excludes (\"not\")");
    if (const json::value* condition = schema.if_contains("if")) {
      const bool holds = FitsQuietly(*condition, value, spot, &seen);
      const json::value* then = schema.if_contains(holds ? "then" : "else");
      if (then != nullptr) fits = Fits(*then, value, spot, &seen) && fits;
    }
    return fits;
  }

  bool CheckAlternatives(const json::array& alternatives, const json::value& value, const Spot& spot,
                         Seen& seen, bool exactly_one) {
    std::size_t fitting = 0;
    std::vector<Issue> reasons;
    for (const json::value& one : alternatives) {
      std::vector<Issue> why;
      std::vector<Issue>* said = std::exchange(faults_, &why);
      if (Fits(one, value, spot, &seen)) ++fitting;
      faults_ = said;
      if (!why.empty()) reasons.push_back(why.front());
      if (fitting > 0 && !exactly_one && !parts_.tracks) return true;
    }
    if (fitting == 1 || (fitting > 1 && !exactly_one)) return true;
    if (fitting > 1)
      return Fault(spot, fmt::format("fits {} of the alternatives, and must fit one", fitting));
    constexpr std::size_t kLongestReasons = 500;
    std::string why;
    for (const Issue& reason : reasons) why += (why.empty() ? "" : ", or ") + ToText({reason});
    if (why.size() > kLongestReasons) why = std::string(Utf8Prefix(why, kLongestReasons)) + "…";
    return Fault(spot, "fits none of the alternatives: " + why);
  }

  bool CheckText(const json::object& schema, std::string_view text, const Spot& spot) {
    bool fits = true;
    const auto count = [&](std::string_view key) -> std::int64_t {
      const json::value* limit = schema.if_contains(key);
      return limit == nullptr ? -1 : AsInteger(*limit).value_or(-1);
    };
    const auto length = static_cast<std::int64_t>(LengthOf(text));
    if (const auto least = count("minLength"); least > length)
      fits = Fault(spot, fmt::format("must have at least {} characters", least));
    if (const auto most = count("maxLength"); most >= 0 && most < length)
      fits = Fault(spot, fmt::format("must have at most {} characters", most));
    if (const json::value* pattern = schema.if_contains("pattern");
        pattern != nullptr && !Matches(pattern->get_string(), text))
      fits = Fault(
          spot, fmt::format("must match the regular expression {}", std::string_view(pattern->get_string())));
    return fits;
  }

  bool CheckNumber(const json::object& schema, const json::value& value, const Spot& spot) {
    bool fits = true;
    const long double number = NumberOf(value);
    const auto hold = [&](std::string_view key, const char* words, const auto& holds) {
      const json::value* limit = schema.if_contains(key);
      if (limit != nullptr && limit->is_number() && !holds(NumberOf(*limit)))
        fits = Fault(spot, fmt::format("must be {} {}, not {}", words, Shown(*limit), Shown(value)));
    };
    hold("minimum", "at least", [&](long double limit) { return number >= limit; });
    hold("maximum", "at most", [&](long double limit) { return number <= limit; });
    hold("exclusiveMinimum", "above", [&](long double limit) { return number > limit; });
    hold("exclusiveMaximum", "below", [&](long double limit) { return number < limit; });
    if (const json::value* of = schema.if_contains("multipleOf"); of != nullptr && !IsMultiple(value, *of))
      fits = Fault(spot, fmt::format("must be a multiple of {}", Shown(*of)));
    return fits;
  }

  bool CheckCount(const json::object& schema, std::string_view least_key, std::string_view most_key,
                  std::size_t count, std::string_view what, const Spot& spot) {
    bool fits = true;
    const json::value* least = schema.if_contains(least_key);
    const json::value* most = schema.if_contains(most_key);
    if (least != nullptr && std::cmp_less(count, AsInteger(*least).value_or(0)))
      fits = Fault(spot, fmt::format("must have at least {} {}", Shown(*least), what));
    if (most != nullptr && std::cmp_greater(count, AsInteger(*most).value_or(0)))
      fits = Fault(spot, fmt::format("must have at most {} {}", Shown(*most), what));
    return fits;
  }

  bool CheckArray(const json::object& schema, const json::array& items, const Spot& spot, Seen& seen) {
    bool fits = CheckCount(schema, "minItems", "maxItems", items.size(), "items", spot);
    if (const json::value* unique = schema.if_contains("uniqueItems");
        unique != nullptr && unique->get_bool()) {
      std::set<std::string> known;
      for (const json::value& item : items)
        known.insert((item.is_number() ? "n" : "v") + CanonicalJson(item));
      if (known.size() != items.size()) fits = Fault(spot, "must not have an item twice");
    }
    const json::value* first = schema.if_contains("prefixItems");
    const json::value* rest = schema.if_contains("items");
    if (rest != nullptr && rest->is_array()) {
      first = rest;
      rest = schema.if_contains("additionalItems");
    }
    const std::size_t named = first == nullptr ? 0 : first->get_array().size();
    for (std::size_t i = 0; i < items.size() && stopped_.empty(); ++i) {
      const json::value* one = i < named ? &first->get_array()[i] : rest;
      if (one == nullptr) break;
      if (parts_.tracks) seen.items.insert(i);
      fits = Fits(*one, items[i], Spot{&spot, {}, i, true}, nullptr) && fits;
    }
    fits = CheckContains(schema, items, spot, seen) && fits;
    if (const json::value* others = schema.if_contains("unevaluatedItems")) {
      for (std::size_t i = 0; i < items.size(); ++i) {
        if (seen.items.contains(i)) continue;
        seen.items.insert(i);
        fits = Fits(*others, items[i], Spot{&spot, {}, i, true}, nullptr) && fits;
      }
    }
    return fits;
  }

  bool CheckContains(const json::object& schema, const json::array& items, const Spot& spot, Seen& seen) {
    const json::value* wanted = schema.if_contains("contains");
    if (wanted == nullptr) return true;
    std::size_t found = 0;
    for (std::size_t i = 0; i < items.size() && stopped_.empty(); ++i) {
      if (!FitsQuietly(*wanted, items[i], Spot{&spot, {}, i, true}, nullptr)) continue;
      ++found;
      if (parts_.tracks) seen.items.insert(i);
    }
    const json::value* least = schema.if_contains("minContains");
    if (least == nullptr && found == 0)
      return Fault(spot, "lacks an item that the schema asks for (\"contains\")");
    return CheckCount(schema, "minContains", "maxContains", found, "items of the kind that is asked for",
                      spot);
  }

  bool CheckMembers(const json::object& schema, const json::value& whole, const Spot& spot, Seen& seen) {
    const json::object& value = whole.get_object();
    bool fits = CheckCount(schema, "minProperties", "maxProperties", value.size(), "members", spot);
    if (const json::value* required = schema.if_contains("required"))
      fits = CheckRequired(required->get_array(), value, spot) && fits;
    if (const json::value* names = schema.if_contains("propertyNames")) {
      for (const auto& member : value)
        fits = Fits(*names, json::value(member.key()), Spot{&spot, member.key()}, nullptr) && fits;
    }
    for (const auto& member : value) {
      if (!stopped_.empty()) return false;
      fits = CheckMember(schema, member, spot, seen) && fits;
    }
    fits = CheckDependencies(schema, whole, spot, seen) && fits;
    if (const json::value* others = schema.if_contains("unevaluatedProperties")) {
      for (const auto& member : value) {
        if (seen.members.contains(member.key())) continue;
        seen.members.insert(member.key());
        fits = FitsOther(*others, member, spot, schema) && fits;
      }
    }
    return fits;
  }

  bool CheckMember(const json::object& schema, const json::key_value_pair& member, const Spot& spot,
                   Seen& seen) {
    const std::string_view key = member.key();
    const Spot here{&spot, key};
    bool fits = true;
    bool known = false;
    const json::value* named = schema.if_contains("properties");
    const json::value* one = named == nullptr ? nullptr : named->get_object().if_contains(key);
    if (one != nullptr) {
      known = true;
      fits = Fits(*one, member.value(), here, nullptr);
    }
    if (const json::value* patterns = schema.if_contains("patternProperties")) {
      for (const auto& [pattern, by_pattern] : patterns->get_object()) {
        if (!Matches(pattern, key)) continue;
        known = true;
        fits = Fits(by_pattern, member.value(), here, nullptr) && fits;
      }
    }
    const json::value* others = schema.if_contains("additionalProperties");
    if (!known && others != nullptr) {
      known = true;
      fits = FitsOther(*others, member, spot, schema);
    }
    if (known && parts_.tracks) seen.members.insert(key);
    return fits;
  }

  // A member that the schema does not name.
  bool FitsOther(const json::value& others, const json::key_value_pair& member, const Spot& spot,
                 const json::object& schema) {
    const bool forbidden = others.is_bool() && !others.get_bool();
    if (!forbidden) return Fits(others, member.value(), Spot{&spot, member.key()}, nullptr);
    std::vector<std::string_view> names;
    if (const json::value* named = schema.if_contains("properties")) {
      for (const auto& one : named->get_object()) names.push_back(one.key());
    }
    std::string hint = DidYouMean(member.key(), names);
    if (hint.empty() && !names.empty()) hint = fmt::format("known are: {}", fmt::join(names, ", "));
    return Fault(spot, fmt::format("\"{}\" is not known", std::string_view(member.key())), std::move(hint));
  }

  bool CheckRequired(const json::array& names, const json::object& value, const Spot& spot) {
    bool fits = true;
    for (const json::value& name : names) {
      if (!value.contains(name.get_string()))
        fits = Fault(spot, fmt::format("\"{}\" is missing", std::string_view(name.get_string())));
    }
    return fits;
  }

  bool CheckDependencies(const json::object& schema, const json::value& whole, const Spot& spot, Seen& seen) {
    const json::object& value = whole.get_object();
    bool fits = true;
    for (const char* key : {"dependentRequired", "dependentSchemas", "dependencies"}) {
      const json::value* all = schema.if_contains(key);
      if (all == nullptr) continue;
      for (const auto& [name, needs] : all->get_object()) {
        if (!value.contains(name)) continue;
        fits = (needs.is_array() ? CheckRequired(needs.get_array(), value, spot)
                                 : Fits(needs, whole, spot, &seen)) &&
               fits;
      }
    }
    return fits;
  }

  // An expression that is not understood is a gap, and everything matches it.
  bool Matches(std::string_view pattern, std::string_view text) {
    const auto known = parts_.patterns.find(pattern);
    if (known == parts_.patterns.end()) return true;
    try {
      return boost::regex_search(WideText(text), known->second,
                                 boost::match_single_line | boost::match_not_dot_newline);
    } catch (const std::exception&) {
      stopped_ = fmt::format("the regular expression {} takes too much work to check this by it", pattern);
      return false;
    }
  }

  bool Fault(const Spot& spot, std::string message, std::string hint = {}) {
    if (faults_->size() < kMostFaults)
      faults_->push_back({ErrorCode::kTypeMismatch, spot.Pointer(), std::move(message), std::move(hint)});
    return false;
  }

  const JsonSchema::Parts& parts_;
  std::vector<Issue>* faults_ = nullptr;
  std::size_t work_ = 0;
  int depth_ = 0;
  std::string stopped_;  // why nothing more is checked
};

}  // namespace

bool CheckBySchema(const JsonSchema::Parts& schema, const json::value& value, std::vector<Issue>& faults) {
  return SchemaCheck(schema).Run(value, faults);
}

}  // namespace agenttalk
