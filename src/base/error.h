#pragma once

#include <expected>
#include <string>
#include <utility>

#include "base/error_code.h"

namespace agenttalk {

// What went wrong, for a caller that reacts (code) and for a person (message, and a hint that says what to
// do).
struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;
  std::string hint;
};

template <typename T>
using Result = std::expected<T, Error>;

[[nodiscard]] inline std::unexpected<Error> Fail(ErrorCode code, std::string message, std::string hint = {}) {
  return std::unexpected(Error{code, std::move(message), std::move(hint)});
}

// The failure of the last system call, with errno's text; ENOSPC and EDQUOT become kDiskFull.
[[nodiscard]] std::unexpected<Error> FailErrno(const std::string& what);

}  // namespace agenttalk

#define AGENTTALK_TRY_NAMED(expression, result) \
  __extension__({ \
    auto result = (expression); \
    if (!result) return std::unexpected(std::move(result).error()); \
    std::move(result).value(); \
  })
#define AGENTTALK_TRY_JOIN(expression, number) AGENTTALK_TRY_NAMED(expression, try_result_##number)
#define AGENTTALK_TRY_NUMBERED(expression, number) AGENTTALK_TRY_JOIN(expression, number)

// Yields the value of a Result, or returns its error from the enclosing function. May be nested.
#define TRY(expression) AGENTTALK_TRY_NUMBERED(expression, __COUNTER__)
