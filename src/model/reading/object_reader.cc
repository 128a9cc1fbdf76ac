#include "model/reading/object_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/issue.h"
#include "base/json.h"
#include "base/json_pointer.h"
#include "base/suggestion.h"
#include "base/time.h"
#include "base/utf8.h"
#include "model/reading/value_issue.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

// More unknown keys than this are not typing mistakes; naming them all would only cost time and paper.
constexpr std::size_t kMostUnknownKeys = 20;

constexpr const char* kNameHint =
    "letters, digits, '.', '_' and '-', starting with a letter or digit, at most 128";

}  // namespace

std::string ValuePlace::Pointer() const {
  if (parent == nullptr) return root;
  std::string pointer = parent->Pointer();
  if (is_item) {
    AppendPointer(pointer, index);
  } else {
    AppendPointer(pointer, key);
  }
  return pointer;
}

bool ItemReader::IsString() const {
  return value_.is_string();
}
bool ItemReader::IsObject() const {
  return value_.is_object();
}

bool ItemReader::String(std::string& out) {
  if (!value_.is_string()) {
    issues_.errors.push_back(TypeIssue(place_.Pointer(), "a string", value_));
    return false;
  }
  out = std::string_view(value_.get_string());
  return true;
}

bool ItemReader::Object(const ReadObjectFunction& read) {
  if (!value_.is_object()) {
    issues_.errors.push_back(TypeIssue(place_.Pointer(), "an object", value_));
    return false;
  }
  ObjectReader reader(value_.get_object(), place_, issues_);
  read(reader);
  reader.Finish();
  return true;
}

void ItemReader::Error(ErrorCode code, std::string message, std::string hint) {
  issues_.errors.push_back({code, place_.Pointer(), std::move(message), std::move(hint)});
}

void ItemReader::Warn(ErrorCode code, std::string message, std::string hint) {
  issues_.warnings.push_back({code, place_.Pointer(), std::move(message), std::move(hint)});
}

ObjectReader::ObjectReader(const json::object& object, ValuePlace place, Issues& issues)
    : object_(object), place_(std::move(place)), issues_(issues) {
  asked_.reserve(object.size() + 8);
}

bool ObjectReader::Has(std::string_view key) {
  return Find(key) != nullptr;
}

const json::value* ObjectReader::Find(std::string_view key) {
  const json::value* const value = object_.if_contains(key);
  if (std::ranges::find(asked_, key) == asked_.end()) {
    asked_.push_back(key);
    if (value != nullptr) ++found_;
  }
  return value;
}

const json::value* ObjectReader::Value(const Field& field) {
  const json::value* const value = Find(field.key());
  if (value == nullptr && field.required()) {
    Refuse(field, field.missing(), fmt::format("\"{}\" is missing", field.key()));
  }
  return value;
}

bool ObjectReader::String(const Field& field, std::string& out) {
  const json::value* const value = Value(field);
  if (value == nullptr) return false;
  if (!value->is_string()) {
    WrongType(field.key(), "a string", *value);
    return false;
  }
  out = std::string_view(value->get_string());
  return true;
}

bool ObjectReader::Text(const Field& field, std::string& out) {
  std::string text;
  if (!String(field, text)) return false;
  if (IsBlank(text)) {
    Refuse(field, field.required() ? field.missing() : field.invalid(),
           fmt::format("\"{}\" must not be blank", field.key()));
    return false;
  }
  out = std::move(text);
  return true;
}

bool ObjectReader::Name(const Field& field, std::string& out) {
  std::string name;
  if (!Text(field, name)) return false;
  if (!IsSafeName(name)) {
    Error(field.key(), ErrorCode::kNameUnsafe, UnsafeName(name), kNameHint);
    return false;
  }
  out = std::move(name);
  return true;
}

bool ObjectReader::Boolean(const Field& field, bool& out) {
  const json::value* const value = Value(field);
  if (value == nullptr) return false;
  if (!value->is_bool()) {
    WrongType(field.key(), "a boolean", *value);
    return false;
  }
  out = value->get_bool();
  return true;
}

