#include "model/request/model_request.h"

#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/error_code.h"

namespace agenttalk {
namespace {

using std::string_view_literals::operator""sv;

// In the order of the enumerators.
constexpr std::array kRoles = {"user"sv, "assistant"sv, "tool"sv};
constexpr std::array kStopReasons = {"end"sv, "max_tokens"sv, "tool_calls"sv, "refusal"sv, "other"sv};
constexpr std::array kErrorKinds = {"status"sv,       "timeout"sv,   "disconnect"sv,
                                    "bad_response"sv, "no_answer"sv, "unavailable"sv};

// Values may come from stored bytes that newer code wrote, so one outside the table has a name too.
template <std::size_t N, typename Enum>
std::string_view NameOf(const std::array<std::string_view, N>& names, Enum value) {
  const auto index = static_cast<std::size_t>(std::to_underlying(value));
  return index < N ? names[index] : "unknown"sv;
}

ErrorCode CodeOf(ModelErrorKind kind) {
  switch (kind) {
    case ModelErrorKind::kTimeout:
      return ErrorCode::kAttemptTimeout;
    case ModelErrorKind::kNoAnswer:
      return ErrorCode::kScriptNoAnswer;
    case ModelErrorKind::kUnavailable:
      return ErrorCode::kProviderMissing;
    case ModelErrorKind::kStatus:
    case ModelErrorKind::kDisconnect:
    case ModelErrorKind::kBadResponse:
      break;
  }
  return ErrorCode::kModelFailed;
}

}  // namespace

std::string_view ToString(Role role) {
  return NameOf(kRoles, role);
}

std::string_view ToString(StopReason reason) {
  return NameOf(kStopReasons, reason);
}

std::string_view ToString(ModelErrorKind kind) {
  return NameOf(kErrorKinds, kind);
}

bool IsRetryableStatus(int http_status) {
  return http_status == 408 || http_status == 409 || http_status == 429 ||
         (http_status >= 500 && http_status <= 599);
}

Error ToError(const ModelError& error) {
  return Error{CodeOf(error.kind), error.message, {}};
}

}  // namespace agenttalk
