#pragma once

#include <boost/json/value.hpp>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/json.h"
#include "model/reading/checked.h"

// For .cc files only: it needs the complete JSON type.
namespace agenttalk {

// Parses the text as JSON and gives the value to `read`; what the parser refuses is the only issue.
template <typename T, typename Read>
Checked<T> ReadJsonText(std::string_view text, const JsonLimits& limits, const Read& read) {
  Result<boost::json::value> value = ParseJson(text, limits);
  if (value) return read(*value);
  Error error = std::move(value).error();
  Checked<T> checked;
  checked.issues.errors.push_back({error.code, "", std::move(error.message), std::move(error.hint)});
  return checked;
}

}  // namespace agenttalk
