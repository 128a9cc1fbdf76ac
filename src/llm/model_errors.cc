#include "llm/model_errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/json.h"
#include "base/redact.h"
#include "base/time.h"
#include "base/utf8.h"
#include "llm/json_access.h"
#include "model/request/model_request.h"

namespace agenttalk {
namespace {

namespace json = boost::json;
using std::string_view_literals::operator""sv;

constexpr std::size_t kLongestDetail = 500;
// Nobody waits longer on a server's word.
constexpr Duration kLongestWait = std::chrono::hours(1);

std::optional<double> ParseNumber(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value >= 0)) return std::nullopt;
  return value;
}

Duration FromSeconds(double seconds) {
  const double most = std::chrono::duration<double>(kLongestWait).count();
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(std::min(seconds, most)));
}

Duration Until(Timestamp then, Timestamp now) {
  return std::clamp(then - now, Duration{}, kLongestWait);
}

// RFC 9110: "Sun, 06 Nov 1994 08:49:37 GMT".
std::optional<Timestamp> ParseHttpDate(const std::string& text) {
  std::tm parts{};
  const char* end = ::strptime(text.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
  if (end == nullptr || *end != '\0') return std::nullopt;
  return Timestamp(std::chrono::seconds(::timegm(&parts)));
}

std::optional<Duration> RetryAfter(const HttpHeaders& headers, Timestamp now) {
  if (const std::string* exact = FindHeader(headers, "retry-after-ms")) {
    if (const auto milliseconds = ParseNumber(*exact)) return FromSeconds(*milliseconds / 1000);
  }
  const std::string* rough = FindHeader(headers, "retry-after");
  if (rough == nullptr) return std::nullopt;
  if (const auto seconds = ParseNumber(*rough)) return FromSeconds(*seconds);
  if (const auto date = ParseHttpDate(*rough)) return Until(*date, now);
  return std::nullopt;
}

struct Refusal {
  std::string type;
  std::string message;
};

void ReadDetail(const json::value& error, Refusal& refusal) {
  if (const json::string* text = error.if_string()) refusal.message = *text;
  const json::object* object = error.if_object();
  if (object == nullptr) return;
  refusal.message = TextAt(*object, "message");
  // OpenAI names an exhausted quota in both; `code` may be a number elsewhere.
  refusal.type = TextAt(*object, "code");
  if (refusal.type.empty()) refusal.type = TextAt(*object, "type");
}

// What a body says, in whichever of the usual forms.
Refusal ReadBody(std::string_view body) {
  Refusal refusal;
  const auto value = ParseJson(body);
  const json::object* object = value ? value->if_object() : nullptr;
  if (object == nullptr) {
    const std::size_t start = body.find_first_not_of(" \t\r\n");
    const bool page = start != std::string_view::npos && body[start] == '<';
    refusal.message = page ? "(a web page)" : std::string(body);
    return refusal;
  }
  for (const std::string_view key : {"error"sv, "detail"sv, "message"sv}) {
    if (const json::value* found = object->if_contains(key)) ReadDetail(*found, refusal);
    if (!refusal.message.empty()) return refusal;
  }
  refusal.message = body;
  return refusal;
}

std::string Tidy(std::string_view text) {
  std::string clean = WithoutControls(ToValidUtf8(text));
  std::ranges::replace_if(clean, [](char c) { return c == '\n' || c == '\t'; }, ' ');
  const std::string_view start = Utf8Prefix(clean, kLongestDetail);
  return Redact(start.size() < clean.size() ? std::string(start) + "…" : clean);
}

std::string_view Advice(int status) {
  if (status >= 300 && status <= 399) return "; redirects are not followed, set base_url to where it points";
  switch (status) {
    case 401:
      return "; check the key";
    case 403:
      return "; the key may not do this";
    case 404:
      return "; check base_url and model";
    case 413:
      return "; the request is too large for this provider";
    default:
      return "";
  }
}

// Go's way of writing a time: "6m0s", "1.5s", "20ms".
std::optional<Duration> ParseGoDuration(std::string_view text) {
  double seconds = 0;
  if (text.empty()) return std::nullopt;
  while (!text.empty()) {
    const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
    const auto number = ParseNumber(text.substr(0, digits));
    if (!number) return std::nullopt;
    text.remove_prefix(digits);
    const std::size_t length = std::min(text.find_first_of("0123456789."), text.size());
    const std::string_view unit = text.substr(0, length);
    text.remove_prefix(length);
    constexpr std::array<std::pair<std::string_view, double>, 6> kUnits = {
        {{"h", 3600}, {"m", 60}, {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"", 1}}};
    const auto* known = std::ranges::find(kUnits, unit, &std::pair<std::string_view, double>::first);
    if (known == kUnits.end()) return std::nullopt;
    seconds += *number * known->second;
  }
  return FromSeconds(seconds);
}

std::optional<Duration> ParseReset(const std::string& text, Timestamp now) {
  if (const auto time = ParseRfc3339(text)) return Until(*time, now);
  return ParseGoDuration(text);
}

}  // namespace

