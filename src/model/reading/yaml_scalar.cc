#include "model/reading/yaml_scalar.h"

#include <algorithm>
#include <boost/json/value.hpp>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace agenttalk {
namespace {

namespace json = boost::json;

constexpr std::string_view kCoreTag = "tag:yaml.org,2002:";

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

bool AllDigits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, IsDigit);
}

template <typename Integer>
std::optional<Integer> WholeNumber(std::string_view text, int base) {
  Integer value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<json::value> Null(std::string_view text) {
  if (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL")
    return json::value(nullptr);
  return std::nullopt;
}

std::optional<json::value> Boolean(std::string_view text) {
  if (text == "true" || text == "True" || text == "TRUE") return json::value(true);
  if (text == "false" || text == "False" || text == "FALSE") return json::value(false);
  return std::nullopt;
}

std::optional<json::value> Unsigned(std::string_view digits, int base) {
  if (const auto small = WholeNumber<std::int64_t>(digits, base)) return json::value(*small);
  if (const auto large = WholeNumber<std::uint64_t>(digits, base)) return json::value(*large);
  return std::nullopt;
}

std::optional<json::value> Integer(std::string_view text) {
  if (text.starts_with("0o") || text.starts_with("0x")) {
    const std::string_view digits = text.substr(2);
    if (digits.starts_with('-')) return std::nullopt;
    return Unsigned(digits, text[1] == 'o' ? 8 : 16);
  }
  const bool is_signed = text.starts_with('-') || text.starts_with('+');
  const std::string_view digits = is_signed ? text.substr(1) : text;
  if (!AllDigits(digits)) return std::nullopt;
  if (!text.starts_with('-')) return Unsigned(digits, 10);
  if (const auto value = WholeNumber<std::int64_t>(text, 10)) return json::value(*value);
  return std::nullopt;
}

// [-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?
bool HasFloatForm(std::string_view text) {
  const auto skip_sign = [&text] {
    if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  };
  const auto skip_digits = [&text] {
    const auto end = std::ranges::find_if_not(text, IsDigit);
    const auto count = static_cast<std::size_t>(end - text.begin());
    text.remove_prefix(count);
    return count;
  };
  skip_sign();
  const std::size_t whole = skip_digits();
  std::size_t fraction = 0;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    fraction = skip_digits();
  }
  if (whole + fraction == 0) return false;
  if (text.empty()) return true;
  if (!text.starts_with('e') && !text.starts_with('E')) return false;
  text.remove_prefix(1);
  skip_sign();
  return skip_digits() > 0 && text.empty();
}

std::optional<json::value> Float(std::string_view text) {
  if (!HasFloatForm(text)) return std::nullopt;
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return json::value(value);
}

json::value Plain(std::string_view text) {
  if (auto value = Null(text)) return *value;
  if (auto value = Boolean(text)) return *value;
  if (auto value = Integer(text)) return *value;
  if (auto value = Float(text)) return *value;
  return json::value(json::string_view(text.data(), text.size()));
}

}  // namespace

std::optional<json::value> YamlScalarValue(const std::string& tag, const std::string& text) {
  if (tag == "?" || tag.empty()) return Plain(text);
  if (tag == "!") return json::value(text);
  if (!tag.starts_with(kCoreTag)) return std::nullopt;
  const std::string_view kind = std::string_view(tag).substr(kCoreTag.size());
  if (kind == "str") return json::value(text);
  if (kind == "null") return Null(text);
  if (kind == "bool") return Boolean(text);
  if (kind == "int") return Integer(text);
  if (kind == "float") return Float(text);
  return std::nullopt;
}

}  // namespace agenttalk