bool ObjectReader::IntegerIn(const Field& field, const IntegerRange& range, std::int64_t& out) {
  const json::value* const value = Value(field);
  if (value == nullptr) return false;
  if (!value->is_number()) {
    WrongType(field.key(), "an integer", *value);
    return false;
  }
  const std::optional<std::int64_t> number = AsInteger(*value);
  if (!number || *number < range.min || *number > range.max) {
    Refuse(field, field.invalid(), RangeText(range));
    return false;
  }
  out = *number;
  return true;
}

bool ObjectReader::Number(const Field& field, const NumberRange& range, double& out) {
  const json::value* const value = Value(field);
  if (value == nullptr) return false;
  const std::optional<double> number = AsDouble(*value);
  if (!number) {
    WrongType(field.key(), "a number", *value);
    return false;
  }
  if (*number < range.min || *number > range.max) {
    Refuse(field, field.invalid(), fmt::format("must be a number from {} to {}", range.min, range.max));
    return false;
  }
  out = *number;
  return true;
}

bool ObjectReader::Sha256(const Field& field, Digest& out) {
  std::string text;
  if (!String(field, text)) return false;
  const std::optional<Digest> digest = Digest::FromHex(text);
  if (!digest) {
    Refuse(field, field.invalid(), "must be a SHA-256 in 64 hexadecimal digits");
    return false;
  }
  out = *digest;
  return true;
}

bool ObjectReader::Period(const Field& field, Duration& out) {
  const json::value* const value = Value(field);
  if (value == nullptr) return false;
  std::optional<Duration> period;
  if (value->is_string()) {
    period = ParseDuration(value->get_string());
  } else if (const std::optional<double> seconds = AsDouble(*value); seconds) {
    period = ParseDuration(fmt::format("{:.6f}", *seconds));
  } else {
    WrongType(field.key(), "a number of seconds or a text like \"10m\"", *value);
    return false;
  }
  if (!period) {
    Refuse(field, field.invalid(),
           "must be a number of seconds or a text like \"50ms\", \"10s\", \"10m\", \"2h\"");
    return false;
  }
  out = *period;
  return true;
}

bool ObjectReader::StringItems(const Field& field,
                               const std::function<bool(ItemReader&, const std::string&)>& accept,
                               std::vector<std::string>& out) {
  std::vector<std::string> items;
  bool good = true;
  const bool there = Items(field, [&](ItemReader& item) {
    std::string text;
    if (item.String(text) && accept(item, text)) {
      items.push_back(std::move(text));
    } else {
      good = false;
    }
  });
  if (!there) return false;
  if (!good) {
    failed_.push_back(field.key());
    return false;
  }
  out = std::move(items);
  return true;
}

bool ObjectReader::Strings(const Field& field, std::vector<std::string>& out) {
  return StringItems(field, [](ItemReader&, const std::string&) { return true; }, out);
}

bool ObjectReader::Texts(const Field& field, std::vector<std::string>& out) {
  return StringItems(
      field,
      [&field](ItemReader& item, const std::string& text) {
        if (!IsBlank(text)) return true;
        item.Error(field.invalid(), "must not be blank", std::string(field.hint()));
        return false;
      },
      out);
}

bool ObjectReader::Names(const Field& field, std::vector<std::string>& out) {
  return StringItems(
      field,
      [](ItemReader& item, const std::string& name) {
        if (IsSafeName(name)) return true;
        item.Error(ErrorCode::kNameUnsafe, UnsafeName(name), kNameHint);
        return false;
      },
      out);
}

bool ObjectReader::OneOf(const Field& field, std::span<const std::string_view> spellings,
                         std::size_t& chosen) {
  std::string text;
  if (!String(field, text)) return false;
  const auto found = std::ranges::find(spellings, std::string_view(text));
  if (found == spellings.end()) {
    std::string hint(field.hint());
    if (hint.empty()) hint = DidYouMean(text, spellings);
    Error(field.key(), field.invalid(),
          fmt::format("{} is not one of {}", QuotedText(text), fmt::join(spellings, ", ")), std::move(hint));
    return false;
  }
  chosen = static_cast<std::size_t>(found - spellings.begin());
  return true;
}

