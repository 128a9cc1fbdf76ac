#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/kind.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>
#include <boost/json/value.hpp>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/json.h"
#include "base/visible_text.h"

// How JSON is written: canonically, in one line, and for people.
namespace agenttalk {
namespace {

namespace json = boost::json;

// RFC 8785 sorts keys by UTF-16 code units. Byte order of UTF-8 is code point order, which differs in one
// thing only: a character beyond U+FFFF is a surrogate pair there, and so comes before U+E000 to U+FFFF.
bool Utf16Less(std::string_view a, std::string_view b) {
  const auto [in_a, in_b] = std::ranges::mismatch(a, b);
  if (in_a == a.end() || in_b == b.end()) return in_b != b.end();
  const auto byte_a = static_cast<unsigned char>(*in_a);
  const auto byte_b = static_cast<unsigned char>(*in_b);
  constexpr unsigned char kFirstAfterSurrogates = 0xEE;
  constexpr unsigned char kFirstPair = 0xF0;
  if (byte_a >= kFirstPair && byte_b >= kFirstAfterSurrogates && byte_b < kFirstPair) return true;
  if (byte_b >= kFirstPair && byte_a >= kFirstAfterSurrogates && byte_a < kFirstPair) return false;
  return byte_a < byte_b;
}

// The shortest digits d1d2…dk of a positive number, and the position n of the decimal point:
// value = 0.d1…dk * 10^n.
struct Digits {
  std::string digits;
  int point = 0;
};

Digits ShortestDigits(double number) {
  std::array<char, 32> buffer{};
  const auto [end, error] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, std::chars_format::scientific);
  CHECK(error == std::errc());
  const std::string_view text(buffer.data(), end);  // d.ddde±xx
  const std::size_t mark = text.find('e');
  Digits shortest{std::string(text.substr(0, 1)), 0};
  if (mark > 1) shortest.digits.append(text.substr(2, mark - 2));
  std::string_view power = text.substr(mark + 1);
  if (power.front() == '+') power.remove_prefix(1);
  std::from_chars(power.data(), power.data() + power.size(), shortest.point);
  ++shortest.point;
  return shortest;
}

// With as many zeros as it takes.
std::string PlacePoint(std::string_view digits, int n) {
  const int k = static_cast<int>(digits.size());
  const auto count = [](int number) { return static_cast<std::size_t>(number); };
  if (k <= n) return std::string(digits) + std::string(count(n - k), '0');
  if (0 < n) return fmt::format("{}.{}", digits.substr(0, count(n)), digits.substr(count(n)));
  return fmt::format("0.{}{}", std::string(count(-n), '0'), digits);
}

// Number::toString of ECMAScript, which RFC 8785 prescribes.
std::string PlaceAsEcmaScript(std::string_view digits, int n) {
  constexpr int kMostPlaces = 21;
  constexpr int kMostZeros = -6;
  if (n > kMostZeros && n <= kMostPlaces) return PlacePoint(digits, n);
  const std::string_view rest = digits.substr(1);
  return fmt::format("{}{}{}e{}{}", digits[0], rest.empty() ? "" : ".", rest, n - 1 < 0 ? '-' : '+',
                     std::abs(n - 1));
}

enum class NumberForm : std::uint8_t { kEcmaScript, kWrittenOut };

void WriteDouble(double number, NumberForm form, std::string& out) {
  CHECK(std::isfinite(number));
  if (number == 0) {
    out.push_back('0');
    return;
  }
  if (number < 0) out.push_back('-');
  const Digits shortest = ShortestDigits(std::abs(number));
  out.append(form == NumberForm::kEcmaScript ? PlaceAsEcmaScript(shortest.digits, shortest.point)
                                             : PlacePoint(shortest.digits, shortest.point));
}

// RFC 8785 knows doubles only: an integer that a double cannot hold is written as the double nearest to it.
template <typename Integer>
void WriteInteger(Integer number, std::string& out) {
  constexpr auto kExact = Integer{1} << 53;
  bool exact = number <= kExact;
  if constexpr (std::is_signed_v<Integer>) exact = exact && number >= -kExact;
  if (exact) {
    out.append(fmt::format_int(number).c_str());
  } else {
    WriteDouble(static_cast<double>(number), NumberForm::kEcmaScript, out);
  }
}

void WriteScalar(const json::value& value, std::string& out) {
  switch (value.kind()) {
    case json::kind::null:
      out.append("null");
      break;
    case json::kind::bool_:
      out.append(value.get_bool() ? "true" : "false");
      break;
    case json::kind::int64:
      WriteInteger(value.get_int64(), out);
      break;
    case json::kind::uint64:
      WriteInteger(value.get_uint64(), out);
      break;
    case json::kind::double_:
      WriteDouble(value.get_double(), NumberForm::kEcmaScript, out);
      break;
    case json::kind::string:
    case json::kind::array:
    case json::kind::object:
      AppendJsonString(value.get_string(), out);
  }
}

void WriteCanonical(const json::value& value, std::string& out);

void WriteCanonical(const json::object& object, std::string& out) {
  std::vector<const json::key_value_pair*> members;
  members.reserve(object.size());
  for (const auto& member : object) members.push_back(&member);
  std::ranges::sort(members, [](const auto* a, const auto* b) { return Utf16Less(a->key(), b->key()); });
  out.push_back('{');
  bool first = true;
  for (const auto* member : members) {
    if (!std::exchange(first, false)) out.push_back(',');
    AppendJsonString(member->key(), out);
    out.push_back(':');
    WriteCanonical(member->value(), out);
  }
  out.push_back('}');
}

void WriteCanonical(const json::value& value, std::string& out) {
  if (value.is_object()) return WriteCanonical(value.get_object(), out);
  if (!value.is_array()) return WriteScalar(value, out);
  out.push_back('[');
  bool first = true;
  for (const json::value& item : value.get_array()) {
    if (!std::exchange(first, false)) out.push_back(',');
    WriteCanonical(item, out);
  }
  out.push_back(']');
}

// What is no number keeps its exact digits; integers beyond 2^53 too.
void WritePlainScalar(const json::value& value, std::string& out) {
  if (value.is_double()) {
    WriteDouble(value.get_double(), NumberForm::kWrittenOut, out);
  } else if (value.is_int64()) {
    out.append(fmt::format_int(value.get_int64()).c_str());
  } else if (value.is_uint64()) {
    out.append(fmt::format_int(value.get_uint64()).c_str());
  } else {
    WriteScalar(value, out);
  }
}

void WriteCompact(const json::value& value, std::string& out) {
  bool first = true;
  if (value.is_object()) {
    out.push_back('{');
    for (const auto& member : value.get_object()) {
      if (!std::exchange(first, false)) out.push_back(',');
      AppendJsonString(member.key(), out);
      out.push_back(':');
      WriteCompact(member.value(), out);
    }
    out.push_back('}');
  } else if (value.is_array()) {
    out.push_back('[');
    for (const json::value& item : value.get_array()) {
      if (!std::exchange(first, false)) out.push_back(',');
      WriteCompact(item, out);
    }
    out.push_back(']');
  } else {
    WritePlainScalar(value, out);
  }
}

bool NeedsEscape(char c) {
  return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20;
}

void NewLine(std::size_t depth, std::string& out) {
  out.push_back('\n');
  out.append(2 * depth, ' ');
}

void WritePretty(const json::value& value, std::size_t depth, std::string& out) {
  if (value.is_object() && !value.get_object().empty()) {
    out.push_back('{');
    bool first = true;
    for (const auto& member : value.get_object()) {
      if (!std::exchange(first, false)) out.push_back(',');
      NewLine(depth + 1, out);
      AppendJsonString(member.key(), out);
      out.append(": ");
      WritePretty(member.value(), depth + 1, out);
    }
    NewLine(depth, out);
    out.push_back('}');
  } else if (value.is_array() && !value.get_array().empty()) {
    out.push_back('[');
    bool first = true;
    for (const json::value& item : value.get_array()) {
      if (!std::exchange(first, false)) out.push_back(',');
      NewLine(depth + 1, out);
      WritePretty(item, depth + 1, out);
    }
    NewLine(depth, out);
    out.push_back(']');
  } else {
    WriteCompact(value, out);
  }
}

}  // namespace

