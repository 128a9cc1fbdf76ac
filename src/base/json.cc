#include "base/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/error.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse_options.hpp>
#include <boost/json/string.hpp>
#include <boost/json/value.hpp>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <expected>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"

namespace agenttalk {
namespace {

namespace json = boost::json;
using BoostError = json::error_code;

// Builds the tree from the parser's events. Boost's own DOM parser keeps the last of two equal keys without a
// word, and reads decimals with up to one unit of error in the last place; both would make two readers of the
// same file see different values, so this handler refuses the first and rereads the digits for the second.
class TreeBuilder {
 public:
  static constexpr std::size_t max_array_size = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t max_object_size = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t max_string_size = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t max_key_size = std::numeric_limits<std::size_t>::max();

  bool on_document_begin(BoostError&) { return true; }
  bool on_document_end(BoostError&) { return true; }
  bool on_array_begin(BoostError&) { return Open(json::array()); }
  bool on_array_end(std::size_t, BoostError&) { return Close(); }
  bool on_object_begin(BoostError&) { return Open(json::object()); }
  bool on_object_end(std::size_t, BoostError&) { return Close(); }
  bool on_string_part(std::string_view part, std::size_t, BoostError&) { return Gather(part); }
  bool on_string(std::string_view part, std::size_t, BoostError&) {
    if (text_.empty()) return Add(json::string(part));
    text_.append(part);
    return Add(json::string(std::exchange(text_, {})));
  }
  bool on_key_part(std::string_view part, std::size_t, BoostError&) { return Gather(part); }
  bool on_key(std::string_view part, std::size_t, BoostError& error) {
    text_.append(part);
    Frame& frame = frames_.back();
    if (frame.container.get_object().contains(text_)) {
      return Refuse(fmt::format("the key \"{}\" occurs twice in one object", text_), error);
    }
    frame.key = std::exchange(text_, {});
    return true;
  }
  bool on_number_part(std::string_view part, BoostError&) { return Gather(part); }
  bool on_int64(std::int64_t number, std::string_view, BoostError&) {
    text_.clear();
    return Add(number);
  }
  bool on_uint64(std::uint64_t number, std::string_view, BoostError&) {
    text_.clear();
    return Add(number);
  }
  bool on_double(double rough, std::string_view part, BoostError& error) {
    text_.append(part);
    double exact = 0;
    const auto [end, status] = std::from_chars(text_.data(), text_.data() + text_.size(), exact);
    const bool too_small = status == std::errc::result_out_of_range && std::abs(rough) < 1;
    if (too_small) exact = 0;
    if (!too_small && (status != std::errc() || !std::isfinite(exact))) {
      return Refuse("the number is too large for a double", error);
    }
    text_.clear();
    return Add(exact);
  }
  bool on_bool(bool value, BoostError&) { return Add(value); }
  bool on_null(BoostError&) { return Add(nullptr); }
  bool on_comment_part(std::string_view, BoostError&) { return true; }
  bool on_comment(std::string_view, BoostError&) { return true; }

  json::value TakeRoot() { return std::move(root_); }
  [[nodiscard]] const std::string& refusal() const { return refusal_; }

 private:
  struct Frame {
    json::value container;
    std::string key;  // of the member whose value comes next
  };

  bool Gather(std::string_view part) {
    text_.append(part);
    return true;
  }
  bool Refuse(std::string reason, BoostError& error) {
    refusal_ = std::move(reason);
    error = json::make_error_code(json::error::syntax);
    return false;
  }
  bool Open(json::value container) {
    frames_.push_back({std::move(container), {}});
    return true;
  }
  bool Close() {
    json::value done = std::move(frames_.back().container);
    frames_.pop_back();
    return Add(std::move(done));
  }
  bool Add(json::value value) {
    if (frames_.empty()) {
      root_ = std::move(value);
    } else if (Frame& frame = frames_.back(); frame.container.is_array()) {
      frame.container.get_array().push_back(std::move(value));
    } else {
      frame.container.get_object().emplace(frame.key, std::move(value));
    }
    return true;
  }

  std::vector<Frame> frames_;
  std::string text_;
  json::value root_;
  std::string refusal_;
};

std::string Explain(const BoostError& error) {
  switch (error.value()) {
    case static_cast<int>(json::error::incomplete):
      return "the text ends before the JSON value is complete";
    case static_cast<int>(json::error::extra_data):
      return "there is text after the JSON value";
    case static_cast<int>(json::error::exponent_overflow):
      return "the number is too large for a double";
    case static_cast<int>(json::error::illegal_leading_surrogate):
    case static_cast<int>(json::error::illegal_trailing_surrogate):
      return "half of a surrogate pair in a \\u escape";
    case static_cast<int>(json::error::expected_hex_digit):
      return "a \\u escape needs four hexadecimal digits";
    default:
      return "this is not JSON";
  }
}

// Columns count characters, not bytes, as editors do.
std::string Position(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const auto line = 1 + std::ranges::count(before, '\n');
  const std::string_view start = before.substr(before.rfind('\n') + 1);
  const auto column =
      1 + std::ranges::count_if(start, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
  return fmt::format("line {}, column {}", line, column);
}

std::string HintFor(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) return "remove the byte order mark at the start of the file";
  return {};
}

std::unexpected<Error> ParseFailure(std::string_view text, std::size_t offset, const BoostError& error,
                                    const std::string& refusal, std::size_t max_depth) {
  const std::string where = Position(text, std::min(offset, text.size()));
  if (error == json::error::too_deep) {
    return Fail(ErrorCode::kJsonTooDeep, fmt::format("{}: nested deeper than {} levels", where, max_depth));
  }
  return Fail(ErrorCode::kJsonInvalid,
              fmt::format("{}: {}", where, refusal.empty() ? Explain(error) : refusal), HintFor(text));
}

}  // namespace

Result<json::value> ParseJson(std::string_view text, const JsonLimits& limits) {
  if (text.size() > limits.max_bytes) {
    return Fail(ErrorCode::kTooLarge,
                fmt::format("{} bytes of JSON are more than the limit of {}", text.size(), limits.max_bytes));
  }
  json::parse_options options;
  options.max_depth = limits.max_depth;
  json::basic_parser<TreeBuilder> parser(options);
  BoostError error;
  const std::size_t used = parser.write_some(false, text.data(), text.size(), error);
  if (!error && used < text.size()) error = json::make_error_code(json::error::extra_data);
  if (error) return ParseFailure(text, used, error, parser.handler().refusal(), limits.max_depth);
  return parser.handler().TakeRoot();
}

std::optional<std::int64_t> AsInteger(const json::value& value) {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  if (value.is_int64()) return value.get_int64();
  if (value.is_uint64() && std::in_range<std::int64_t>(value.get_uint64())) {
    return static_cast<std::int64_t>(value.get_uint64());
  }
  const bool whole = value.is_double() && std::abs(value.get_double()) <= kExact &&
                     std::trunc(value.get_double()) == value.get_double();
  return whole ? std::optional(static_cast<std::int64_t>(value.get_double())) : std::nullopt;
}

std::optional<double> AsDouble(const json::value& value) {
  if (value.is_int64()) return static_cast<double>(value.get_int64());
  if (value.is_uint64()) return static_cast<double>(value.get_uint64());
  return value.is_double() ? std::optional(value.get_double()) : std::nullopt;
}

}  // namespace agenttalk
