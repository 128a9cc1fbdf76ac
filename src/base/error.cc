#include "base/error.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <expected>
#include <string>

#include "base/error_code.h"

namespace agenttalk {

std::unexpected<Error> FailErrno(const std::string& what) {
  const int number = errno;
  const bool full = number == ENOSPC || number == EDQUOT;
  return Fail(full ? ErrorCode::kDiskFull : ErrorCode::kIo,
              fmt::format("{}: {}", what, std::strerror(number)),
              full ? "free some space; nothing that was acknowledged is lost" : "");
}

}  // namespace agenttalk