void AppendJsonString(std::string_view text, std::string& out) {
  static constexpr std::string_view kHex = "0123456789abcdef";
  static constexpr std::string_view kShort = "btn\0fr";  // for 0x08 to 0x0D; 0x0B has none
  const auto plain_part = [&text] {
    return static_cast<std::size_t>(std::ranges::find_if(text, NeedsEscape) - text.begin());
  };
  std::size_t plain = plain_part();
  if (plain == text.size()) {  // as nearly always
    const std::size_t before = out.size();
    // libstdc++ 12 may tell of more room than was asked for.
    out.resize_and_overwrite(before + plain + 2, [&](char* bytes, std::size_t) {
      bytes[before] = '"';
      std::ranges::copy(text, bytes + before + 1);
      bytes[before + plain + 1] = '"';
      return before + plain + 2;
    });
    return;
  }
  out.push_back('"');
  for (; !text.empty(); plain = plain_part()) {
    out.append(text.substr(0, plain));
    if (plain == text.size()) break;
    const char c = text[plain];
    text.remove_prefix(plain + 1);
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out.push_back('\\');
      out.push_back(c);
    } else if (code >= 0x08 && code <= 0x0D && code != 0x0B) {
      out.push_back('\\');
      out.push_back(kShort.data()[code - 0x08]);
    } else {
      out.append("\\u00");
      out.push_back(kHex[code >> 4]);
      out.push_back(kHex[code & 0x0F]);
    }
  }
  out.push_back('"');
}

