#pragma once

#include <boost/json/fwd.hpp>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/issue.h"
#include "base/time.h"

// How validators read JSON that people and programs wrote. A getter names a key, checks the value and stores
// it; what is wrong becomes an Issue with its JSON Pointer, and reading continues, so that everything is
// found at once. When the reading function returns, keys that nobody asked for are UNKNOWN_FIELD warnings.
//
//   Issues issues;
//   ReadObject(value, issues, [&](ObjectReader& reader) {
//     reader.Text(Field("prompt").Required(ErrorCode::kPromptEmpty), node.prompt);
//     reader.Integer(Field("timeout").Invalid(ErrorCode::kTimeoutInvalid), {.min = 1}, node.timeout_seconds);
//     reader.Names("depends_on", node.depends_on);
//     reader.Object("score", [&](ObjectReader& score) { score.Boolean("required", node.score.required); });
//   });
//
// Getters return true when the value was there and right, and leave the target untouched otherwise. An absent
// optional key is no issue; a null is a value of the wrong type. Keys and hints must outlive the reader
// (literals do). Nothing here throws.
namespace agenttalk {

// One key and what to say when its value is missing or wrong. Converts from a literal.
class Field {
 public:
  Field(const char* key) : key_(key) {}       // NOLINT(google-explicit-constructor): reader.Text("name", …)
  Field(std::string_view key) : key_(key) {}  // NOLINT(google-explicit-constructor)

  // Absent (and, for Text and Name, blank) is an error with this code.
  [[nodiscard]] Field Required(ErrorCode missing = ErrorCode::kFieldMissing) const {
    Field copy = *this;
    copy.required_ = true;
    copy.missing_ = missing;
    return copy;
  }
  // The code for a value of the right type that cannot be accepted.
  [[nodiscard]] Field Invalid(ErrorCode code) const {
    Field copy = *this;
    copy.invalid_ = code;
    return copy;
  }
  [[nodiscard]] Field Hint(std::string_view hint) const {
    Field copy = *this;
    copy.hint_ = hint;
    return copy;
  }

  [[nodiscard]] std::string_view key() const { return key_; }
  [[nodiscard]] bool required() const { return required_; }
  [[nodiscard]] ErrorCode missing() const { return missing_; }
  [[nodiscard]] ErrorCode invalid() const { return invalid_; }
  [[nodiscard]] std::string_view hint() const { return hint_; }

 private:
  std::string_view key_;
  std::string_view hint_;
  ErrorCode missing_ = ErrorCode::kFieldMissing;
  ErrorCode invalid_ = ErrorCode::kValueInvalid;
  bool required_ = false;
};

// Both ends belong to the range.
struct IntegerRange {
  std::int64_t min = std::numeric_limits<std::int64_t>::min();
  std::int64_t max = std::numeric_limits<std::int64_t>::max();
};
struct NumberRange {
  double min = std::numeric_limits<double>::lowest();
  double max = std::numeric_limits<double>::max();
};
inline constexpr NumberRange kPercent{.min = 0, .max = 100};

// A spelling and the enumerator it stands for.
template <typename E>
using Choices = std::span<const std::pair<std::string_view, E>>;

// Where a value stands: a chain up to the document, spelled out only when there is something to report.
struct ValuePlace {
  const ValuePlace* parent = nullptr;
  std::string_view key = {};  // or, for an array item, the index
  std::size_t index = 0;
  bool is_item = false;
  std::string root = {};  // the pointer of the outermost value, usually ""

  [[nodiscard]] std::string Pointer() const;
};

class ObjectReader;
using ReadObjectFunction = std::function<void(ObjectReader&)>;

// One item of an array whose items may be of several types.
class ItemReader {
 public:
  ItemReader(const boost::json::value& value, ValuePlace place, Issues& issues)
      : value_(value), place_(std::move(place)), issues_(issues) {}

  [[nodiscard]] bool IsString() const;
  [[nodiscard]] bool IsObject() const;
  [[nodiscard]] std::size_t index() const { return place_.index; }
  [[nodiscard]] const boost::json::value& value() const { return value_; }

  bool String(std::string& out);
  bool Object(const ReadObjectFunction& read);
  void Error(ErrorCode code, std::string message, std::string hint = {});
  void Warn(ErrorCode code, std::string message, std::string hint = {});

 private:
  const boost::json::value& value_;
  ValuePlace place_;
  Issues& issues_;
};

class ObjectReader {
 public:
  ObjectReader(const boost::json::object& object, ValuePlace place, Issues& issues);
  ObjectReader(const ObjectReader&) = delete;
  ObjectReader& operator=(const ObjectReader&) = delete;

  [[nodiscard]] bool Has(std::string_view key);