bool ObjectReader::Object(const Field& field, const ReadObjectFunction& read) {
  const json::value* const value = Value(field);
  if (value == nullptr) return false;
  if (!value->is_object()) {
    WrongType(field.key(), "an object", *value);
    return false;
  }
  return ItemReader(*value, {.parent = &place_, .key = field.key()}, issues_).Object(read);
}

bool ObjectReader::Objects(const Field& field, const ReadObjectFunction& read) {
  return Items(field, [&read](ItemReader& item) { item.Object(read); });
}

bool ObjectReader::Items(const Field& field, const std::function<void(ItemReader&)>& read) {
  const json::value* const value = Value(field);
  if (value == nullptr) return false;
  if (!value->is_array()) {
    WrongType(field.key(), "an array", *value);
    return false;
  }
  const ValuePlace array{.parent = &place_, .key = field.key()};
  std::size_t index = 0;
  for (const json::value& item : value->get_array()) {
    ItemReader reader(item, {.parent = &array, .index = index++, .is_item = true}, issues_);
    read(reader);
  }
  return true;
}

bool ObjectReader::Members(const Field& field,
                           const std::function<void(const std::string& name, ObjectReader&)>& read) {
  return Object(field, [&read](ObjectReader& map) {
    map.AllowOthers();
    for (const auto& member : map.object()) {
      ItemReader item(member.value(), {.parent = &map.place_, .key = member.key()}, map.issues_);
      item.Object([&](ObjectReader& reader) { read(std::string(member.key()), reader); });
    }
  });
}

void ObjectReader::WrongType(std::string_view key, std::string_view wanted, const json::value& value) {
  issues_.errors.push_back(TypeIssue(Pointer(key), wanted, value));
  failed_.push_back(key);
}

void ObjectReader::Refuse(const Field& field, ErrorCode code, std::string message) {
  Error(field.key(), code, std::move(message), std::string(field.hint()));
}

void ObjectReader::Error(std::string_view key, ErrorCode code, std::string message, std::string hint) {
  issues_.errors.push_back({code, Pointer(key), std::move(message), std::move(hint)});
  failed_.push_back(key);
}

void ObjectReader::Warn(std::string_view key, ErrorCode code, std::string message, std::string hint) {
  issues_.warnings.push_back({code, Pointer(key), std::move(message), std::move(hint)});
}

std::string ObjectReader::Pointer(std::string_view key) const {
  std::string pointer = place_.Pointer();
  if (!key.empty()) AppendPointer(pointer, key);
  return pointer;
}

bool ObjectReader::Failed(std::string_view key) const {
  return std::ranges::find(failed_, key) != failed_.end();
}

void ObjectReader::Finish() {
  if (allow_others_ || found_ == object_.size()) return;
  std::size_t unknown = 0;
  for (const auto& member : object_) {
    const std::string_view key = member.key();
    if (std::ranges::find(asked_, key) != asked_.end()) continue;
    if (++unknown > kMostUnknownKeys) continue;
    std::string path = place_.Pointer();
    AppendPointer(path, key);
    auto& list = refuse_others_ ? issues_.errors : issues_.warnings;
    list.push_back({ErrorCode::kUnknownField, std::move(path),
                    fmt::format("the field {} is not known", QuotedText(key)), DidYouMean(key, asked_)});
  }
  if (unknown > kMostUnknownKeys) {
    Warn({}, ErrorCode::kUnknownField,
         fmt::format("{} more fields are not known", unknown - kMostUnknownKeys));
  }
}

bool ReadObject(const json::value& value, Issues& issues, const ReadObjectFunction& read, std::string root) {
  if (!value.is_object()) {
    issues.errors.push_back(TypeIssue(std::move(root), "an object", value));
    return false;
  }
  ObjectReader reader(value.get_object(), {.root = std::move(root)}, issues);
  read(reader);
  reader.Finish();
  return true;
}

}  // namespace agenttalk
