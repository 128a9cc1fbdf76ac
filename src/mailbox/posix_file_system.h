#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/file_descriptor.h"
#include "base/mutex.h"
#include "base/posix_root.h"
#include "mailbox/file_system.h"

namespace agenttalk {

// The real one. Several threads may use it at once: all it keeps is open folders.
class PosixFileSystem final : public FileSystem {
 public:
  static Result<std::unique_ptr<PosixFileSystem>> Open(const std::string& root);

  Result<std::vector<DirectoryEntry>> List(const std::string& directory) override;
  Result<std::optional<FileStat>> Stat(const std::string& path) override;
  Result<ReadReport> Read(const std::string& path, std::uint64_t max_bytes, const ByteSink& sink) override;
  Result<FileTail> ReadTail(const std::string& path, std::uint64_t max_bytes) override;
  Result<FileStat> Publish(const std::string& path, std::string_view bytes,
                           const PublishOptions& options) override;
  Result<void> Move(const std::string& from, const std::string& to) override;
  Result<void> AppendTo(const std::string& path, std::string_view bytes) override;
  Result<void> Truncate(const std::string& path, std::uint64_t size) override;
  Result<void> Remove(const std::string& path) override;
  Result<void> MakeDirectories(const std::string& path) override;
  Result<void> Sync() override;
  Result<std::uint64_t> FreeBytes() override;

  void UseOpenat2(bool use) { root_.UseOpenat2(use); }

 private:
  // A directory, held open, and a name in it: what every changing system call is given.
  struct Spot {
    FileDescriptor directory;
    std::string name;
  };

  struct TemporaryFolder {
    FileDescriptor directory;
    dev_t device = 0;
  };

  explicit PosixFileSystem(PosixRoot root) : root_(std::move(root)) {}
  Result<Spot> Locate(const std::string& path, int directory_flags);
  Result<FileStat> WriteTemporary(int folder, const std::string& name, std::string_view bytes, bool durable);
  Result<std::shared_ptr<const TemporaryFolder>> OpenTemporary();
  // Makes it in the folder `from` first.
  Result<FileStat> PublishFrom(int from, const Spot& target, std::string_view bytes,
                               const PublishOptions& options, const std::string& path);
  Result<FileDescriptor> OpenOwn(const std::string& path, int flags);

  PosixRoot root_;
  std::atomic<std::uint64_t> next_temporary_{1};
  Mutex mutex_;
  std::shared_ptr<const TemporaryFolder> temporary_ GUARDED_BY(mutex_);  // none: not opened yet
};

}  // namespace agenttalk