  bool String(const Field& field, std::string& out);
  bool Text(const Field& field, std::string& out);  // not blank
  bool Name(const Field& field, std::string& out);  // IsSafeName, else NAME_UNSAFE
  bool Boolean(const Field& field, bool& out);
  bool Number(const Field& field, const NumberRange& range, double& out);
  bool Sha256(const Field& field, Digest& out);    // 64 hexadecimal digits
  bool Period(const Field& field, Duration& out);  // a number of seconds, or "10m"; not negative
  bool Strings(const Field& field, std::vector<std::string>& out);
  bool Texts(const Field& field, std::vector<std::string>& out);  // none blank
  bool Names(const Field& field, std::vector<std::string>& out);

  template <typename Tag>
  bool Name(const Field& field, Id<Tag>& out) {
    std::string name;
    if (!Name(field, name)) return false;
    out = Id<Tag>(std::move(name));
    return true;
  }
  template <typename Tag>
  bool Names(const Field& field, std::vector<Id<Tag>>& out) {
    std::vector<std::string> names;
    if (!Names(field, names)) return false;
    out.clear();
    for (std::string& name : names) out.emplace_back(std::move(name));
    return true;
  }
  // 3.0 is the integer 3. The range is narrowed to what T can hold.
  template <std::integral T>
  bool Integer(const Field& field, IntegerRange range, T& out) {
    static_assert(!std::is_same_v<T, bool>);
    if (std::cmp_greater(std::numeric_limits<T>::min(), range.min)) range.min = std::numeric_limits<T>::min();
    if (std::cmp_less(std::numeric_limits<T>::max(), range.max)) {
      range.max = static_cast<std::int64_t>(std::numeric_limits<T>::max());
    }
    std::int64_t number = 0;
    if (!IntegerIn(field, range, number)) return false;
    out = static_cast<T>(number);
    return true;
  }
  template <typename E>
  bool Choice(const Field& field, Choices<E> choices, E& out) {
    std::vector<std::string_view> spellings;
    for (const auto& [spelling, value] : choices) spellings.push_back(spelling);
    std::size_t chosen = 0;
    if (!OneOf(field, spellings, chosen)) return false;
    out = choices[chosen].second;
    return true;
  }

  // Calls `read` with a reader of the nested object; false when there is none.
  bool Object(const Field& field, const ReadObjectFunction& read);
  // An array of objects; items of another type are reported and skipped.
  bool Objects(const Field& field, const ReadObjectFunction& read);
  // An array of anything.
  bool Items(const Field& field, const std::function<void(ItemReader&)>& read);
  // Every member of the object as a reader of an object, for maps from names (`agents: {analyst: {…}}`).
  bool Members(const Field& field, const std::function<void(const std::string& name, ObjectReader&)>& read);

  // The value itself, for what no getter covers; null when absent (an error if required).
  const boost::json::value* Value(const Field& field);
  [[nodiscard]] const boost::json::object& object() const { return object_; }

  // Keys not asked for are no longer reported.
  void AllowOthers() { allow_others_ = true; }
  // Keys not asked for are errors, because nothing would come of what they say.
  void RefuseOthers() { refuse_others_ = true; }
  // Records an issue at a member, or with key "" at the object itself.
  void Error(std::string_view key, ErrorCode code, std::string message, std::string hint = {});
  void Warn(std::string_view key, ErrorCode code, std::string message, std::string hint = {});
  [[nodiscard]] std::string Pointer(std::string_view key = {}) const;
  [[nodiscard]] Issues& issues() { return issues_; }
  // True when this field was reported as an error already, so that a follow-up error would only confuse.
  [[nodiscard]] bool Failed(std::string_view key) const;

  // Reports the unknown keys; ReadObject, Object and Objects call it.
  void Finish();

 private:
  const boost::json::value* Find(std::string_view key);
  void WrongType(std::string_view key, std::string_view wanted, const boost::json::value& value);
  void Refuse(const Field& field, ErrorCode code, std::string message);
  bool IntegerIn(const Field& field, const IntegerRange& range, std::int64_t& out);
  bool OneOf(const Field& field, std::span<const std::string_view> spellings, std::size_t& chosen);
  bool StringItems(const Field& field, const std::function<bool(ItemReader&, const std::string&)>& accept,
                   std::vector<std::string>& out);

  const boost::json::object& object_;
  ValuePlace place_;
  Issues& issues_;
  std::vector<std::string_view> asked_;
  std::vector<std::string_view> failed_;
  std::size_t found_ = 0;
  bool allow_others_ = false;
  bool refuse_others_ = false;
};

// Reads `value` as an object and reports its unknown keys; a value of another type is TYPE_MISMATCH and
// false. `root` is the JSON Pointer of the value itself.
bool ReadObject(const boost::json::value& value, Issues& issues, const ReadObjectFunction& read,
                std::string root = {});

// "a string", "an array": what a value is, in a message to whoever wrote it.
std::string_view KindName(const boost::json::value& value);

}  // namespace agenttalk
