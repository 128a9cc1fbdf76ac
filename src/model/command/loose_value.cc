#include "model/command/loose_value.h"

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>
#include <boost/json/value.hpp>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/digest.h"
#include "base/file_name.h"
#include "base/ids.h"
#include "base/json.h"
#include "base/time.h"
#include "base/utf8.h"
#include "model/command/reading.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

std::optional<std::string> AsText(const json::value& value) {
  if (value.is_string()) return std::string(value.get_string());
  if (value.is_number() || value.is_bool()) return CanonicalJson(value);
  return std::nullopt;
}

template <typename Number>
std::optional<Number> ParseNumber(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || rest != end) return std::nullopt;
  return number;
}

std::optional<std::int64_t> LooselyInteger(const json::value& value) {
  return value.is_string() ? ParseNumber<std::int64_t>(Trimmed(value.get_string())) : AsInteger(value);
}

// Replaces a member by its conversion; what cannot be converted stays for validation to refuse.
void Improve(json::object& object, std::string_view key, LooseValue (*convert)(const json::value&)) {
  json::value* const value = object.if_contains(key);
  if (value == nullptr) return;
  if (LooseValue converted = convert(*value); converted) *value = std::move(*converted);
}

LooseValue LooseScore(const json::value& value) {
  if (value.is_number()) return value;
  if (!value.is_string()) return std::nullopt;
  const std::optional<double> number = ParseNumber<double>(Trimmed(value.get_string()));
  if (!number || !std::isfinite(*number)) return std::nullopt;
  return json::value(*number);
}

json::array AsList(const json::value& value) {
  return value.is_array() ? value.get_array() : json::array{value};
}

}  // namespace

LooseValue LooseText(const json::value& value) {
  const std::optional<std::string> text = AsText(value);
  return text && !IsBlank(*text) ? LooseValue(*text) : std::nullopt;
}

LooseValue LooseTrimmed(const json::value& value) {
  const LooseValue text = LooseText(value);
  return text ? LooseValue(json::value(Trimmed(text->get_string()))) : std::nullopt;
}

LooseValue LooseTemplate(const json::value& value) {
  const std::optional<std::string> text = AsText(value);
  return text ? LooseValue(*text) : std::nullopt;
}

LooseValue LooseSafeName(const json::value& value) {
  LooseValue text = LooseTrimmed(value);
  return text && IsSafeName(text->get_string()) ? text : std::nullopt;
}

LooseValue LooseOutputName(const json::value& value) {
  LooseValue text = LooseTrimmed(value);
  return text && IsOutputName(text->get_string()) ? text : std::nullopt;
}

// Not trimmed: a key is compared byte by byte with those of earlier commands.
LooseValue LooseKey(const json::value& value) {
  LooseValue text = LooseTemplate(value);
  const bool good =
      text && !IsBlank(text->get_string()) && text->get_string().size() <= kLongestIdempotencyKey;
  return good ? text : std::nullopt;
}

LooseValue LooseFlag(const json::value& value) {
  if (value.is_bool()) return value;
  const std::optional<std::string> text = AsText(value);
  if (!text) return std::nullopt;
  std::string lower(Trimmed(*text));
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  constexpr std::array<std::string_view, 4> kTrue = {"true", "yes", "1", "on"};
  constexpr std::array<std::string_view, 4> kFalse = {"false", "no", "0", "off"};
  if (std::ranges::find(kTrue, lower) != kTrue.end()) return json::value(true);
  if (std::ranges::find(kFalse, lower) != kFalse.end()) return json::value(false);
  return std::nullopt;
}

LooseValue LooseIntegerIn(const json::value& value, std::int64_t min, std::int64_t max) {
  const std::optional<std::int64_t> number = LooselyInteger(value);
  if (!number || *number < min || *number > max) return std::nullopt;
  return json::value(*number);
}

// Part of a second counts as a whole one, so that a short timeout does not become none.
LooseValue LooseSeconds(const json::value& value) {
  const std::optional<std::string> text = AsText(value);
  const std::optional<Duration> period = text ? ParseDuration(Trimmed(*text)) : std::nullopt;
  if (!period) return std::nullopt;
  return LooseIntegerIn(std::chrono::ceil<std::chrono::seconds>(*period).count(), 1, kLongestTimeoutSeconds);
}

LooseValue LooseVersion(const json::value& value) {
  std::optional<std::string> text = AsText(value);
  if (text && text->find('.') == std::string::npos) *text += ".0";
  return text && IsReadableCommandVersion(*text) ? LooseValue(*text) : std::nullopt;
}

LooseValue LooseTexts(const json::value& value) {
  if (value.is_object()) return std::nullopt;
  json::array out = AsList(value);
  for (json::value& item : out) {
    if (LooseValue text = LooseTrimmed(item); text) item = std::move(*text);
  }
  return out;
}

LooseValue LooseInputs(const json::value& value) {
  json::array out = AsList(value);
  for (json::value& item : out) {
    if (item.is_object()) {
      Improve(item.get_object(), "pattern", LooseTrimmed);
      Improve(item.get_object(), "min", LooseInteger<1, kMostFilesForGlob>);
    } else if (LooseValue text = LooseTrimmed(item); text) {
      item = std::move(*text);
    }
  }
  return out;
}

LooseValue LooseHook(const json::value& value) {
  if (value.is_object()) return value;
  if (!value.is_string()) return std::nullopt;
  return json::object{{"message_template", value}};
}

LooseValue LooseRoutes(const json::value& value) {
  json::array out = AsList(value);
  for (json::value& item : out) {
    if (!item.is_object()) continue;
    Improve(item.get_object(), "min_score", LooseScore);
    Improve(item.get_object(), "send_to", LooseTexts);
  }
  return out;
}

LooseValue LooseDagRef(const json::value& value) {
  json::object out = value.is_object() ? value.get_object() : json::object{{"sha256", value}};
  Improve(out, "sha256", LooseHash);
  const json::value* const hash = out.if_contains("sha256");
  if (hash == nullptr || !LooseHash(*hash)) return std::nullopt;
  if (const json::value* const revision = out.if_contains("revision"); revision != nullptr) {
    if (!LooseInteger<0, INT64_MAX>(*revision)) out.erase("revision");
  }
  Improve(out, "revision", LooseInteger<0, INT64_MAX>);
  return out;
}

LooseValue LooseHash(const json::value& value) {
  if (!value.is_string()) return std::nullopt;
  const std::string_view text = Trimmed(value.get_string());
  return Digest::FromHex(text) ? LooseValue(json::value(text)) : std::nullopt;
}

std::optional<double> ReadLooseNumber(const json::value& value) {
  if (value.is_number()) return value.to_number<double>();
  const json::string* string = value.if_string();
  if (string == nullptr) return std::nullopt;
  std::string_view text(*string);
  for (const std::string_view end : {"%", "/100", "/ 100"}) {
    if (text.ends_with(end)) text.remove_suffix(end.size());
  }
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  double number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || rest != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace agenttalk
