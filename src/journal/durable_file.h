#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"

// Files that are the truth: on the disk, with their directory entries, before anybody relies on them.
namespace agenttalk {

class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileDescriptor();

  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] bool valid() const { return fd_ >= 0; }
  // Closes now and says whether the system had something to complain about.
  bool Close();

 private:
  int fd_ = -1;
};

// Makes the directory if it is missing and its entry durable either way. Parents must exist.
Result<void> MakeDirectoryDurably(const std::filesystem::path& directory);
Result<void> SyncDirectory(const std::filesystem::path& directory);

// Writes `temporary`, syncs it, renames it to `target` (replacing what an interrupted attempt may have left)
// and syncs the target's directory. DISK_FULL: nothing is left behind. A failed sync is IO, whatever errno
// says: the state of the disk is unknown then.
Result<void> WriteFileDurably(const std::filesystem::path& temporary, const std::filesystem::path& target,
                              std::string_view bytes);

// NOT_FOUND when it is missing; more than `limit` bytes are not read.
Result<std::string> ReadFileUpTo(const std::filesystem::path& file, std::uint64_t limit);

// An exclusive lock that ends with the process, however it ends. HUB_LOCKED: somebody else has it.
Result<FileDescriptor> LockFile(const std::filesystem::path& file);

}  // namespace agenttalk
