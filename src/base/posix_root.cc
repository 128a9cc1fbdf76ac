#include "base/posix_root.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <expected>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/error_code.h"
#include "base/file_descriptor.h"

namespace agenttalk {
namespace {

// RESOLVE_BENEATH gives up with EAGAIN when something is renamed while it looks.
constexpr int kMaxResolveAttempts = 16;

int CallOpenat2(int root, const char* path, int flags, mode_t mode) {
  open_how how{};
  how.flags = static_cast<unsigned int>(flags);
  if ((flags & O_CREAT) != 0) how.mode = mode;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  int fd = -1;
  for (int attempt = 0; attempt < kMaxResolveAttempts; ++attempt) {
    fd = static_cast<int>(::syscall(SYS_openat2, root, path, &how, sizeof(how)));
    if (fd >= 0 || (errno != EAGAIN && errno != EINTR)) break;
  }
  return fd;
}

ErrorCode CodeOf(int number) {
  switch (number) {
    case ENOENT:
      return ErrorCode::kNotFound;
    case EEXIST:
    case ENOTEMPTY:
      return ErrorCode::kAlreadyExists;
    case ELOOP:
    case EXDEV:
    case ENOTDIR:
    case EISDIR:
    case ENXIO:
      return ErrorCode::kFileUnsafe;
    case EACCES:
    case EPERM:
    case EROFS:
      return ErrorCode::kPermissionDenied;
    case ENAMETOOLONG:
      return ErrorCode::kNameUnsafe;
    case ENOSPC:
    case EDQUOT:
      return ErrorCode::kDiskFull;
    default:
      return ErrorCode::kIo;
  }
}

std::string_view HintFor(ErrorCode code) {
  if (code == ErrorCode::kDiskFull) return "free some space; nothing that was acknowledged is lost";
  if (code == ErrorCode::kPermissionDenied)
    return "let the user that runs the hub read and write this folder";
  if (code == ErrorCode::kFileUnsafe) return "folders of the hub must be real folders, not links";
  return "";
}

}  // namespace

std::unexpected<Error> FailFile(int number, const std::string& what) {
  const ErrorCode code = CodeOf(number);
  return Fail(code, fmt::format("{}: {}", what, std::strerror(number)), std::string(HintFor(code)));
}

Result<PosixRoot> PosixRoot::Open(const std::string& directory) {
  FileDescriptor root(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (root.get() < 0) return FailFile(errno, directory);
  return PosixRoot(std::move(root), directory);
}

std::expected<FileDescriptor, int> PosixRoot::OpenAt(const std::string& path, int flags, mode_t mode) const {
  const int all_flags = flags | O_CLOEXEC | O_NOFOLLOW;
  if (openat2_) {
    const int fd = CallOpenat2(root_.get(), path.empty() ? "." : path.c_str(), all_flags, mode);
    if (fd >= 0) return FileDescriptor(fd);
    // Sandboxes answer an unknown call with EPERM, which openat itself may also say: the stepwise way
    // decides.
    if (errno != ENOSYS && errno != EPERM) return std::unexpected(errno);
    if (errno == ENOSYS) openat2_ = false;
  }
  return OpenStepwise(path, all_flags, mode);
}

std::expected<FileDescriptor, int> PosixRoot::OpenStepwise(const std::string& path, int flags,
                                                           mode_t mode) const {
  FileDescriptor parent;
  std::size_t start = 0;
  while (true) {
    const int at = parent.get() >= 0 ? parent.get() : root_.get();
    const std::size_t slash = path.find('/', start);
    const bool last = slash == std::string::npos;
    const std::string part = path.empty() ? "." : path.substr(start, last ? slash : slash - start);
    if (part == "..") return std::unexpected(EXDEV);  // as RESOLVE_BENEATH would, if it leads out
    const int part_flags = last ? flags : O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW;
    FileDescriptor next(::openat(at, part.c_str(), part_flags, mode));
    if (next.get() < 0) return std::unexpected(errno);
    if (last) return next;
    parent = std::move(next);
    start = slash + 1;
  }
}

}  // namespace agenttalk
