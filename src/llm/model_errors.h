#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "model/request/model_request.h"

// The ways in which asking a model fails, as ModelErrors whose messages hold no key.
namespace agenttalk {

struct HttpHeader {
  std::string name;  // lower case in what was received
  std::string value;

  bool operator==(const HttpHeader&) const = default;
};
using HttpHeaders = std::vector<HttpHeader>;

// Null when there is none. `name` is lower case.
const std::string* FindHeader(const HttpHeaders& headers, std::string_view name);

// Not what the protocol allows.
ModelError BadResponse(std::string message, bool retryable = false);
// The connection broke; whether the provider worked on the request is unknown.
ModelError CutOff(std::string message);
ModelError TooLarge(std::size_t limit);
ModelError TimedOut(Duration after, std::string_view what);
ModelError Unavailable(std::string message);

// A refusal with a status, from its headers and body (JSON of any vendor, text, or a web page). `retryable`
// is what both vendors' own clients do: `x-should-retry` decides if it is there, else 408, 409, 429 and 5xx;
// never an exhausted quota. `retry_after` comes from retry-after-ms, or retry-after in seconds or as a date.
ModelError ReadRefusal(int status, const HttpHeaders& headers, std::string_view body, Timestamp now);
// The same for an error that came inside a successful response, in the vendor's words (`overloaded_error`).
ModelError ReadInnerError(std::string_view type, std::string_view message);

// How much more a provider lets us do, and when that changes; from x-ratelimit-* and anthropic-ratelimit-*.
struct RateHint {
  std::optional<Duration> wait;  // nothing is left until this time has passed

  bool operator==(const RateHint&) const = default;
};
RateHint ReadRateHint(const HttpHeaders& headers, Timestamp now);

}  // namespace agenttalk
