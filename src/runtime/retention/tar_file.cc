#include "runtime/retention/tar_file.h"

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
#include <expected>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/error_code.h"
#include "base/file_descriptor.h"
#include "journal/durable_file.h"

namespace agenttalk {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBlock = 512;
constexpr std::size_t kBuffered = std::size_t{256} << 10;
constexpr std::uint64_t kLargestEntry = (std::uint64_t{1} << 33) - 1;  // eleven octal digits
constexpr std::size_t kLongestPath = 4096;

// Where the fields of a header are.
struct Field {
  std::size_t offset;
  std::size_t length;
};
constexpr Field kName{0, 100}, kMode{100, 8}, kOwner{108, 8}, kGroup{116, 8}, kSize{124, 12}, kTime{136, 12},
    kSum{148, 8}, kType{156, 1}, kMagic{257, 8};

std::unexpected<Error> IoFailure(const fs::path& file, const char* doing) {
  const int error = errno;
  const ErrorCode code = error == ENOSPC   ? ErrorCode::kDiskFull
                         : error == EACCES ? ErrorCode::kPermissionDenied
                         : error == ENOENT ? ErrorCode::kNotFound
                                           : ErrorCode::kIo;
  return Fail(code, fmt::format("cannot {} {}: {}", doing, file.string(), std::strerror(error)));
}

std::unexpected<Error> BadArchive(const std::string& what) {
  return Fail(ErrorCode::kValueInvalid, "the archive is not whole: " + what,
              "write it again with `agenttalk export PLAN --archive FILE`");
}

void PutOctal(std::string& header, Field field, std::uint64_t value) {
  const std::string digits = fmt::format("{:0{}o}", value, field.length - 1);
  std::copy(digits.begin(), digits.end(), header.begin() + static_cast<std::ptrdiff_t>(field.offset));
}

std::optional<std::uint64_t> GetOctal(std::string_view header, Field field) {
  std::uint64_t value = 0;
  bool any = false;
  for (const char c : header.substr(field.offset, field.length)) {
    if (c == '\0' || c == ' ') {
      if (any) break;
      continue;
    }
    if (c < '0' || c > '7') return std::nullopt;
    value = value * 8 + static_cast<std::uint64_t>(c - '0');
    any = true;
  }
  return any ? std::optional(value) : std::nullopt;
}

// The sum of all bytes, those of the sum itself counted as blanks.
std::uint64_t SumOf(std::string_view header) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < header.size(); ++i) {
    const bool in_sum = i >= kSum.offset && i < kSum.offset + kSum.length;
    sum += in_sum ? std::uint64_t{' '} : static_cast<std::uint8_t>(header[i]);
  }
  return sum;
}

// "LENGTH path=PATH\n", where the length counts itself.
std::string PaxRecord(const std::string& path) {
  std::size_t length = path.size() + 7;
  while (fmt::formatted_size("{} path={}\n", length, path) != length)
    length = fmt::formatted_size("{} path={}\n", length, path);
  return fmt::format("{} path={}\n", length, path);
}

// The length says where the record ends: a path may have newlines in it.
std::optional<std::string> PathOfPax(const std::string& record) {
  const std::size_t blank = record.find(' ');
  const bool fits = blank != std::string::npos && record.substr(blank + 1).starts_with("path=") &&
                    record.ends_with('\n') && record.substr(0, blank) == std::to_string(record.size());
  if (!fits) return std::nullopt;
  return record.substr(blank + 6, record.size() - blank - 7);
}

// Whether somebody writes the file, as far as its file system has locks.
enum class Hold : std::uint8_t { kTaken, kRefused, kUnknown };

Hold TryHold(const FileDescriptor& file) {
  struct flock lock{};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  if (::fcntl(file.get(), F_OFD_SETLK, &lock) == 0) return Hold::kTaken;
  return errno == EAGAIN || errno == EACCES ? Hold::kRefused : Hold::kUnknown;
}

