#include "journal/durable_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/error_code.h"
#include "base/file_descriptor.h"
#include "base/plant.h"

namespace agenttalk {
namespace {

Result<void> SyncFile(const FileDescriptor& file, const std::filesystem::path& path) {
  if (Planted("no_fsync") || ::fsync(file.get()) == 0) return {};
  return Fail(ErrorCode::kIo, fmt::format("sync {}: {}", path.string(), std::strerror(errno)));
}

Result<void> WriteAll(const FileDescriptor& file, std::string_view bytes, const std::filesystem::path& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return FailErrno("write " + path.string());
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Result<void> WriteSynced(const std::filesystem::path& path, std::string_view bytes) {
  FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC,
                             S_IRUSR | S_IWUSR | S_IRGRP));
  if (!file.valid()) return FailErrno("create " + path.string());
  TRY(WriteAll(file, bytes, path));
  TRY(SyncFile(file, path));
  if (!file.Close())
    return Fail(ErrorCode::kIo, fmt::format("close {}: {}", path.string(), std::strerror(errno)));
  return {};
}

}  // namespace

Result<void> MakeDirectoryDurably(const std::filesystem::path& directory) {
  if (::mkdir(directory.c_str(), S_IRWXU | S_IRGRP | S_IXGRP) != 0 && errno != EEXIST) {
    return FailErrno("cannot create the folder " + directory.string());
  }
  const std::filesystem::path parent = directory.parent_path();
  return SyncDirectory(parent.empty() ? std::filesystem::path(".") : parent);
}

Result<void> SyncDirectory(const std::filesystem::path& directory) {
  const FileDescriptor fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.valid()) return FailErrno("open directory " + directory.string());
  return SyncFile(fd, directory);
}

Result<void> WriteFileDurably(const std::filesystem::path& temporary, const std::filesystem::path& target,
                              std::string_view bytes) {
  Result<void> written = WriteSynced(temporary, bytes);
  if (written && ::rename(temporary.c_str(), target.c_str()) != 0) {
    written = FailErrno("rename to " + target.string());
  }
  if (!written) {
    ::unlink(temporary.c_str());
    return written;
  }
  return SyncDirectory(target.parent_path());
}

Result<std::string> ReadFileUpTo(const std::filesystem::path& file, std::uint64_t limit) {
  const FileDescriptor fd(::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!fd.valid() && errno == ENOENT) return Fail(ErrorCode::kNotFound, file.string() + " is missing");
  if (!fd.valid()) return FailErrno("open " + file.string());
  struct stat status{};
  if (::fstat(fd.get(), &status) != 0) return FailErrno("stat " + file.string());
  if (!S_ISREG(status.st_mode))
    return Fail(ErrorCode::kFileUnsafe, file.string() + " is not an ordinary file");
  // As large as the file, not as the limit: clearing that much memory would take longer than all the rest.
  std::string bytes(std::min<std::uint64_t>(limit, static_cast<std::uint64_t>(status.st_size) + 1), '\0');
  std::size_t size = 0;
  while (size < limit) {
    if (size == bytes.size()) bytes.resize(std::min<std::uint64_t>(limit, 2 * size));  // it grows meanwhile
    const ssize_t got = ::read(fd.get(), bytes.data() + size, bytes.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return FailErrno("read " + file.string());
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  bytes.resize(size);
  return bytes;
}

// An OFD lock, not a POSIX one: that would be lost when any other descriptor of the file is closed.
Result<FileDescriptor> LockFile(const std::filesystem::path& file) {
  FileDescriptor fd(::open(file.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (!fd.valid()) return FailErrno("open " + file.string());
  struct flock lock{};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  if (::fcntl(fd.get(), F_OFD_SETLK, &lock) == 0) return fd;
  if (errno != EAGAIN && errno != EACCES) return FailErrno("lock " + file.string());
  return Fail(ErrorCode::kHubLocked,
              fmt::format("{} is locked: another process writes this journal", file.string()),
              "stop the other process, or let it do the work");
}

Result<bool> IsLocked(const std::filesystem::path& file) {
  const FileDescriptor fd(::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd.valid() && errno == ENOENT) return false;
  if (!fd.valid()) return FailErrno("open " + file.string());
  struct flock lock{};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  if (::fcntl(fd.get(), F_OFD_GETLK, &lock) != 0) return FailErrno("look at the lock " + file.string());
  return lock.l_type != F_UNLCK;
}

}  // namespace agenttalk
