#include "api/http_reply.h"

#include <boost/beast/http/status.hpp>
#include <boost/json.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/error_code.h"
#include "base/json.h"

namespace agenttalk {

namespace json = boost::json;
namespace http = boost::beast::http;

namespace {

http::status StatusOfError(ErrorCode code) {
  switch (code) {
    case ErrorCode::kNotFound:
    case ErrorCode::kPlanUnknown:
    case ErrorCode::kQuestionUnknown:
      return http::status::not_found;
    case ErrorCode::kStateConflict:
    case ErrorCode::kAnswerLate:
    case ErrorCode::kIdempotencyConflict:
      return http::status::conflict;
    case ErrorCode::kTooLarge:
      return http::status::payload_too_large;
    case ErrorCode::kHubLocked:
      return http::status::service_unavailable;
    case ErrorCode::kDiskFull:
      return http::status::insufficient_storage;
    case ErrorCode::kIo:
    case ErrorCode::kInternal:
    case ErrorCode::kJournalDamaged:
      return http::status::internal_server_error;
    default:
      return http::status::bad_request;
  }
}

// A refusal that lists everything that is wrong.
bool IsRefusal(const json::value& result) {
  return result.is_object() && result.get_object().contains("error") &&
         result.get_object().contains("errors");
}

}  // namespace

Result<json::object> ReadParameters(std::string_view body, std::uint64_t largest) {
  if (body.empty()) return json::object();
  json::value value = TRY(ParseJson(body, {largest, JsonLimits{}.max_depth}));
  if (!value.is_object()) return Fail(ErrorCode::kJsonInvalid, "the parameters are no object");
  return std::move(value.as_object());
}

http::status StatusOf(const Result<json::value>& result) {
  if (!result) return StatusOfError(result.error().code);
  return IsRefusal(*result) ? http::status::bad_request : http::status::ok;
}

std::string BodyOf(const Result<json::value>& result) {
  if (result) return CompactJson(*result);
  const Error& error = result.error();
  return CompactJson(json::object{
      {"error", {{"code", ToString(error.code)}, {"message", error.message}, {"hint", error.hint}}}});
}

}  // namespace agenttalk