const std::string* FindHeader(const HttpHeaders& headers, std::string_view name) {
  const auto found = std::ranges::find(headers, name, &HttpHeader::name);
  return found == headers.end() ? nullptr : &found->value;
}

ModelError BadResponse(std::string message, bool retryable) {
  ModelError error;
  error.kind = ModelErrorKind::kBadResponse;
  error.retryable = retryable;
  error.message = Redact(message);
  return error;
}

ModelError CutOff(std::string message) {
  ModelError error;
  error.kind = ModelErrorKind::kDisconnect;
  error.retryable = true;
  error.message = Redact(message);
  return error;
}

ModelError TooLarge(std::size_t limit) {
  return BadResponse(fmt::format("the answer is larger than {} bytes (limits.max_answer_bytes)", limit));
}

ModelError TimedOut(Duration after, std::string_view what) {
  ModelError error;
  error.kind = ModelErrorKind::kTimeout;
  error.retryable = true;
  error.message = fmt::format("{} within {}", what, ToText(after));
  return error;
}

ModelError Unavailable(std::string message) {
  ModelError error;
  error.kind = ModelErrorKind::kUnavailable;
  error.message = Redact(message);
  return error;
}

ModelError ReadRefusal(int status, const HttpHeaders& headers, std::string_view body, Timestamp now) {
  const Refusal refusal = ReadBody(body);
  ModelError error;
  error.kind = ModelErrorKind::kStatus;
  error.http_status = static_cast<std::uint16_t>(status);
  error.retry_after = RetryAfter(headers, now);
  error.retryable = IsRetryableStatus(status) && refusal.type != "insufficient_quota";
  if (const std::string* told = FindHeader(headers, "x-should-retry")) error.retryable = *told == "true";
  const std::string detail = Tidy(refusal.message);
  error.message = fmt::format("HTTP {}{}{}{}{}", status, refusal.type.empty() ? "" : " " + Tidy(refusal.type),
                              detail.empty() ? "" : ": ", detail, Advice(status));
  return error;
}

ModelError ReadInnerError(std::string_view type, std::string_view message) {
  constexpr std::array<std::pair<std::string_view, int>, 9> kStatuses = {{{"invalid_request_error", 400},
                                                                          {"authentication_error", 401},
                                                                          {"permission_error", 403},
                                                                          {"not_found_error", 404},
                                                                          {"request_too_large", 413},
                                                                          {"rate_limit_error", 429},
                                                                          {"api_error", 500},
                                                                          {"timeout_error", 504},
                                                                          {"overloaded_error", 529}}};
  const auto* known = std::ranges::find(kStatuses, type, &std::pair<std::string_view, int>::first);
  ModelError error;
  error.kind = ModelErrorKind::kStatus;
  // OpenRouter and others give the status as a number.
  if (const auto number = ParseNumber(type); number && *number >= 400 && *number < 600) {
    error.http_status = static_cast<std::uint16_t>(*number);
  } else if (known != kStatuses.end()) {
    error.http_status = static_cast<std::uint16_t>(known->second);
  } else {
    error.http_status = 500;
  }
  error.retryable = IsRetryableStatus(error.http_status) && type != "insufficient_quota";
  error.message = fmt::format("the provider broke the answer off with {}: {}", Tidy(type), Tidy(message));
  return error;
}

RateHint ReadRateHint(const HttpHeaders& headers, Timestamp now) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kPairs = {
      {{"x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"},
       {"x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"},
       {"anthropic-ratelimit-requests-remaining", "anthropic-ratelimit-requests-reset"},
       {"anthropic-ratelimit-tokens-remaining", "anthropic-ratelimit-tokens-reset"},
       {"anthropic-ratelimit-input-tokens-remaining", "anthropic-ratelimit-input-tokens-reset"},
       {"anthropic-ratelimit-output-tokens-remaining", "anthropic-ratelimit-output-tokens-reset"}}};
  RateHint hint;
  for (const auto& [remaining, reset] : kPairs) {
    const std::string* left = FindHeader(headers, remaining);
    const std::string* until = FindHeader(headers, reset);
    if (left == nullptr || until == nullptr || ParseNumber(*left) != 0.0) continue;
    if (const auto wait = ParseReset(*until, now)) {
      hint.wait = std::max(hint.wait.value_or(Duration{}), *wait);
    }
  }
  return hint;
}

}  // namespace agenttalk