bool IsAt(const FileDescriptor& file, const fs::path& path) {
  struct stat open{};
  struct stat named{};
  return ::fstat(file.get(), &open) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

// Removes what a killed process left; false: somebody writes it.
bool RemoveLeftOver(const fs::path& path) {
  const FileDescriptor left(::open(path.c_str(), O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!left.valid()) return errno == ENOENT;
  if (TryHold(left) != Hold::kTaken) return false;
  // By now its writer may have renamed it, and the next one made another. This one cannot: we hold it.
  if (IsAt(left, path)) ::unlink(path.c_str());
  return true;
}

// A file that is held as long as it is written: one that nobody holds was left by a process that was killed.
// Its name is always the same, so that nothing is left for long.
Result<FileDescriptor> MakeUnfinished(const fs::path& path) {
  constexpr int kMostTries = 100;
  for (int attempt = 0; attempt < kMostTries; ++attempt) {
    FileDescriptor made(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!made.valid() && errno != EEXIST) return IoFailure(path, "make");
    if (!made.valid()) {
      if (!RemoveLeftOver(path)) break;
    } else if (TryHold(made) != Hold::kRefused && IsAt(made, path)) {
      return made;  // otherwise somebody took it for a left-over before it was held
    }
  }
  return Fail(ErrorCode::kAlreadyExists, path.string() + " is there: somebody writes this archive",
              "wait until that is done; if nobody does, remove the file");
}

}  // namespace

Result<TarWriter> TarWriter::Create(const fs::path& file, std::uint64_t largest) {
  fs::path temporary = file;
  temporary += ".unfinished";
  FileDescriptor descriptor = TRY(MakeUnfinished(temporary));
  return TarWriter(file, std::move(temporary), std::move(descriptor), largest);
}

TarWriter::TarWriter(fs::path file, fs::path temporary, FileDescriptor descriptor, std::uint64_t largest)
    : file_(std::move(file)),
      temporary_(std::move(temporary)),
      descriptor_(std::move(descriptor)),
      largest_(largest) {}

TarWriter::TarWriter(TarWriter&& other) noexcept
    : file_(std::move(other.file_)),
      temporary_(std::exchange(other.temporary_, {})),
      descriptor_(std::move(other.descriptor_)),
      buffer_(std::move(other.buffer_)),
      largest_(other.largest_),
      written_(other.written_) {}

TarWriter::~TarWriter() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Result<void> TarWriter::Put(std::string_view bytes) {
  if (bytes.size() > largest_ - written_) {
    return Fail(ErrorCode::kTooLarge, fmt::format("it would have more than {} bytes", largest_));
  }
  written_ += bytes.size();
  buffer_.append(bytes);
  return buffer_.size() < kBuffered ? Result<void>() : Flush();
}

Result<void> TarWriter::Flush() {
  std::string_view rest = buffer_;
  while (!rest.empty()) {
    const ssize_t count = ::write(descriptor_.get(), rest.data(), rest.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return IoFailure(file_, "write");
    rest.remove_prefix(static_cast<std::size_t>(count));
  }
  buffer_.clear();
  return {};
}

Result<void> TarWriter::Pad() {
  const std::size_t over = written_ % kBlock;
  return over == 0 ? Result<void>() : Put(std::string(kBlock - over, '\0'));
}

Result<void> TarWriter::Header(const std::string& path, std::uint64_t size, char type) {
  std::string header(kBlock, '\0');
  const std::string name = path.substr(0, kName.length);
  std::copy(name.begin(), name.end(), header.begin());
  PutOctal(header, kMode, 0600);
  PutOctal(header, kOwner, 0);
  PutOctal(header, kGroup, 0);
  PutOctal(header, kSize, size);
  PutOctal(header, kTime, 0);
  header[kType.offset] = type;
  constexpr std::string_view kUstar("ustar\00000", 8);
  std::copy(kUstar.begin(), kUstar.end(), header.begin() + static_cast<std::ptrdiff_t>(kMagic.offset));
  PutOctal(header, {kSum.offset, kSum.length - 1}, SumOf(header));
  header[kSum.offset + kSum.length - 1] = ' ';
  return Put(header);
}

Result<void> TarWriter::Begin(const std::string& path, std::uint64_t size) {
  if (size > kLargestEntry) return Fail(ErrorCode::kTooLarge, path + " is too large for an archive");
  TRY(Pad());
  if (path.size() > kName.length) {
    const std::string record = PaxRecord(path);
    TRY(Header("pax", record.size(), 'x'));
    TRY(Put(record));
    TRY(Pad());
  }
  return Header(path, size, '0');
}

Result<void> TarWriter::Write(std::string_view bytes) {
  return Put(bytes);
}

Result<void> TarWriter::Add(const std::string& path, std::string_view bytes) {
  TRY(Begin(path, bytes.size()));
  return Put(bytes);
}

Result<void> TarWriter::Finish() {
  TRY(Pad());
  TRY(Put(std::string(2 * kBlock, '\0')));
  TRY(Flush());
  if (::fsync(descriptor_.get()) != 0) return IoFailure(file_, "sync");
  if (::renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, file_.c_str(), RENAME_NOREPLACE) != 0) {
    if (errno == EEXIST) return Fail(ErrorCode::kAlreadyExists, file_.string() + " is there already");
    return IoFailure(file_, "make");
  }
  temporary_.clear();
  const fs::path folder = file_.parent_path();
  return SyncDirectory(folder.empty() ? fs::path(".") : folder);
}

Result<TarReader> TarReader::Open(const fs::path& file, std::uint64_t largest) {
  FileDescriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (descriptor.get() < 0) return IoFailure(file, "open");
  struct stat stat{};
  if (::fstat(descriptor.get(), &stat) != 0) return IoFailure(file, "look at");
  if (!S_ISREG(stat.st_mode)) return Fail(ErrorCode::kFileUnsafe, file.string() + " is no regular file");
  const auto size = static_cast<std::uint64_t>(stat.st_size);
  if (size > largest) {
    return Fail(ErrorCode::kTooLarge,
                fmt::format("{} has {} bytes; an archive may have {}", file.string(), size, largest));
  }
  return TarReader(std::move(descriptor), size);
}

TarReader::TarReader(FileDescriptor descriptor, std::uint64_t size)
    : descriptor_(std::move(descriptor)), size_(size) {}

Result<std::string> TarReader::Take(std::uint64_t count) {
  if (count > size_ - at_) return BadArchive("it ends too early");
  std::string bytes(count, '\0');
  std::size_t got = 0;
  while (got < count) {
    const ssize_t read =
        ::pread(descriptor_.get(), bytes.data() + got, count - got, static_cast<off_t>(at_ + got));
    if (read < 0 && errno == EINTR) continue;
    if (read < 0) return IoFailure("the archive", "read");
    if (read == 0) return BadArchive("it ends too early");
    got += static_cast<std::size_t>(read);
  }
  at_ += count;
  return bytes;
}

Result<std::optional<TarEntry>> TarReader::ReadHeader(char& type) {
  const std::string header = TRY(Take(kBlock));
  if (header.find_first_not_of('\0') == std::string::npos) {
    const std::string rest = TRY(Take(size_ - at_ > kBlock * 20 ? kBlock * 21 : size_ - at_));
    if (rest.size() < kBlock || rest.size() > kBlock * 20 ||
        rest.find_first_not_of('\0') != std::string::npos) {
      return BadArchive("there is something behind its end");
    }
    return std::nullopt;
  }
  const auto sum = GetOctal(header, kSum);
  const auto size = GetOctal(header, kSize);
  if (!sum || !size || *sum != SumOf(header)) return BadArchive("a header is damaged");
  if (*size > size_ - at_) return BadArchive("it ends too early");
  type = header[kType.offset];
  const std::string name = header.substr(0, kName.length);
  return TarEntry{name.substr(0, name.find('\0')), *size};
}

Result<std::optional<TarEntry>> TarReader::Next() {
  if (unread_ > 0) TRY(Read());
  char type = '0';
  std::optional<TarEntry> entry = TRY(ReadHeader(type));
  if (!entry) return entry;
  if (type == 'x') {
    if (entry->size > kLongestPath + 32) return BadArchive("a path is too long");
    unread_ = entry->size;
    const auto path = PathOfPax(TRY(Read()));
    if (!path) return BadArchive("a header is damaged");
    entry = TRY(ReadHeader(type));
    if (!entry) return BadArchive("it ends too early");
    entry->path = *path;
  }
  if (type != '0' && type != '\0') return BadArchive(entry->path + " is no regular file");
  unread_ = entry->size;
  return entry;
}

Result<std::string> TarReader::Read() {
  const std::uint64_t size = std::exchange(unread_, 0);
  std::string bytes = TRY(Take(size));
  const std::uint64_t over = size % kBlock;
  if (over != 0) TRY(Take(kBlock - over));
  return bytes;
}

}  // namespace agenttalk
