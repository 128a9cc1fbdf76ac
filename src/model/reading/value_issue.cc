#include "model/reading/value_issue.h"

#include <fmt/format.h>

#include <boost/json/kind.hpp>
#include <boost/json/string.hpp>
#include <boost/json/value.hpp>
#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/error_code.h"
#include "base/issue.h"
#include "base/utf8.h"
#include "model/reading/object_reader.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

constexpr std::size_t kLongestQuote = 40;

bool IsNumber(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

std::string TypeHint(std::string_view wanted, const json::value& value) {
  if (value.is_null()) return "leave the field out instead of writing null";
  const bool truth = wanted == "a boolean";
  if (value.is_string() && (truth || wanted == "a number" || wanted == "an integer")) {
    const std::string_view text = value.get_string();
    const bool quoted = truth ? text == "true" || text == "false" : IsNumber(text);
    if (quoted) return "write the value without quotes";
    return truth ? "write true or false" : "write digits alone, e.g. 5";
  }
  if (wanted.starts_with("an array")) return "write it in [ ]";
  return {};
}

}  // namespace

std::string QuotedText(std::string_view text) {
  const std::string_view shown = Utf8Prefix(text, kLongestQuote);
  return fmt::format("\"{}{}\"", shown, shown.size() < text.size() ? "…" : "");
}

Issue TypeIssue(std::string path, std::string_view wanted, const json::value& value) {
  return {ErrorCode::kTypeMismatch, std::move(path),
          fmt::format("must be {}, not {}", wanted, KindName(value)), TypeHint(wanted, value)};
}

std::string RangeText(const IntegerRange& range) {
  const bool no_min = range.min == IntegerRange{}.min;
  const bool no_max = range.max == IntegerRange{}.max;
  if (no_min && no_max) return "must be an integer";
  if (no_max) return fmt::format("must be an integer, {} or more", range.min);
  if (no_min) return fmt::format("must be an integer, at most {}", range.max);
  return fmt::format("must be an integer from {} to {}", range.min, range.max);
}

std::string UnsafeName(std::string_view name) {
  return fmt::format("{} is not a name that may become part of a path", QuotedText(name));
}

std::string_view KindName(const json::value& value) {
  switch (value.kind()) {
    case json::kind::null:
      return "null";
    case json::kind::bool_:
      return "a boolean";
    case json::kind::int64:
    case json::kind::uint64:
    case json::kind::double_:
      return "a number";
    case json::kind::string:
      return "a string";
    case json::kind::array:
      return "an array";
    case json::kind::object:
      break;
  }
  return "an object";
}

}  // namespace agenttalk