std::string CanonicalJson(const json::value& value) {
  std::string out;
  WriteCanonical(value, out);
  return out;
}

std::string CompactJson(const json::value& value) {
  std::string out;
  WriteCompact(value, out);
  return out;
}

namespace {

// Of very many nobody reads each: one to a line is half as long.
void WriteItem(const LongList& list, std::size_t i, std::string& out) {
  constexpr std::size_t kVeryMany = 10'000;
  if (list.count > kVeryMany) return WriteCompact(list.item(i), out);
  WritePretty(list.item(i), 2, out);
}

void WriteItems(const LongList& list, std::string& out) {
  out.push_back('[');
  std::string text;
  for (std::size_t i = 0; i < list.count; ++i) {
    text.clear();
    if (i > 0) text.push_back(',');
    NewLine(2, text);
    WriteItem(list, i, text);
    out.append(VisibleText(text));
  }
  NewLine(1, out);
  out.push_back(']');
}

// About. Growing by doubling would take twice the memory of the whole.
std::size_t RoomFor(std::span<const LongList> lists) {
  std::size_t room = 0;
  for (const LongList& list : lists) {
    if (list.count == 0) continue;
    std::string text;
    WriteItem(list, list.count / 2, text);
    room += (text.size() + 8) * list.count;
  }
  return room + room / 8;
}

}  // namespace

std::string PrettyJson(const json::object& object, std::span<const LongList> lists) {
  std::string out = "{";
  out.reserve(RoomFor(lists));
  for (const auto& member : object) {
    if (out.size() > 1) out.push_back(',');
    NewLine(1, out);
    std::string text;
    AppendJsonString(member.key(), text);
    text.append(": ");
    const auto list = std::ranges::find(lists, std::string_view(member.key()), &LongList::key);
    const bool is_long = list != lists.end() && list->count > 0;
    if (!is_long) WritePretty(member.value(), 1, text);
    out.append(VisibleText(text));
    if (is_long) WriteItems(*list, out);
  }
  NewLine(0, out);
  return out.append("}\n");
}

std::string PrettyJson(const json::value& value) {
  std::string out;
  WritePretty(value, 0, out);
  out.push_back('\n');
  return VisibleText(out);
}

}  // namespace agenttalk
