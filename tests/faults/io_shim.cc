// Loaded into a program with LD_PRELOAD, this library counts the calls that reach files below one directory,
// and at a chosen one of them fails, tears, kills, or cuts the power. Its settings are environment variables:
//   IO_SHIM_DIR      the directory
//   IO_SHIM_RECORD   a file outside of it, shared by all processes of a scenario: how many calls there were,
//   how many
//                    were tampered with, and the first of these by name
//   IO_SHIM_FAULT    kill_before kill_after torn short eio enospc cut_before cut_after; only calls that the
//   fault can
//                    happen to are counted
//   IO_SHIM_KINDS    and of these only the kinds named by letters, see Kind; default: all but reads
//   IO_SHIM_AT       the number of the call, from 1; 0 only counts
//   IO_SHIM_FOR      how many calls from there on; 0: all that follow
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace {

enum class Kind : char {
  kOpen = 'o',
  kCreate = 'n',
  kWrite = 'w',
  kSync = 's',
  kName = 'm',
  kUnlink = 'u',
  kSize = 't',
  kRead = 'r',
  kClose = 'c',
};

enum class Fault { kNone, kKillBefore, kKillAfter, kTorn, kShort, kEio, kEnospc, kCutBefore, kCutAfter };

struct Record {
  std::atomic<std::uint64_t> calls;
  std::atomic<std::uint64_t> tampered;
  char first[240];  // the first call that was tampered with
};

using SyscallFunction = long (*)(long, ...);

template <typename... Arguments>
long Real(long number, Arguments... arguments) {
  static const auto function = reinterpret_cast<SyscallFunction>(dlsym(RTLD_NEXT, "syscall"));
  return function(number, arguments...);
}

std::string Setting(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

Fault ReadFault(std::string_view name) {
  constexpr std::pair<std::string_view, Fault> kNames[] = {
      {"kill_before", Fault::kKillBefore},
      {"kill_after", Fault::kKillAfter},
      {"torn", Fault::kTorn},
      {"short", Fault::kShort},
      {"eio", Fault::kEio},
      {"enospc", Fault::kEnospc},
      {"cut_before", Fault::kCutBefore},
      {"cut_after", Fault::kCutAfter},
  };
  for (const auto& [known, fault] : kNames) {
    if (known == name) return fault;
  }
  return Fault::kNone;
}

struct Shim {
  std::string directory = Setting("IO_SHIM_DIR");
  Fault fault = ReadFault(Setting("IO_SHIM_FAULT"));
  std::string kinds = Setting("IO_SHIM_KINDS");
  std::uint64_t at = std::strtoull(Setting("IO_SHIM_AT").c_str(), nullptr, 10);
  std::uint64_t length = std::strtoull(Setting("IO_SHIM_FOR").c_str(), nullptr, 10);
  Record* record = nullptr;

  Shim() {
    if (kinds.empty()) kinds = "onwsmutc";
    const std::string path = Setting("IO_SHIM_RECORD");
    if (directory.empty() || path.empty()) return;
    const auto file =
        static_cast<int>(Real(SYS_openat, AT_FDCWD, path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (file < 0 || Real(SYS_ftruncate, file, static_cast<long>(sizeof(Record))) != 0) std::abort();
    void* memory = ::mmap(nullptr, sizeof(Record), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED) std::abort();
    Real(SYS_close, file);
    record = static_cast<Record*>(memory);
  }
};

Shim& TheShim() {
  static Shim shim;
  return shim;
}

// Where a descriptor points to; empty if nowhere that has a name.
std::string PathOf(int fd) {
  char link[64];
  char path[PATH_MAX];
  std::snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
  const long length = Real(SYS_readlinkat, AT_FDCWD, link, path, sizeof(path));
  return length <= 0 ? std::string() : std::string(path, static_cast<std::size_t>(length));
}

bool IsBelow(const std::string& path) {
  const std::string& directory = TheShim().directory;
  return path.starts_with(directory) && (path.size() == directory.size() || path[directory.size()] == '/');
}

std::string Resolve(int folder, const char* path) {
  if (path == nullptr) return {};
  if (path[0] == '/') return path;
  char current[PATH_MAX];
  if (folder == AT_FDCWD) return std::string(::getcwd(current, sizeof(current))) + "/" + path;
  return PathOf(folder) + "/" + path;
}

bool CanHappen(Fault fault, Kind kind) {
  switch (fault) {
    case Fault::kTorn:
    case Fault::kShort:
      return kind == Kind::kWrite;
    case Fault::kEnospc:
      return kind == Kind::kWrite || kind == Kind::kCreate || kind == Kind::kName || kind == Kind::kSize ||
             kind == Kind::kSync;
    case Fault::kKillBefore:
    case Fault::kKillAfter:
    case Fault::kCutBefore:
    case Fault::kCutAfter:
      return kind != Kind::kRead;
    case Fault::kNone:
    case Fault::kEio:
      break;
  }
  return true;
}

[[noreturn]] void Die() {
  Real(SYS_kill, static_cast<long>(::getpid()), static_cast<long>(SIGKILL));
  for (;;) ::pause();
}

// Set before the power is cut: what a call answers after that is seen by nobody. The kernel may call a sync
// done that was under way when the file system was shut down.
std::atomic<bool> power_is_off{false};

long Seen(long result) {
  while (power_is_off) ::pause();
  return result;
}

// Shuts the file system down without flushing its log: what a power cut leaves.
[[noreturn]] void CutPower() {
  power_is_off = true;
  const auto file = static_cast<int>(
      Real(SYS_openat, AT_FDCWD, TheShim().directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0));
  std::uint32_t without_log_flush = 2;
  if (::ioctl(file, _IOR('X', 125, std::uint32_t), &without_log_flush) != 0) std::abort();
  Die();
}

bool IsHit(Kind kind, const char* name, const std::string& path) {
  Shim& shim = TheShim();
  if (shim.record == nullptr || !IsBelow(path)) return false;
  if (!CanHappen(shim.fault, kind) || shim.kinds.find(static_cast<char>(kind)) == std::string::npos)
    return false;
  const std::uint64_t call = shim.record->calls.fetch_add(1) + 1;
  if (shim.at == 0 || call < shim.at || (shim.length != 0 && call >= shim.at + shim.length)) return false;
  if (shim.record->tampered.fetch_add(1) == 0) {
    std::snprintf(shim.record->first, sizeof(shim.record->first), "%s %s", name,
                  path.substr(std::min(path.size(), shim.directory.size())).c_str());
  }
  return true;
}

// `perform` makes the call, `perform_half` half of it where that can be.
template <typename Perform, typename PerformHalf>
long Tamper(Perform perform, PerformHalf perform_half) {
  switch (TheShim().fault) {
    case Fault::kKillBefore:
      Die();
    case Fault::kCutBefore:
      CutPower();
    case Fault::kKillAfter:
      perform();
      Die();
    case Fault::kCutAfter:
      perform();
      CutPower();
    case Fault::kTorn:
      perform_half();
      Die();
    case Fault::kShort:
      return perform_half();
    case Fault::kEio:
      errno = EIO;
      return -1;
    case Fault::kEnospc:
      errno = ENOSPC;
      return -1;
    case Fault::kNone:
      break;
  }
  return perform();
}

template <typename Perform>
long Guard(Kind kind, const char* name, const std::string& path, Perform perform) {
  return Seen(IsHit(kind, name, path) ? Tamper(perform, perform) : perform());
}

template <typename Perform>
long GuardWrite(const char* name, int fd, std::size_t size, Perform perform) {
  if (size < 2 || !IsHit(Kind::kWrite, name, PathOf(fd))) return Seen(perform(size));
  return Seen(Tamper([&] { return perform(size); }, [&] { return perform(size / 2); }));
}

long GuardOpen(const char* name, int folder, const char* path, int flags, mode_t mode) {
  const Kind kind = (flags & O_CREAT) != 0 ? Kind::kCreate : Kind::kOpen;
  return Guard(kind, name, Resolve(folder, path),
               [&] { return Real(SYS_openat, folder, path, flags, static_cast<long>(mode)); });
}

long GuardVector(const char* name, int fd, const iovec* parts, int count, long offset) {
  std::size_t size = 0;
  for (int i = 0; i < count; ++i) size += parts[i].iov_len;
  return GuardWrite(name, fd, size, [&](std::size_t wanted) {
    // Half of it is the first part alone, or half of the only one.
    iovec one = parts[0];
    one.iov_len = std::min(one.iov_len, wanted);
    const bool whole = wanted == size;
    const iovec* what = whole ? parts : &one;
    const long number = whole ? count : 1;
    return offset < 0 ? Real(SYS_writev, fd, what, number) : Real(SYS_pwritev, fd, what, number, offset, 0L);
  });
}

mode_t ModeOf(int flags, va_list arguments) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
}

}  // namespace

// The functions are declared under names of their own and given the C library's by label, because the
// library's headers declare some of them in ways that a definition cannot repeat.
#define SHIM(result, own, name, ...) \
  extern "C" result own(__VA_ARGS__) __asm__(#name); \
  extern "C" __attribute__((visibility("default"))) result own(__VA_ARGS__)

#define SHIM_OPEN(own, name) \
  SHIM(int, own, name, const char* path, int flags, ...) { \
    va_list arguments; \
    va_start(arguments, flags); \
    const mode_t mode = ModeOf(flags, arguments); \
    va_end(arguments); \
    return static_cast<int>(GuardOpen(#name, AT_FDCWD, path, flags, mode)); \
  }
SHIM_OPEN(ShimOpen, open)
SHIM_OPEN(ShimOpen64, open64)

#define SHIM_OPENAT(own, name) \
  SHIM(int, own, name, int folder, const char* path, int flags, ...) { \
    va_list arguments; \
    va_start(arguments, flags); \
    const mode_t mode = ModeOf(flags, arguments); \
    va_end(arguments); \
    return static_cast<int>(GuardOpen(#name, folder, path, flags, mode)); \
  }
SHIM_OPENAT(ShimOpenat, openat)
SHIM_OPENAT(ShimOpenat64, openat64)

SHIM(long, ShimSyscall, syscall, long number, ...) {
  va_list list;
  va_start(list, number);
  long a[6];
  for (long& one : a) one = va_arg(list, long);
  va_end(list);
  const auto perform = [&] { return Real(number, a[0], a[1], a[2], a[3], a[4], a[5]); };
  if (number != SYS_openat2) return perform();
  std::uint64_t flags = 0;
  std::memcpy(&flags, reinterpret_cast<const void*>(a[2]), sizeof(flags));
  const Kind kind = (flags & O_CREAT) != 0 ? Kind::kCreate : Kind::kOpen;
  const auto* path = reinterpret_cast<const char*>(a[1]);
  return Guard(kind, "openat2", Resolve(static_cast<int>(a[0]), path), perform);
}

SHIM(ssize_t, ShimWrite, write, int fd, const void* bytes, std::size_t size) {
  return GuardWrite("write", fd, size,
                    [&](std::size_t wanted) { return Real(SYS_write, fd, bytes, wanted); });
}

#define SHIM_PWRITE(own, name) \
  SHIM(ssize_t, own, name, int fd, const void* bytes, std::size_t size, off_t offset) { \
    return GuardWrite(#name, fd, size, \
                      [&](std::size_t wanted) { return Real(SYS_pwrite64, fd, bytes, wanted, offset); }); \
  }
SHIM_PWRITE(ShimPwrite, pwrite)
SHIM_PWRITE(ShimPwrite64, pwrite64)

SHIM(ssize_t, ShimWritev, writev, int fd, const iovec* parts, int count) {
  return GuardVector("writev", fd, parts, count, -1);
}
SHIM(ssize_t, ShimPwritev, pwritev, int fd, const iovec* parts, int count, off_t offset) {
  return GuardVector("pwritev", fd, parts, count, offset);
}
SHIM(ssize_t, ShimPwritev64, pwritev64, int fd, const iovec* parts, int count, off_t offset) {
  return GuardVector("pwritev64", fd, parts, count, offset);
}

SHIM(ssize_t, ShimRead, read, int fd, void* bytes, std::size_t size) {
  return Guard(Kind::kRead, "read", PathOf(fd), [&] { return Real(SYS_read, fd, bytes, size); });
}
#define SHIM_PREAD(own, name) \
  SHIM(ssize_t, own, name, int fd, void* bytes, std::size_t size, off_t offset) { \
    return Guard(Kind::kRead, #name, PathOf(fd), \
                 [&] { return Real(SYS_pread64, fd, bytes, size, offset); }); \
  }
SHIM_PREAD(ShimPread, pread)
SHIM_PREAD(ShimPread64, pread64)

#define SHIM_SYNC(own, name) \
  SHIM(int, own, name, int fd) { \
    return static_cast<int>(Guard(Kind::kSync, #name, PathOf(fd), [&] { return Real(SYS_##name, fd); })); \
  }
SHIM_SYNC(ShimFsync, fsync)
SHIM_SYNC(ShimFdatasync, fdatasync)
SHIM_SYNC(ShimSyncfs, syncfs)

SHIM(int, ShimClose, close, int fd) {
  // Whatever close reports, the descriptor is gone.
  long closed = 0;
  const std::string path = PathOf(fd);
  if (!IsHit(Kind::kClose, "close", path)) return static_cast<int>(Real(SYS_close, fd));
  const bool fails = TheShim().fault == Fault::kEio;
  if (fails) closed = Real(SYS_close, fd);
  const long told = Tamper([&] { return Real(SYS_close, fd); }, [&] { return Real(SYS_close, fd); });
  return static_cast<int>(closed != 0 ? closed : told);
}

SHIM(int, ShimRenameat2, renameat2, int from, const char* old_path, int to, const char* new_path,
     unsigned flags) {
  return static_cast<int>(Guard(Kind::kName, "renameat2", Resolve(to, new_path), [&] {
    return Real(SYS_renameat2, from, old_path, to, new_path, static_cast<long>(flags));
  }));
}
SHIM(int, ShimRenameat, renameat, int from, const char* old_path, int to, const char* new_path) {
  return static_cast<int>(Guard(Kind::kName, "renameat", Resolve(to, new_path),
                                [&] { return Real(SYS_renameat2, from, old_path, to, new_path, 0L); }));
}
SHIM(int, ShimRename, rename, const char* old_path, const char* new_path) {
  return static_cast<int>(Guard(Kind::kName, "rename", Resolve(AT_FDCWD, new_path), [&] {
    return Real(SYS_renameat2, AT_FDCWD, old_path, AT_FDCWD, new_path, 0L);
  }));
}

SHIM(int, ShimLinkat, linkat, int from, const char* old_path, int to, const char* new_path, int flags) {
  return static_cast<int>(Guard(Kind::kName, "linkat", Resolve(to, new_path), [&] {
    return Real(SYS_linkat, from, old_path, to, new_path, static_cast<long>(flags));
  }));
}
SHIM(int, ShimLink, link, const char* old_path, const char* new_path) {
  return static_cast<int>(Guard(Kind::kName, "link", Resolve(AT_FDCWD, new_path), [&] {
    return Real(SYS_linkat, AT_FDCWD, old_path, AT_FDCWD, new_path, 0L);
  }));
}
SHIM(int, ShimMkdirat, mkdirat, int folder, const char* path, mode_t mode) {
  return static_cast<int>(Guard(Kind::kName, "mkdirat", Resolve(folder, path),
                                [&] { return Real(SYS_mkdirat, folder, path, static_cast<long>(mode)); }));
}
SHIM(int, ShimMkdir, mkdir, const char* path, mode_t mode) {
  return static_cast<int>(Guard(Kind::kName, "mkdir", Resolve(AT_FDCWD, path),
                                [&] { return Real(SYS_mkdirat, AT_FDCWD, path, static_cast<long>(mode)); }));
}

SHIM(int, ShimUnlinkat, unlinkat, int folder, const char* path, int flags) {
  return static_cast<int>(Guard(Kind::kUnlink, "unlinkat", Resolve(folder, path),
                                [&] { return Real(SYS_unlinkat, folder, path, static_cast<long>(flags)); }));
}
SHIM(int, ShimUnlink, unlink, const char* path) {
  return static_cast<int>(Guard(Kind::kUnlink, "unlink", Resolve(AT_FDCWD, path),
                                [&] { return Real(SYS_unlinkat, AT_FDCWD, path, 0L); }));
}
SHIM(int, ShimRmdir, rmdir, const char* path) {
  return static_cast<int>(Guard(Kind::kUnlink, "rmdir", Resolve(AT_FDCWD, path), [&] {
    return Real(SYS_unlinkat, AT_FDCWD, path, static_cast<long>(AT_REMOVEDIR));
  }));
}

#define SHIM_FTRUNCATE(own, name) \
  SHIM(int, own, name, int fd, off_t size) { \
    return static_cast<int>( \
        Guard(Kind::kSize, #name, PathOf(fd), [&] { return Real(SYS_ftruncate, fd, size); })); \
  }
SHIM_FTRUNCATE(ShimFtruncate, ftruncate)
SHIM_FTRUNCATE(ShimFtruncate64, ftruncate64)

#define SHIM_FALLOCATE(own, name) \
  SHIM(int, own, name, int fd, int mode, off_t offset, off_t size) { \
    return static_cast<int>(Guard(Kind::kSize, #name, PathOf(fd), [&] { \
      return Real(SYS_fallocate, fd, static_cast<long>(mode), offset, size); \
    })); \
  }
SHIM_FALLOCATE(ShimFallocate, fallocate)
SHIM_FALLOCATE(ShimFallocate64, fallocate64)
