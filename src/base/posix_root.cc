#include "base/posix_root.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

Result<std::string> PosixRoot::ReadFile(const std::string& path, std::size_t limit) const {
  // Without O_NONBLOCK opening a FIFO would wait for its other end.
  const auto file = OpenAt(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (!file) return FailFile(file.error(), path);
  struct stat status{};
  if (::fstat(file->get(), &status) != 0) return FailFile(errno, path);
  if (!S_ISREG(status.st_mode)) return Fail(ErrorCode::kFileUnsafe, path + ": this is not an ordinary file");
  std::string bytes;
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size > limit)
    return Fail(ErrorCode::kTooLarge, fmt::format("{}: {} bytes are more than {}", path, size, limit));
  bytes.resize(size + 1);  // one more, to see its end
  std::size_t have = 0;
  while (have < bytes.size()) {
    const ssize_t got = ::read(file->get(), bytes.data() + have, bytes.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return FailFile(errno, path);
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
    if (have > limit) return Fail(ErrorCode::kTooLarge, fmt::format("{}: more than {} bytes", path, limit));
    if (have == bytes.size()) bytes.resize(std::min(2 * have, limit + 1));  // it grows meanwhile
  }
  bytes.resize(have);
  return bytes;
}

Result<FileDescriptor> PosixRoot::MakeFolder(const std::string& path) const {
  // Whoever may look into it is decided by the umask, or by an ACL of the folder above.
  constexpr mode_t kMode = 0777;
  FileDescriptor folder(::fcntl(root_.get(), F_DUPFD_CLOEXEC, 0));
  if (!folder.valid()) return FailFile(errno, path);
  for (std::size_t start = 0; start < path.size();) {
    const std::size_t slash = std::min(path.find('/', start), path.size());
    const std::string part = path.substr(start, slash - start);
    start = slash + 1;
    if (part.empty() || part == "." || part == "..") return FailFile(EXDEV, path);
    if (::mkdirat(folder.get(), part.c_str(), kMode) != 0 && errno != EEXIST) return FailFile(errno, path);
    FileDescriptor next(
        ::openat(folder.get(), part.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!next.valid()) return FailFile(errno, path);
    folder = std::move(next);
  }
  return folder;
}

std::vector<std::string> PosixRoot::NamesIn(const std::string& path) const {
  std::vector<std::string> names;
  const auto folder = OpenAt(path, O_RDONLY | O_DIRECTORY);
  if (!folder) return names;
  DIR* stream = ::fdopendir(::fcntl(folder->get(), F_DUPFD_CLOEXEC, 0));
  if (stream == nullptr) return names;
  while (const dirent* entry = ::readdir(stream)) {
    if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  }
  ::closedir(stream);
  std::ranges::sort(names);
  return names;
}

Result<PosixRoot> PosixRoot::Below(const std::string& path) const {
  auto folder = OpenAt(path, O_RDONLY | O_DIRECTORY);
  if (!folder) return FailFile(folder.error(), path);
  PosixRoot below(std::move(*folder), directory_ + "/" + path);
  below.openat2_ = openat2_.load();
  return below;
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
