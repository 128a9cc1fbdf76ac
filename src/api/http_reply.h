#pragma once

#include <boost/beast/http/status.hpp>
#include <boost/json/fwd.hpp>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

// How a method's parameters and its result travel in HTTP; the same on the socket and for the page.
namespace agenttalk {

// The parameters in a request's body; an empty body has none.
Result<boost::json::object> ReadParameters(std::string_view body, std::uint64_t largest);

boost::beast::http::status StatusOf(const Result<boost::json::value>& result);
// The result, or {"error":{"code","message","hint"}}.
std::string BodyOf(const Result<boost::json::value>& result);

}  // namespace agenttalk
