#pragma once

#include <boost/json/fwd.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"

namespace agenttalk {

struct JsonLimits {
  std::size_t max_bytes = std::size_t{1} << 20;
  std::size_t max_depth = 64;
};

// Strict RFC 8259: refuses bad UTF-8, duplicate keys and trailing text (JSON_INVALID), nesting beyond
// `max_depth` (JSON_TOO_DEEP) and more than `max_bytes` (TOO_LARGE). The message says line and column.
Result<boost::json::value> ParseJson(std::string_view text, const JsonLimits& limits = {});

// RFC 8785: the one byte sequence that stands for this value.
std::string CanonicalJson(const boost::json::value& value);

// Appends `text` as a JSON string, escaped as RFC 8785 wants it. Must be UTF-8.
void AppendJsonString(std::string_view text, std::string& out);

// On one line, members in their order. Numbers are written out: 90, 0.0000001, never 9E1 or 1e-7.
std::string CompactJson(const boost::json::value& value);

// Two-space indentation, for people; ends with a newline. Numbers as in CompactJson.
std::string PrettyJson(const boost::json::value& value);
// A list that is too long to be in memory as JSON: its items are made one by one as they are written.
struct LongList {
  std::string_view key;  // of an empty array in the object, in whose place the items are written
  std::size_t count = 0;
  std::function<boost::json::value(std::size_t)> item;
};
std::string PrettyJson(const boost::json::object& object, std::span<const LongList> lists);

// The number as an integer, where it is one: 3.0 is 3. Nothing for 3.5, for what int64 cannot hold, and for
// doubles beyond 2^53, which no longer name one integer.
std::optional<std::int64_t> AsInteger(const boost::json::value& value);

// Any number as a double; nothing for what is no number.
std::optional<double> AsDouble(const boost::json::value& value);

}  // namespace agenttalk
