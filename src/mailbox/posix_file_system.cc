#include "mailbox/posix_file_system.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/types.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/file_descriptor.h"
#include "base/mutex.h"
#include "base/posix_root.h"
#include "mailbox/file_system.h"

namespace agenttalk {
namespace {

constexpr std::size_t kReadPiece = std::size_t{256} << 10;
constexpr mode_t kFileMode = 0666;
constexpr mode_t kDirectoryMode = 0777;
constexpr int kMaxTemporaryNames = 100;

bool HasDefaultAcl(int folder) {
  constexpr const char* kAcl = "system.posix_acl_default";
  const ssize_t size = ::fgetxattr(folder, kAcl, nullptr, 0);
  if (size >= 0 || errno != EBADF) return size > 0;
  // By its path in /proc, for a descriptor that is opened with O_PATH has no attributes.
  const std::string path = fmt::format("/proc/self/fd/{}", folder);
  return ::getxattr(path.c_str(), kAcl, nullptr, 0) > 0;
}

std::int64_t Nanoseconds(const timespec& time) {
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

FileStat ToFileStat(const struct stat& raw) {
  FileStat out;
  if (S_ISREG(raw.st_mode)) out.type = FileType::kRegular;
  if (S_ISDIR(raw.st_mode)) out.type = FileType::kDirectory;
  if (S_ISLNK(raw.st_mode)) out.type = FileType::kSymlink;
  out.inode = raw.st_ino;
  out.mtime_ns = Nanoseconds(raw.st_mtim);
  out.ctime_ns = Nanoseconds(raw.st_ctim);
  out.size = static_cast<std::uint64_t>(raw.st_size);
  out.links = raw.st_nlink;
  return out;
}

Result<FileStat> StatOpen(const FileDescriptor& file, const std::string& what) {
  struct stat raw{};
  if (::fstat(file.get(), &raw) != 0) return FailFile(errno, what);
  return ToFileStat(raw);
}

enum class Writers : std::uint8_t { kNone, kSome, kUnknown };

// A read lease is granted only while nobody has the file open for writing. It is given back at once, because
// it would make the next writer wait. A writer that comes in between is announced by a signal whose default
// would end the process, so one that is ignored by default is asked for instead.
Writers AskForWriters(const FileDescriptor& file) {
  ::fcntl(file.get(), F_SETSIG, SIGURG);
  if (::fcntl(file.get(), F_SETLEASE, F_RDLCK) != 0) {
    return errno == EAGAIN || errno == EBUSY ? Writers::kSome : Writers::kUnknown;
  }
  ::fcntl(file.get(), F_SETLEASE, F_UNLCK);
  return Writers::kNone;
}

Result<void> WriteAll(const FileDescriptor& file, std::string_view bytes, const std::string& what) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file.get(), bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return FailFile(errno, what);
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

// Reads until the end or until more than `max_bytes` came; returns how many.
Result<std::uint64_t> Pour(const FileDescriptor& file, std::uint64_t expected, std::uint64_t max_bytes,
                           const ByteSink& sink, const std::string& what) {
  std::string buffer(std::min<std::uint64_t>(expected + 1, kReadPiece), '\0');
  std::uint64_t total = 0;
  while (total <= max_bytes) {
    const ssize_t count = ::read(file.get(), buffer.data(), buffer.size());
    if (count < 0) {
      if (errno == EINTR) continue;
      return FailFile(errno, what);
    }
    if (count == 0) break;
    total += static_cast<std::uint64_t>(count);
    TRY(sink(std::string_view(buffer).substr(0, static_cast<std::size_t>(count))));
  }
  return total;
}

std::optional<ReadOutcome> Unreadable(const FileStat& stat, std::uint64_t max_bytes) {
  if (stat.type != FileType::kRegular) return ReadOutcome::kNotRegular;
  if (stat.links != 1) return stat.links == 0 ? ReadOutcome::kChanged : ReadOutcome::kHardLinked;
  if (stat.size > max_bytes) return ReadOutcome::kTooLarge;
  return std::nullopt;
}

// File systems without RENAME_NOREPLACE refuse a second name all the same when asked to link.
int RenameWithoutReplacing(int from_at, const char* from, int to_at, const char* to) {
  if (::renameat2(from_at, from, to_at, to, RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return -1;
  if (::linkat(from_at, from, to_at, to, 0) == 0) return ::unlinkat(from_at, from, 0);
  if (errno != EPERM && errno != EOPNOTSUPP && errno != EMLINK) return -1;
  struct stat raw{};
  if (::fstatat(to_at, to, &raw, AT_SYMLINK_NOFOLLOW) == 0) {
    errno = EEXIST;
    return -1;
  }
  return ::renameat(from_at, from, to_at, to);
}

}  // namespace

Result<std::unique_ptr<PosixFileSystem>> PosixFileSystem::Open(const std::string& root) {
  PosixRoot opened = TRY(PosixRoot::Open(root));
  return std::unique_ptr<PosixFileSystem>(new PosixFileSystem(std::move(opened)));
}

Result<PosixFileSystem::Spot> PosixFileSystem::Locate(const std::string& path, int directory_flags) {
  TRY(CheckRelativePath(path));
  if (path.empty()) return Fail(ErrorCode::kNameUnsafe, "the hub itself is no file");
  SplitPath split = SplitAtLast(path);
  auto directory = root_.OpenAt(split.directory, directory_flags | O_DIRECTORY);
  if (!directory) return FailFile(directory.error(), split.directory);
  return Spot{.directory = std::move(*directory), .name = std::move(split.name)};
}

Result<std::vector<DirectoryEntry>> PosixFileSystem::List(const std::string& directory) {
  TRY(CheckRelativePath(directory));
  auto opened = root_.OpenAt(directory, O_RDONLY | O_DIRECTORY);
  if (!opened) return FailFile(opened.error(), directory);
  const int fd = ::fcntl(opened->get(), F_DUPFD_CLOEXEC, 0);
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::fdopendir(fd), ::closedir);
  if (!stream) {
    const int number = errno;
    ::close(fd);
    return FailFile(number, directory);
  }
  std::vector<DirectoryEntry> entries;
  while (true) {
    errno = 0;
    const dirent* entry = ::readdir(stream.get());
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    struct stat raw{};
    if (::fstatat(opened->get(), entry->d_name, &raw, AT_SYMLINK_NOFOLLOW) != 0) {
      if (errno == ENOENT) continue;
      return FailFile(errno, directory);
    }
    entries.push_back({.name = std::string(name), .stat = ToFileStat(raw)});
  }
  if (errno != 0) return FailFile(errno, directory);
  return entries;
}

Result<std::optional<FileStat>> PosixFileSystem::Stat(const std::string& path) {
  auto spot = Locate(path, O_PATH);
  if (!spot) {
    if (spot.error().code == ErrorCode::kNotFound) return std::nullopt;
    return std::unexpected(std::move(spot).error());
  }
  struct stat raw{};
  if (::fstatat(spot->directory.get(), spot->name.c_str(), &raw, AT_SYMLINK_NOFOLLOW) == 0)
    return ToFileStat(raw);
  if (errno == ENOENT) return std::nullopt;
  return FailFile(errno, path);
}

Result<ReadReport> PosixFileSystem::Read(const std::string& path, std::uint64_t max_bytes,
                                         const ByteSink& sink) {
  TRY(CheckRelativePath(path));
  auto file = root_.OpenAt(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (!file) {
    if (file.error() == ENOENT) return ReadReport{.outcome = ReadOutcome::kGone, .stat = {}};
    if (file.error() == ELOOP || file.error() == ENXIO) {
      return ReadReport{.outcome = ReadOutcome::kNotRegular, .stat = {}};
    }
    return FailFile(file.error(), path);
  }
  ReadReport report;
  report.stat = TRY(StatOpen(*file, path));
  if (const auto outcome = Unreadable(report.stat, max_bytes)) {
    report.outcome = *outcome;
    return report;
  }
  const Writers before = AskForWriters(*file);
  report.writers_known = before != Writers::kUnknown;
  if (before == Writers::kSome) {
    report.outcome = ReadOutcome::kBeingWritten;
    return report;
  }
  const std::uint64_t total = TRY(Pour(*file, report.stat.size, max_bytes, sink, path));
  if (total > max_bytes) {
    report.outcome = ReadOutcome::kTooLarge;
  } else if (AskForWriters(*file) == Writers::kSome) {
    report.outcome = ReadOutcome::kBeingWritten;
  } else if (TRY(StatOpen(*file, path)) != report.stat || total != report.stat.size) {
    report.outcome = ReadOutcome::kChanged;
  }
  return report;
}

Result<FileDescriptor> PosixFileSystem::OpenOwn(const std::string& path, int flags) {
  TRY(CheckRelativePath(path));
  auto file = root_.OpenAt(path, flags | O_NONBLOCK | O_NOCTTY, kFileMode);
  if (!file) return FailFile(file.error(), path);
  const FileStat stat = TRY(StatOpen(*file, path));
  if (stat.type != FileType::kRegular || stat.links > 1) {
    return Fail(ErrorCode::kFileUnsafe, fmt::format("{} is a link or no regular file", path),
                "remove it; the hub writes it again");
  }
  return std::move(*file);
}

Result<FileTail> PosixFileSystem::ReadTail(const std::string& path, std::uint64_t max_bytes) {
  const FileDescriptor file = TRY(OpenOwn(path, O_RDONLY));
  const FileStat stat = TRY(StatOpen(file, path));
  FileTail tail;
  tail.offset = stat.size > max_bytes ? stat.size - max_bytes : 0;
  if (::lseek(file.get(), static_cast<off_t>(tail.offset), SEEK_SET) < 0) return FailFile(errno, path);
  TRY(Pour(
      file, stat.size - tail.offset, max_bytes,
      [&tail](std::string_view piece) -> Result<void> {
        tail.bytes.append(piece);
        return {};
      },
      path));
  return tail;
}

Result<FileStat> PosixFileSystem::WriteTemporary(int folder, const std::string& name, std::string_view bytes,
                                                 bool durable) {
  FileDescriptor file(
      ::openat(folder, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kFileMode));
  if (file.get() < 0) return FailFile(errno, "temporary file");
  const auto write = [&]() -> Result<FileStat> {
    TRY(WriteAll(file, bytes, "temporary file"));
    if (durable && ::fsync(file.get()) != 0) return FailFile(errno, "fsync");
    FileStat stat = TRY(StatOpen(file, "temporary file"));
    stat.ctime_ns = 0;  // the renaming will set it
    TRY(file.Close());
    return stat;
  };
  auto written = write();
  if (!written) ::unlinkat(folder, name.c_str(), 0);
  return written;
}

Result<std::shared_ptr<const PosixFileSystem::TemporaryFolder>> PosixFileSystem::OpenTemporary() {
  {
    const MutexLock lock(mutex_);
    if (temporary_) return temporary_;
  }
  const std::string folder(kTemporaryFolder);
  auto directory = root_.OpenAt(folder, O_PATH | O_DIRECTORY);
  if (!directory && directory.error() == ENOENT) {
    TRY(MakeDirectories(folder));
    directory = root_.OpenAt(folder, O_PATH | O_DIRECTORY);
  }
  if (!directory) return FailFile(directory.error(), folder);
  struct stat raw{};
  if (::fstat(directory->get(), &raw) != 0) return FailFile(errno, folder);
  auto opened = std::make_shared<const TemporaryFolder>(TemporaryFolder{std::move(*directory), raw.st_dev});
  const MutexLock lock(mutex_);
  temporary_ = opened;
  return opened;
}

Result<FileStat> PosixFileSystem::PublishFrom(int from, const Spot& target, std::string_view bytes,
                                              const PublishOptions& options, const std::string& path) {
  std::string name;
  Result<FileStat> written = Fail(ErrorCode::kAlreadyExists, "no free temporary name");
  for (int attempt = 0; attempt < kMaxTemporaryNames; ++attempt) {
    name = fmt::format(".{}-{}.tmp", ::getpid(), next_temporary_++);
    written = WriteTemporary(from, name, bytes, options.durable);
    if (written || written.error().code != ErrorCode::kAlreadyExists) break;
  }
  const FileStat stat = TRY(std::move(written));
  const int to = target.directory.get();
  const int renamed = options.replace ? ::renameat(from, name.c_str(), to, target.name.c_str())
                                      : RenameWithoutReplacing(from, name.c_str(), to, target.name.c_str());
  if (renamed != 0) {
    const int number = errno;
    ::unlinkat(from, name.c_str(), 0);
    return FailFile(number, path);
  }
  if (options.durable && ::fsync(to) != 0) return FailFile(errno, "fsync");
  return stat;
}

Result<FileStat> PosixFileSystem::Publish(const std::string& path, std::string_view bytes,
                                          const PublishOptions& options) {
  // Opened for reading its attributes are found sooner; it need not be readable.
  auto located = Locate(path, O_RDONLY);
  if (!located && located.error().code == ErrorCode::kPermissionDenied && !options.durable) {
    located = Locate(path, O_PATH);
  }
  const Spot target = TRY(std::move(located));
  const auto temporary = TRY(OpenTemporary());
  struct stat there{};
  if (::fstat(target.directory.get(), &there) != 0) return FailFile(errno, path);
  // A folder that is a mount of its own cannot be renamed into from outside; and a default ACL, by which an
  // external agent of another user reads its inbox, is for files that are made in its folder.
  if (temporary->device != there.st_dev || HasDefaultAcl(target.directory.get())) {
    return PublishFrom(target.directory.get(), target, bytes, options, path);
  }
  auto published = PublishFrom(temporary->directory.get(), target, bytes, options, path);
  if (published || published.error().code != ErrorCode::kNotFound) return published;
  // Somebody has removed the folder that is held open.
  {
    const MutexLock lock(mutex_);
    temporary_.reset();
  }
  return PublishFrom(TRY(OpenTemporary())->directory.get(), target, bytes, options, path);
}

Result<void> PosixFileSystem::Move(const std::string& from, const std::string& to) {
  const Spot source = TRY(Locate(from, O_PATH));
  const Spot target = TRY(Locate(to, O_PATH));
  if (RenameWithoutReplacing(source.directory.get(), source.name.c_str(), target.directory.get(),
                             target.name.c_str()) != 0) {
    return FailFile(errno, fmt::format("{} to {}", from, to));
  }
  return {};
}

Result<void> PosixFileSystem::AppendTo(const std::string& path, std::string_view bytes) {
  FileDescriptor file = TRY(OpenOwn(path, O_WRONLY | O_APPEND | O_CREAT));
  TRY(WriteAll(file, bytes, path));
  return file.Close();
}

Result<void> PosixFileSystem::Truncate(const std::string& path, std::uint64_t size) {
  FileDescriptor file = TRY(OpenOwn(path, O_WRONLY));
  if (::ftruncate(file.get(), static_cast<off_t>(size)) != 0) return FailFile(errno, path);
  return file.Close();
}

Result<void> PosixFileSystem::Remove(const std::string& path) {
  auto spot = Locate(path, O_PATH);
  if (!spot) {
    if (spot.error().code == ErrorCode::kNotFound) return {};
    return std::unexpected(std::move(spot).error());
  }
  const int at = spot->directory.get();
  if (::unlinkat(at, spot->name.c_str(), 0) == 0 || errno == ENOENT) return {};
  if (errno == EISDIR && (::unlinkat(at, spot->name.c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT))
    return {};
  return FailFile(errno, path);
}

Result<void> PosixFileSystem::MakeDirectories(const std::string& path) {
  TRY(CheckRelativePath(path));
  if (path.empty()) return {};
  // As a rule only the last part is missing.
  auto spot = Locate(path, O_PATH);
  if (!spot && spot.error().code == ErrorCode::kNotFound) {
    TRY(MakeDirectories(SplitAtLast(path).directory));
    spot = Locate(path, O_PATH);
  }
  if (!spot) return std::unexpected(std::move(spot).error());
  if (::mkdirat(spot->directory.get(), spot->name.c_str(), kDirectoryMode) == 0) return {};
  if (errno != EEXIST) return FailFile(errno, path);
  // There is something; a folder is what is wanted.
  const auto there = root_.OpenAt(path, O_PATH | O_DIRECTORY);
  if (!there) return FailFile(there.error(), path);
  return {};
}

Result<void> PosixFileSystem::Sync() {
  if (::syncfs(root_.fd()) != 0) return FailFile(errno, "syncfs");
  return {};
}

Result<std::uint64_t> PosixFileSystem::FreeBytes() {
  struct statvfs raw{};
  if (::fstatvfs(root_.fd(), &raw) != 0) return FailFile(errno, "statvfs");
  return static_cast<std::uint64_t>(raw.f_bavail) * raw.f_frsize;
}

}  // namespace agenttalk
