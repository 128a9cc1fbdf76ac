#pragma once

#include <boost/json/fwd.hpp>
#include <string>
#include <string_view>

#include "base/issue.h"
#include "model/reading/object_reader.h"

// What is said about a value that cannot be used.
namespace agenttalk {

// The beginning of a text, in quotes.
std::string QuotedText(std::string_view text);

// The value should be `wanted`, e.g. "a string".
Issue TypeIssue(std::string path, std::string_view wanted, const boost::json::value& value);

std::string RangeText(const IntegerRange& range);
std::string UnsafeName(std::string_view name);

}  // namespace agenttalk
