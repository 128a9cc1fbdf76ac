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
  const char* hint = full ? "free some space; nothing that was acknowledged is lost"
                     : number == EACCES || number == EPERM
                         ? "the user who runs this needs write access there; "
                           "`ls -ld` shows owner and permissions"
                     : number == EROFS ? "the file system is mounted read-only; choose another place or "
                                         "mount it for writing"
                                       : "";
  return Fail(full ? ErrorCode::kDiskFull : ErrorCode::kIo,
              fmt::format("{}: {}", what, std::strerror(number)), hint);
}

}  // namespace agenttalk
